"""What can be typed after a slash: one module for each command, which defines `COMMAND`."""

"""Programs of the user that watch what happens, and can forbid it but never allow it."""

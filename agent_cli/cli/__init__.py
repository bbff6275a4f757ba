"""The command line: reads flags and picks a frontend."""

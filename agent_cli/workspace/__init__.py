"""The only door to the user's files."""

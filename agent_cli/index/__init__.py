"""What the code of a workspace defines, and an index of its text to search in."""

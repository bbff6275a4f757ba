"""Undo: what files were before the session changed them, and how they come back."""

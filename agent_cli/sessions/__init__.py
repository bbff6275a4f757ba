"""Session files: the journal, its format, catalogue and verification."""

"""Counts what happened in sessions, without a word of what was said or done in them."""

"""Whoever is watching a session."""

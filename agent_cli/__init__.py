"""A terminal coding agent whose turns add up."""

__version__ = "0.1.0"

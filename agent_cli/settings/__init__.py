"""Configuration: its schema, its layers and its places."""

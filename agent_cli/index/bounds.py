"""How much an index takes in."""

FILES = 50_000
"""In one index."""
BYTES = 128 * 1024 * 1024
"""Of text in one index."""
LARGEST = 1024 * 1024
"""Bytes; a larger file is not taken in."""
SECONDS = 60.0
"""For one refresh; the next search goes on with it."""

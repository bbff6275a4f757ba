"""How much one answer from the web may be, and how long it may take."""

LIMIT = 10 * 1024 * 1024
"""Bytes of one answer."""
TIMEOUT = 30.0
"""Seconds for one answer, from the connection to its last byte."""

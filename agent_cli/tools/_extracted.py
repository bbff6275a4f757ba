"""What a document's text is reported as."""

from msgspec import Struct

CHARACTERS = 2_000_000
"""Characters of text that are taken from one document."""
PAGES = 500
SHEETS = 50
ROWS = 20_000
"""Rows of one sheet that hold something."""


class Extracted(Struct, frozen=True, omit_defaults=True):
    text: str = ""
    size: str = ""
    """Pages, sheets and the like, in words."""
    cut: bool = False
    error: str = ""
    """Why there is no text, as the end of a sentence that begins with the document."""

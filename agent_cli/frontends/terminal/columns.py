"""Texts in columns, measured in the cells of a terminal: a character may take two, or none."""

from rich.cells import cell_len


def left(text: str, width: int) -> str:
    """Return the text with blanks behind it, if it is shorter than that."""
    return text + " " * (width - cell_len(text))


def right(text: str, width: int) -> str:
    """Return the text with blanks before it, if it is shorter than that."""
    return " " * (width - cell_len(text)) + text

"""A text that is written in the user's own editor, while nothing else has the terminal."""

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document


async def edited(text: str) -> str:
    """Open $VISUAL or $EDITOR with the text; return what was written, the text if nothing was."""
    buffer = Buffer(document=Document(text), tempfile_suffix=".md")
    await buffer.open_in_editor()
    return buffer.text.rstrip("\n")

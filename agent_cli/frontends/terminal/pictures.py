"""Images that the user pastes: from the clipboard, or as the path of a file that is one.

What is an image says the content, never the name. A file is read through the gate: that the user
names it is their yes, wherever it lies; what .agentignore refuses, and keys, stay closed.
"""

import asyncio
import shlex
from base64 import b64encode
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath
from urllib.parse import unquote, urlsplit

from agent_cli.context.mentions import pictured
from agent_cli.frontends.sanitiser import in_one_line, visible
from agent_cli.frontends.terminal.folds import Fold
from agent_cli.i18n.catalog import say
from agent_cli.processes.dialogue import Dialogue
from agent_cli.processes.run import Processes
from agent_cli.runtime.agent import Agent
from agent_cli.types.effects import Kind
from agent_cli.types.errors import ToolError
from agent_cli.types.messages import Image
from agent_cli.workspace.files import image_type

MOST = 5 * 1024 * 1024
"""Bytes of one image."""
_LONGEST_PATH = 4096
_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp"})
_PROGRAMS = (
    ("wl-paste", "--no-newline", "--type", "image/png"),
    ("xclip", "-selection", "clipboard", "-target", "image/png", "-out"),
    ("pngpaste", "-"),
)
"""What prints the image in the clipboard, of Wayland, X11 and macOS."""
_PATIENCE = 3.0
"""Seconds that such a program has."""


class Pictures:
    """Takes images in for one session; what stands in the way is told."""

    def __init__(self, agent: Agent, tell: Callable[[str], None]) -> None:
        self._agent = agent
        self._tell = tell

    def pasted(self, text: str) -> Fold | None:
        """Return the image whose path was pasted or dragged here; None if it is no such text."""
        path = path_in(text)
        if path is None:
            return None
        workspace = self._agent.toolbox.workspace
        try:
            target = workspace.effect(Kind.READ, path).target
            data = workspace.granting([target]).read(path)
        except ToolError:  # then it is but a text
            return None
        return self._fold(PurePath(path).name, data)

    async def from_clipboard(self) -> Fold | None:
        """Return the image in the clipboard."""
        processes = self._agent.toolbox.processes
        programs = [argv for argv in _PROGRAMS if processes.finds(argv[0])]
        if not programs:
            names = ", ".join(argv[0] for argv in _PROGRAMS)
            self._tell(
                say("to paste an image one of these must be installed: {names}", names=names)
            )
            return None
        for argv in programs:
            data = await _printed(processes, argv, self._agent.toolbox.workspace.root)
            if image_type(data) is not None:
                return self._fold(say("clipboard"), data)
        self._tell(say("there is no image in the clipboard"))
        return None

    def _fold(self, name: str, data: bytes) -> Fold | None:
        media_type = image_type(data)
        if media_type is None:
            return None
        if len(data) > MOST:
            told = say("{name} is not attached: it is larger than {most} MB", name=name, most=5)
            self._tell(visible(told))
            return None
        resolved = self._agent.models.current.resolved
        if not resolved.info.vision:
            told = say("the model {model} takes no images", model=resolved.name)
            self._tell(visible(told))
            return None
        shown = in_one_line(name)
        label = say("[image {name}, {size:,} KB]", name=shown, size=(len(data) + 1023) // 1024)
        image = Image(media_type, b64encode(data).decode("ascii"))
        return Fold(label, pictured(shown), image)


def path_in(text: str) -> str | None:
    """Return the path of an image that a text consists of: quoted, escaped, or a file URL."""
    text = text.strip()
    if not text or len(text) > _LONGEST_PATH or "\n" in text or "\0" in text:
        return None
    if text.startswith("file://"):
        path = unquote(urlsplit(text).path)
    else:
        path = _unquoted(text) if "\\" in text or text[0] in "'\"" else text
    if PurePath(path).suffix.lower() not in _SUFFIXES or not path.startswith(("/", "~/")):
        return None
    return str(Path(path).expanduser())


def _unquoted(text: str) -> str:
    try:
        words = shlex.split(text)
    except ValueError:
        return ""
    return words[0] if len(words) == 1 else ""


async def _printed(processes: Processes, argv: Sequence[str], cwd: Path) -> bytes:
    """Return what a program prints, one image at most; nothing if it fails."""
    dialogue = Dialogue()
    data = bytearray()
    try:
        async with asyncio.timeout(_PATIENCE):
            await dialogue.begin(processes.launcher, argv, processes.environ, cwd)
            while len(data) <= MOST and (line := await dialogue.line()):
                data += line
    except (OSError, ValueError, TimeoutError):
        return b""
    finally:
        await dialogue.close()
    return bytes(data)

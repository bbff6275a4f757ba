"""A call of a tool, what surrounds it, and what becomes of it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from testbed.loopback import Answer
from testbed.replies import Call, Reply

from agent_cli.types.brought import Brought
from agent_cli.types.outcomes import Code, Outcome


def nothing(root: Path) -> None:
    """Change nothing."""


@dataclass(frozen=True)
class Scenario:
    """In arguments and settings `{URL}`, `{OUT}` and `{HOME}` are filled in."""

    args: dict[str, Any] | str
    says: str = ""
    """What the result tells."""
    code: Code | None = None
    prepare: Callable[[Path], None] = nothing
    """Runs in the workspace, before anything else."""
    settings: dict[str, Any] = field(default_factory=dict)
    environ: dict[str, str] = field(default_factory=dict)
    answers: tuple[Answer | str, ...] = ()
    """Of a server on the loopback, in order."""
    before: tuple[Call, ...] = ()
    """Calls of earlier messages, one each."""
    together: tuple[Call, ...] = ()
    """Calls of the same message, before it."""
    stop: str | None = None
    """Why the message ended, if it was cut off."""
    then: tuple[Reply, ...] = ()
    """What the model says next; after that it completes."""
    later: tuple[Call, ...] = ()
    """Calls that succeed, one a message, before the model completes."""
    gives_up: bool = False
    """A person is there, and gives the subtask up that stops short."""
    asks: bool = False
    """The user is asked, where the policy would let the call pass."""
    comment: str = ""
    """What the user says with each yes."""
    declines: bool = False
    """The user says no to everything."""
    on_ask: Callable[[Path], None] = nothing
    on_start: Callable[[Path], None] = nothing
    """Something else changes the workspace: while the user is asked; when a call starts."""
    patch: Callable[[pytest.MonkeyPatch], None] = lambda patching: None
    brought: tuple[Brought, ...] = ()
    mode: str = "code"
    completion: tuple[Outcome, Code | None] = (Outcome.FAILED, Code.FAILED_EARLIER)
    """What becomes of a completion in the same message."""
    xml: str | None = None
    """The call as XML, where it is not the same; empty if there is no such thing."""
    name: str | None = None
    """What is called, if not the tool that the scenario is of."""


def workspace(tmp_path: Path) -> Path:
    """Make the workspace that every scenario starts with."""
    root = tmp_path / "project"
    for folder in (root / "folder", root / "hidden", tmp_path / "outside"):
        folder.mkdir(parents=True)
    (root / "a.txt").write_text("one\ntwo\none\n")
    (root / "latin.txt").write_bytes(b"caf\xe9\n")
    (root / "nul.bin").write_bytes(b"\0\1\2")
    (root / "hidden.txt").write_text("a secret\n")
    (root / ".agentignore").write_text("hidden*\n")
    return root


def places(tmp_path: Path, url: str) -> dict[str, str]:
    return {"{URL}": url, "{OUT}": str(tmp_path / "outside"), "{HOME}": str(Path.home())}


def filled(value: Any, places: Mapping[str, str]) -> Any:
    """Return the value with the places in it."""
    text = json.dumps(value)
    for name, place in places.items():
        text = text.replace(name, place)
    return json.loads(text)


def large(path: str, size: int) -> Callable[[Path], None]:
    """Return what makes a file of so many bytes that takes no room."""

    def prepare(root: Path) -> None:
        with (root / path).open("wb") as file:
            file.truncate(size)

    return prepare


def file(path: str, content: str | bytes = "") -> Callable[[Path], None]:
    """Return what makes the file, or makes it anew."""

    def prepare(root: Path) -> None:
        data = content.encode() if isinstance(content, str) else content
        (root / path).write_bytes(data)

    return prepare


def patched(target: str, value: object) -> Callable[[pytest.MonkeyPatch], None]:
    """Return what sets a limit of the product to something that a test can reach."""
    return lambda patching: patching.setattr(target, value)

"""What changes between the question, the answer and the write."""

import contextlib
import ctypes
import os
import threading
from pathlib import Path

import pytest

from agent_cli.types.effects import Kind
from agent_cli.types.errors import ToolError
from agent_cli.workspace.gate import Workspace

RENAME_EXCHANGE = 2


def test_what_changed_since_it_was_shown_is_not_taken(tmp_path: Path):
    (tmp_path / "f").write_bytes(b"old")
    workspace = Workspace(tmp_path)
    workspace.effect(Kind.WRITE, "f")
    assert workspace.show("f") == b"old"
    (tmp_path / "f").write_bytes(b"theirs")
    with pytest.raises(ToolError, match="since its edit was shown"):
        workspace.granting(["/x"]).take("f")
    workspace.effect(Kind.WRITE, "f")
    assert workspace.take("f") == b"theirs"
    workspace.write("f", b"ours", expected=b"theirs")
    assert workspace.take("f") == b"ours"
    assert workspace.show("none") is None


def test_a_link_swapped_between_approval_and_write_is_refused(tmp_path: Path):
    (tmp_path / ".git").mkdir()
    for name in ("a", ".git/config"):
        (tmp_path / name).write_bytes(b"old")
    (tmp_path / "link").symlink_to("a")
    workspace = Workspace(tmp_path)
    assert not workspace.effect(Kind.WRITE, "link").protected
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to(".git/config")
    with pytest.raises(ToolError, match="elsewhere"):
        workspace.take("link")
    with pytest.raises(ToolError, match="elsewhere"):
        workspace.write("link", b"new", expected=b"old")


@pytest.mark.invariant("F1")
@pytest.mark.parametrize("operation", ["read", "write", "create"])
def test_a_component_swapped_during_the_call_does_not_lead_out(tmp_path, monkeypatch, operation):
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (root / "d", outside):
        folder.mkdir(parents=True)
    (root / "d" / "f").write_bytes(b"inside")
    (outside / "f").write_bytes(b"inside")
    workspace = Workspace(root)
    reach = workspace._guard.reach

    def swap(path: str):
        location = reach(path)
        (root / "d").rename(root / "moved")
        (root / "d").symlink_to(outside)
        return location

    monkeypatch.setattr(workspace._guard, "reach", swap)
    with pytest.raises(ToolError, match=r"link|not a directory|changed"):
        {
            "read": lambda: workspace.read("d/f"),
            "write": lambda: workspace.write("d/f", b"new", expected=b"inside"),
            "create": lambda: workspace.write("d/new", b"new", expected=None),
        }[operation]()
    assert list(outside.iterdir()) == [outside / "f"]
    assert (outside / "f").read_bytes() == b"inside"


@pytest.mark.invariant("F1")
def test_a_directory_swapped_all_the_time_never_leads_out(tmp_path: Path):
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (root / "d", outside):
        folder.mkdir(parents=True)
    (root / "d" / "f").write_bytes(b"inside")
    (outside / "f").write_bytes(b"secret")
    (root / "link").symlink_to(outside)
    ended = threading.Event()
    exchange = ctypes.CDLL(None, use_errno=True).renameat2
    names = [-1, os.fsencode(root / "d"), -1, os.fsencode(root / "link")]

    def swap() -> None:
        while not ended.is_set():
            assert exchange(*names, RENAME_EXCHANGE) == 0

    swapper = threading.Thread(target=swap)
    swapper.start()
    workspace, read = Workspace(root), []
    try:
        for _ in range(300):
            for act in (
                lambda: read.append(workspace.read("d/f")),
                lambda: workspace.write("d/f", b"inside", expected=b"secret"),
                lambda: workspace.write("d/new", b"new", expected=None),
                lambda: read.extend(entry.path.encode() for entry in workspace.walk("d")),
            ):
                with contextlib.suppress(ToolError):
                    act()
    finally:
        ended.set()
        swapper.join()
    assert set(read) <= {b"inside", b"d/f", b"d/new"}
    assert [path.name for path in outside.iterdir()] == ["f"]
    assert (outside / "f").read_bytes() == b"secret"


def test_a_link_replaced_between_two_looks_is_an_error(tmp_path: Path, monkeypatch):
    (tmp_path / "link").symlink_to("f")

    def gone(path: str) -> str:
        raise FileNotFoundError(path)

    monkeypatch.setattr(os, "readlink", gone)
    with pytest.raises(ToolError, match=r"try again|meanwhile"):
        Workspace(tmp_path).read("link")

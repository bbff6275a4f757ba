"""Every row of edits.jsonl: the bytes that an editing tool makes of a file.

Bytes are written as characters of the same number. A row is run on a plain file, on a file
reached through a link, and on a file with two names; what is refused leaves everything as it was.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from testbed.bench import asked
from testbed.corpora import rows

from agent_cli.tools.registry import built_in
from agent_cli.types.errors import ToolError

ROWS = rows("edits")
MODE = 0o640


def plain(folder: Path) -> Path:
    return folder / "f"


def linked(folder: Path) -> Path:
    (folder / "f").symlink_to("real/file")
    (folder / "real").mkdir()
    return folder / "real/file"


def twice_named(folder: Path) -> Path:
    (folder / "other").mkdir()
    return folder / "f"


@pytest.mark.invariant("F7", "F8")
@pytest.mark.parametrize("lay", [plain, linked, twice_named])
@pytest.mark.parametrize("row", ROWS)
def test_the_bytes_of_an_edit(tmp_path: Path, row: Any, lay: Callable[[Path], Path]):
    target = lay(tmp_path)
    if row["before"] is not None:
        target.write_bytes(row["before"].encode("latin-1"))
        target.chmod(MODE)
        if lay is twice_named:
            os.link(target, tmp_path / "other/name")
    before = everything(tmp_path)
    if "refused" in row:
        with pytest.raises((ToolError, msgspec.ValidationError), match=row["refused"]):
            edit(row, tmp_path)
        assert everything(tmp_path) == before
        return
    edit(row, tmp_path)
    assert target.read_bytes() == row["after"].encode("latin-1")
    if row["before"] is not None:
        assert target.stat().st_mode & 0o777 == MODE
        made = {name for name, *_ in everything(tmp_path)} - {name for name, *_ in before}
        assert made == set()
        assert target.stat().st_nlink == (2 if lay is twice_named else 1)
        assert (tmp_path / "f").is_symlink() == (lay is linked)


def edit(row: Any, root: Path) -> None:
    """Use the tool as the runtime does, the user having seen what it would do."""
    tool = asked(built_in()[row["tool"]], root, path="f", **row["arguments"])
    tool.effects()
    tool.preview()
    tool.run(approved=True)


def everything(folder: Path) -> set[tuple[str, int, int, int, bytes]]:
    """Return what could differ after a refusal; the time of reading is left out."""
    return {
        (str(path), found.st_mode, found.st_mtime_ns, found.st_ino, content(path))
        for path in (folder, *folder.rglob("*"))
        for found in [path.lstat()]
    }


def content(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def test_there_are_enough_rows():
    assert len(ROWS) >= 100

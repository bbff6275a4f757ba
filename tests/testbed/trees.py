"""Trees of files for the corpus of paths: built from a row, and compared."""

import os
import socket
from pathlib import Path
from typing import Any

BASE = {
    "a.txt": "x\nalpha\n",
    "src/b.py": "x\nbeta\n",
    "../outside/s.txt": "x\nCANARY\n",
    "../outside/CANARY": "x\n",
    "../root-2/s.txt": "x\nCANARY\n",
}


def build(place: Path, row: Any) -> Path:
    """Make the row's tree; return its root, `root` in the place."""
    root = place / "root"
    for name, what in (BASE | row.get("tree", {})).items():
        _make(root, root / name, what)
    for name, mode in row.get("modes", {}).items():
        (root / name).chmod(mode)
    return root


def _make(root: Path, path: Path, what: Any) -> None:
    if what is None:
        path.mkdir(parents=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    match what:
        case str():
            path.write_text(what, encoding="utf-8")
        case {"link": to}:
            path.symlink_to(spelled(to, root))
        case {"name_of": other}:
            os.link(root / other, path)
        case {"fifo": True}:
            os.mkfifo(path)
        case {"socket": True}:
            _bind(path)
        case _:
            raise AssertionError(what)


def _bind(path: Path) -> None:
    before = Path.cwd()
    os.chdir(path.parent)  # the name of a socket has room for a hundred bytes
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path.name)
    finally:
        os.chdir(before)


def spelled(path: str, root: Path) -> str:
    return path.replace("{root}", str(root)).replace("{outside}", str(root.parent / "outside"))


def state(place: Path) -> dict[str, tuple[int, int, int, bytes]]:
    """Return what could have been changed, by name; the times of reading are left out."""
    found: dict[str, tuple[int, int, int, bytes]] = {}
    for folder, folders, files in os.walk(place):
        for name in [*folders, *files]:
            path = Path(folder, name)
            one = path.lstat()
            data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            found[str(path)] = (one.st_mode, one.st_mtime_ns, one.st_ino, data)
    return found

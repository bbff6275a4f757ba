"""A workspace with every trap for the path gate in it."""

import os
from pathlib import Path

SECRET = b"outside secret"


def lay_traps(place: Path) -> Path:
    """A root with every trap in it, next to what must stay out of reach."""
    root = place / "root"
    outside = place / "outside"
    sibling = place / "root-2"
    for folder in (root / "src", root / ".git" / "hooks", root / "vault", outside, sibling):
        folder.mkdir(parents=True)
    for path, content in {
        root / "a.txt": b"a",
        root / "src" / "b.py": b"b",
        root / ".git" / "config": b"[core]",
        root / "vault" / "key": b"hidden",
        root / "pass.key": b"hidden",
        root / ".agentignore": b"vault/\n*.key\n!open.key\n",
        outside / "s.txt": SECRET,
        sibling / "s.txt": SECRET,
    }.items():
        path.write_bytes(content)
    links = {
        "to-a": "a.txt",
        "to-src": "src",
        "out": str(outside),
        "out-file": str(outside / "s.txt"),
        "src/up-out": "../../outside",
        "chain": "chain2",
        "chain2": "out-file",
        "dangling-out": str(outside / "new.txt"),
        "dangling-in": "src/new.txt",
        "loop": "loop",
        "innocent": "vault/key",
        "innocent-dir": "vault",
        "to-git": ".git",
        "self": ".",
        "abs-in": str(root / "a.txt"),
    }
    for name, leads in links.items():
        (root / name).symlink_to(leads)
    os.mkfifo(root / "pipe")
    os.link(root / "vault" / "key", root / "hard")
    return root

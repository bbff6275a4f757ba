"""Which program searches, and with which words it is started."""

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from agent_cli.tools._search_hits import MOST_LINES, by_name
from agent_cli.workspace.gate import Workspace

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_SIMPLE = re.compile(r"[A-Za-z0-9_.*?\-]+")
_MOST_PATTERNS = 64
_QUICK = 10
"""Seconds for a search that another one can follow."""
_BOUNDED = 'ulimit -v 4194304 2>/dev/null; exec "$0" "$@"'
"""A line of a large file may be as long as the file: such a search shall break off at 4 GiB."""
_CHILD = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from agent_cli.tools._search_child import main; sys.exit(main())"
)


class Search(Struct, frozen=True):
    """What is searched for, and where."""

    regex: str
    target: str
    """As an effect spells it: relative to the root, or absolute."""
    is_file: bool
    patterns: tuple[str, ...]
    """Of the names of files, in the manner of .gitignore; none means every file."""


class Start(Struct, frozen=True):
    argv: tuple[str, ...]
    stdin: bytes = b""
    patience: int | None = None
    """Seconds that it has, if fewer than any search."""


class Names:
    """The pattern of file names: the spec is built once, the pattern asked for every file."""

    def __init__(self, search: Search) -> None:
        self._top = "" if search.target == "." else search.target.rstrip("/") + "/"
        self._spec = _spec(search.patterns) if search.patterns and not search.is_file else None

    def wants(self, path: str) -> bool:
        return self._spec is None or self._spec.match_file(path.removeprefix(self._top))


def expand(pattern: str | None) -> tuple[str, ...]:
    """Return the patterns that `*.{ts,tsx}` and its like stand for."""
    waiting = [pattern.strip()] if pattern and pattern.strip() not in {"", "*"} else []
    done: list[str] = []
    while waiting and len(waiting) + len(done) <= _MOST_PATTERNS:
        one = waiting.pop(0)
        found = _BRACES.search(one)
        if found is None:
            done.append(one)
            continue
        before, after = one[: found.start()], one[found.end() :]
        waiting += [f"{before}{choice}{after}" for choice in found[1].split(",")]
    return tuple(done + waiting)


def ripgrep() -> str | None:
    """Return ripgrep's path: the user's, else the one that was installed beside us."""
    import shutil  # noqa: PLC0415 - 4 ms with the next, and only a search needs them
    import sysconfig  # noqa: PLC0415 - as above

    beside = Path(sysconfig.get_path("scripts")) / "rg"
    return shutil.which("rg") or (str(beside) if os.access(beside, os.X_OK) else None)


def with_ripgrep(program: str, search: Search) -> tuple[Start, ...]:
    """Search with ripgrep, without the configuration it would find: quickly, else with care.

    The quick search uses every core, so it finds in no order, and takes large files along, since
    to ask for the size of each file takes a quarter of the time. The careful one goes by name and
    leaves them out; it is there for what the quick one has not brought to its end.
    """
    types: tuple[str, ...] = ()
    if search.patterns and all(_SIMPLE.fullmatch(pattern) for pattern in search.patterns):
        # Not --glob: that would also bring back what .gitignore covers.
        types = tuple(f"--type-add=wanted:{pattern}" for pattern in search.patterns)
        types += ("--type=wanted",)
    words = (
        "--no-config", "--json", "--context=1", "--no-messages", f"--max-count={MOST_LINES + 1}",
        "--hidden", "--glob=!.git", "--no-require-git", "--no-ignore-dot", "--no-ignore-global",
        *types, f"--regexp={search.regex}", "--", search.target,
    )  # fmt: skip
    return (
        Start(("/bin/sh", "-c", _BOUNDED, program, *words), patience=_QUICK),
        Start((program, "--sort=path", "--max-filesize=64M", *words)),
    )


def with_python(search: Search, workspace: Workspace) -> tuple[Start, ...]:
    """Search with our own program; raises ToolError where there are too many files."""
    names = Names(search)
    if search.is_file:
        paths = [search.target]
    else:
        entries = workspace.walk(search.target)
        paths = [
            entry.path
            for entry in entries
            if not entry.is_dir and not entry.is_link and names.wants(entry.path)
        ]
    root = str(Path(__file__).parents[2])
    stdin = b"\0".join([search.regex.encode(), *map(os.fsencode, sorted(paths, key=by_name))])
    return (Start((sys.executable, "-I", "-c", _CHILD, root), stdin),)


def _spec(patterns: tuple[str, ...]) -> "GitIgnoreSpec":
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - 28 ms, and most searches need none

    return GitIgnoreSpec.from_lines(patterns)

"""How long the index of code takes to be made, and to be asked, over some 5,000 files.

    python -m pytest -m benchmark -n0 -s tests/benchmarks/test_code_index.py

prints a table; nothing is asserted but that what is looked for is found.
"""

import asyncio
import time
from pathlib import Path

import pytest

from agent_cli.index.question import Found, Question
from agent_cli.index.search import Index
from agent_cli.workspace.gate import Workspace

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(900)]

FILES = 5000
ENDINGS = (".py", ".go", ".ts", ".rs", ".md", ".txt")
SOURCES = sorted(Path(__file__).parents[2].glob("agent_cli/**/*.py"))
OTHERS = {
    ".go": "package p\n\nfunc Number{n}(value int) int {{\n\treturn value + {n}\n}}\n\n",
    ".ts": "export function number{n}(value: number): number {{\n  return value + {n};\n}}\n\n",
    ".rs": "fn number_{n}(value: i64) -> i64 {{\n    value + {n}\n}}\n\n",
    ".md": "# Part {n}\n\nWhat is written of the number {n} and its value.\n\n",
    ".txt": "A line about the number {n}.\n\n",
}


def plant(root: Path) -> int:
    """Make the tree: every other file is one of our own sources; return its size."""
    size = 0
    for number in range(FILES):
        ending = ".py" if number % 2 else ENDINGS[1 + number // 2 % 5]
        text = (
            SOURCES[number // 2 % len(SOURCES)].read_text() + f"\n# copy {number}\n"
            if ending == ".py"
            else "".join(OTHERS[ending].format(n=number * 40 + n) for n in range(40))
        )
        place = root / f"part{number % 50}" / f"file{number}{ending}"
        place.parent.mkdir(exist_ok=True)
        place.write_text(text)
        size += len(text)
    return size


class Watched:
    """Searches, and measures how long the loop had to wait for its turn meanwhile.

    What counts of a wait is the time in which this process was running at all.
    """

    def __init__(self, root: Path, cache: Path) -> None:
        self._index = Index(cache)
        self._workspace = Workspace(root)

    def search(self, words: str) -> tuple[Found, float, float]:
        return asyncio.run(self._search(words))

    async def _search(self, words: str) -> tuple[Found, float, float]:
        lag = 0.0

        async def watch() -> None:
            nonlocal lag
            while True:
                begun, used = time.monotonic(), time.process_time()
                await asyncio.sleep(0.005)
                waited = time.monotonic() - begun - 0.005
                lag = max(lag, min(waited, time.process_time() - used))

        watching = asyncio.create_task(watch())
        begun = time.monotonic()
        found = await self._index.search(Question(words), self._workspace, lambda _: None)
        taken = time.monotonic() - begun
        watching.cancel()
        return found, taken, lag


def test_the_index_of_code(tmp_path: Path):
    root = tmp_path / "root"
    root.mkdir()
    size = plant(root)
    watched = Watched(root, tmp_path / "cache")
    print(f"\n{FILES} files, {size / 1e6:.1f} MB")

    def report(name: str, words: str) -> None:
        found, taken, lag = watched.search(words)
        assert found.hits
        print(f"{name:44} {taken:7.3f} s   the loop waits at most {lag * 1000:4.0f} ms")
        for note in found.notes:
            print("   ", note)

    report("first search, which makes the index", "where is the journal written")
    for words in ("where is the journal written", "number value", "parse arguments strictly"):
        report(f"search {words!r}", words)
    for number in range(1, 100, 2):
        (root / f"part{number % 50}" / f"file{number}.py").write_text(f"changed = {number}\n")
    report("search after 50 files have changed", "changed")
    (database,) = (tmp_path / "cache").glob("*.db")
    print(f"database: {database.stat().st_size / 1e6:.1f} MB")

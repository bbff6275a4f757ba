"""How fast `@` finds files in a tree of 100,000.

    python -m pytest -m benchmark -n0 -s tests/benchmarks/test_file_completion.py

prints a table; nothing is asserted but that what is looked for is found. A key press is the whole
way: from the text that is being typed to the last name that is offered for it.
"""

import asyncio
import statistics
import time
import tracemalloc
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from agent_cli.frontends.terminal.completion import Completions
from agent_cli.frontends.terminal.file_names import FileNames
from agent_cli.workspace.gate import Workspace

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(1800)]

PACKAGES, FOLDERS, FILES = 50, 20, 100
"""Multiplied, 100,000 files."""
RUNS = 7
WORDS = ("account", "config", "invoice", "model", "parser", "session", "view", "widget")
TYPED = ("p", "se", "sess", "session99", "seswid", "pkg7/inv", "zzz", "package9/session_view")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("big") / "root"
    for number in range(PACKAGES * FOLDERS * FILES):
        package, rest = divmod(number, FOLDERS * FILES)
        folder = root / f"package{package}" / f"{WORDS[rest // FILES % 8]}{rest // FILES}"
        if number % FILES == 0:
            folder.mkdir(parents=True)
        (folder / f"{WORDS[number % 8]}_{WORDS[number // 8 % 8]}{number}.py").touch()
    (root / ".gitignore").write_text("*.log\nbuild/\n*.py[cod]\n")
    return root


def test_completion(tree: Path):
    files = FileNames(Workspace(tree))
    tracemalloc.start()
    begun = time.monotonic()
    first = files.wanted()
    assert first is not None
    first.result(600)
    took = time.monotonic() - begun
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(f"\nthe list: {took * 1e3:.0f} ms in the background, traced; {held / 2**20:.0f} MiB")
    completions = Completions(tuple, files)
    for typed in TYPED:
        print(asyncio.run(measured(completions, typed)))


async def measured(completions: Completions, typed: str) -> str:
    times: list[float] = []
    found: list[str] = []
    for _ in range(RUNS):
        begun = time.monotonic()
        source = completions.get_completions_async(Document(f"see @{typed}"), CompleteEvent())
        found = [completion.text async for completion in source]
        times.append(time.monotonic() - begun)
    assert bool(found) == (typed != "zzz")
    median, most = statistics.median(times) * 1e3, max(times) * 1e3
    return f"@{typed:24}{median:6.0f} ms, at most {most:4.0f}; {' '.join(found[:1])}"

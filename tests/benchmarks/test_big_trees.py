"""How fast a tree of 50,000 files is searched and listed, as ratios to ripgrep and to git.

    python -m pytest -m benchmark -n0 -s tests/benchmarks/test_big_trees.py

prints a table; nothing is asserted but that what is looked for is found. Our call and its floor
take turns, so that what else the machine does meets both.
"""

import asyncio
import shutil
import statistics
import subprocess
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from testbed.bench import Bench

from agent_cli.tools import list_files, search_files
from agent_cli.workspace.gate import Workspace

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(1800)]

RUNS = 9
PACKAGES, FOLDERS, FILES = 50, 20, 50
"""Multiplied, 50,000 files."""
LINE = "def number_{n}(value: int) -> int:  # what is written of a number\n    return value + {n}\n"

Call = Callable[[], Awaitable[str]]


def plant(root: Path) -> None:
    for number in range(PACKAGES * FOLDERS * FILES):
        package, rest = divmod(number, FOLDERS * FILES)
        folder = root / f"package{package}" / f"folder{rest // FILES}"
        if number % FILES == 0:
            folder.mkdir(parents=True)
        text = "".join(LINE.format(n=number + n) for n in range(4 + number % 17))
        rare = "rare = True\n" if number % 1000 == 500 else ""
        (folder / f"file{number}.py").write_text(text + rare)
    for package in range(0, PACKAGES, 5):
        (root / f"package{package}" / ".gitignore").write_text("*.o\n/local/\n")
    (root / ".gitignore").write_text("*.log\nbuild/\nnode_modules/\n*.py[cod]\n!keep.log\n")
    (root / ".agentignore").write_text("secrets/\n*.token\n")


def adopt(root: Path) -> None:
    for words in (["init", "--quiet"], ["add", "--all"]):
        subprocess.run(["git", *words], cwd=root, check=True)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("big") / "root"
    plant(root)
    adopt(root)
    return root


def against(call: Call, name: str, floor: list[str], cwd: Path) -> str:
    """Take turns with the floor; return the medians, their ratio, and our own process' CPU.

    What the first call of a session takes longer does not count.
    """
    ours: list[float] = []
    theirs: list[float] = []
    used: list[float] = []

    async def measure() -> None:
        await call()
        for _ in range(RUNS):
            begun, cpu = time.monotonic(), time.process_time()
            await call()
            ours.append(time.monotonic() - begun)
            used.append(time.process_time() - cpu)
            begun = time.monotonic()
            subprocess.run(floor, cwd=cwd, stdout=subprocess.PIPE, check=False)  # noqa: ASYNC221 - alone
            theirs.append(time.monotonic() - begun)

    asyncio.run(measure())
    mine, floors, cpu = map(statistics.median, (ours, theirs, used))
    return (
        f"{mine * 1e3:6.0f} ms (our CPU {cpu * 1e3:4.0f})   {name:14}{floors * 1e3:6.0f} ms"
        f"  {mine / floors:5.2f} x"
    )


SEARCHES = {
    "nothing found": ("no such words", "Found 0 "),
    "50 found": ("^rare = ", "Found 50 "),
    "names of files": ("^rare = ", "Found 50 "),
    "more than is shown": ("written of a number", "Showing first "),
}


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed")
def test_search(tree: Path, name: str):
    regex, expected = SEARCHES[name]
    bench = Bench(search_files.TOOL, tree)
    names = {"file_pattern": "*.py"} if name == "names of files" else {}

    async def call() -> str:
        text = await bench.start(path=".", regex=regex, **names)
        assert isinstance(text, str)
        assert text.startswith(expected)
        return text

    glob = ["--glob=*.py"] if names else []
    for sort in ([], ["--sort=path"]):
        floor = ["rg", *sort, "--no-config", "--line-number", *glob, regex, "."]
        result = against(call, " ".join(["rg", *sort]), floor, tree)
        print(f"\nsearch_files, {name:24}{result}", end="")


GIT = ["git", "ls-files", "-co", "--exclude-standard"]


def listing(root: Path, *, recursive: bool, expected: str) -> str:
    bench = Bench(list_files.TOOL, root)

    async def call() -> str:
        text = await bench.start(path=".", recursive=recursive)
        assert isinstance(text, str)
        assert expected in text
        return text

    return against(call, "git ls-files", GIT, root)


def test_list(tree: Path):
    result = listing(tree, recursive=True, expected="ends here")
    print(f"\nlist_files, everything{result:>80}")


def test_list_one_folder(tmp_path: Path):
    (tmp_path / "root").mkdir()
    for number in range(50_000):
        (tmp_path / "root" / f"file{number}").touch()
    adopt(tmp_path / "root")
    result = listing(tmp_path / "root", recursive=False, expected="ends here")
    print(f"\nlist_files, one folder{result:>80}")


def test_list_where_most_is_hidden(tmp_path: Path):
    for number in range(50_000):
        folder = tmp_path / "root" / f"folder{number // 500}"
        if number % 500 == 0:
            folder.mkdir(parents=True)
        (folder / f"file{number}.o").touch()
    (tmp_path / "root" / ".gitignore").write_text("*.o\n*.log\nbuild/\n!keep.log\n")
    (tmp_path / "root" / "folder99" / "last.py").touch()
    adopt(tmp_path / "root")
    result = listing(tmp_path / "root", recursive=True, expected="last.py")
    print(f"\nlist_files, most is hidden{result:>76}")


def test_walk(tree: Path):
    async def call() -> str:
        count = sum(1 for _ in Workspace(tree).walk("."))
        assert count >= PACKAGES * FOLDERS * FILES
        return str(count)

    result = against(call, "git ls-files", GIT, tree)
    print(f"\nevery name through the gate{result:>75}")

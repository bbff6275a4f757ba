"""What an edit of a file of 10 MB takes: time, and memory beside that of merely reading it.

    python -m pytest -m benchmark -n0 -s tests/benchmarks/test_large_edits.py

prints a table; nothing is asserted but that the edits are made.
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest
from testbed.bench import Bench, ToolUse

from agent_cli.tools import apply_diff
from agent_cli.types.errors import ToolError

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(600)]

RUNS = 7
LINES = 200_000
PLACE = 150_000
"""Of the line that is edited."""


def line(number: int) -> str:
    return f"    value_{number} = compute(number={number}, scale={number % 97})"


def block(search: str, replace: str, *, start: int | None) -> str:
    at = "" if start is None else f":start_line:{start}\n-------\n"
    return f"<<<<<<< SEARCH\n{at}{search}\n=======\n{replace}\n>>>>>>> REPLACE\n"


def three(number: int) -> str:
    return "\n".join(map(line, range(number, number + 3)))


def loose(text: str) -> str:
    return text.replace(" = ", "  =  ")


EDITS = {
    "one block with its line": block(three(PLACE), "    pass", start=PLACE),
    "one block, no line": block(three(PLACE), "    pass", start=None),
    "blanks that differ": block(loose(three(PLACE)), "    pass", start=PLACE),
    "blanks that differ, no line": block(loose(three(PLACE)), "    pass", start=None),
    "twenty blocks": "".join(
        block(three(n), "    pass", start=n) for n in range(5000, LINES, LINES // 20)
    ),
}
LOST = block("nothing like this\nstands in the file", "    pass", start=PLACE)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    return root


def lay(root: Path) -> int:
    text = "".join(line(number) + "\n" for number in range(1, LINES + 1))
    (root / "large.py").write_text(text)
    return len(text)


def seconds(call: ToolUse, step: str) -> float:
    begun = time.monotonic()
    if step == "preview":
        call.preview()
    else:
        call.run(approved=True)
    return time.monotonic() - begun


@pytest.mark.parametrize("name", EDITS)
def test_edit(root: Path, name: str):
    call = Bench(apply_diff.TOOL, root).call(path="large.py", diff=EDITS[name])
    taken: dict[str, list[float]] = {"preview": [], "run": []}
    size = 0
    for _ in range(RUNS):
        size = lay(root)
        for step, times in taken.items():
            times.append(seconds(call, step))
        assert (root / "large.py").stat().st_size < size
    preview, run = (statistics.median(times) * 1e3 for times in taken.values())
    print(
        f"\napply_diff, {size / 1e6:.0f} MB, {name:28} {run:6.0f} ms, its preview {preview:6.0f} ms"
    )


def test_edit_that_fails(root: Path):
    lay(root)
    call = Bench(apply_diff.TOOL, root).call(path="large.py", diff=LOST)
    taken: list[float] = []
    for _ in range(RUNS):
        begun = time.monotonic()
        with pytest.raises(ToolError, match="no lines match"):
            call.run(approved=True)
        taken.append(time.monotonic() - begun)
    print(f"\napply_diff, a block that stands nowhere{statistics.median(taken) * 1e3:15.0f} ms")


MEMORY = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[1].split(":")
from testbed.bench import Bench
from agent_cli.tools import apply_diff
call = Bench(apply_diff.TOOL, Path(sys.argv[2])).call(path="large.py", diff=sys.argv[3])
match sys.argv[4]:
    case "read": call.context.workspace.read("large.py")
    case "preview": call.preview()
    case "run": call.run(approved=True)
print(next(row for row in open("/proc/self/status") if row.startswith("VmHWM")).split()[1])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what was the most")
def test_memory_of_an_edit(root: Path):
    here = Path(__file__)
    paths = f"{here.parents[1]}:{here.parents[2]}"
    most: dict[str, float] = {}
    for step in ("nothing", "read", "preview", "run"):
        lay(root)
        argv = [sys.executable, "-c", MEMORY, paths, str(root), EDITS["one block, no line"], step]
        done = subprocess.run(argv, check=True, capture_output=True, text=True)
        most[step] = int(done.stdout) / 1024
    bare = most.pop("nothing")
    parts = ", ".join(f"{step} {memory - bare:.0f} MiB" for step, memory in most.items())
    print(f"\napply_diff, memory beside the bare program's {bare:.0f} MiB: {parts}")

"""The terminal as a whole: how soon its prompt is there, and what it costs to stream to it.

    python -m pytest -m benchmark -n0 -s tests/benchmarks/test_terminal_live.py

CPU times of the child process; nothing is asserted but that everything is shown.
"""

import os
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from testbed.replies import Delivery, Say
from testbed.run_agent import environment, start_agent
from testbed.server import ModelServer
from testbed.terminals import PROMPT

pytestmark = pytest.mark.benchmark

MODEL = ["-m", "anthropic/test-model"]
EMPTY = "from prompt_toolkit import PromptSession; PromptSession().prompt('> ')"
RUNS = 5
SECTION = """## What was found

The function `resolve` in **paths.py** takes *any* string, and the manual says that it returns an
absolute path. It does not: the value is joined *before* it is normalised.

- add a test for **links**
- add a test for `..` in the middle

```python
def resolve(root: Path, name: str) -> Path:
    return (root / name).resolve()
```

"""
SIZE = 500_000
PIECES = 5_000


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def ready(start: Any) -> float:
    """Seconds until the prompt is there, the best of several."""
    times: list[float] = []
    for _ in range(RUNS):
        begun = time.perf_counter()
        terminal = start()
        terminal.expect(PROMPT)
        times.append(time.perf_counter() - begun)
        terminal.close(force=True)
    return min(times)


def empty(home: Path) -> Any:
    pexpect: Any = import_module("pexpect")
    env = environment(home, None)
    return pexpect.spawn(sys.executable, ["-c", EMPTY], env=env, encoding="utf-8", timeout=30)


def test_the_prompt_is_ready(project: Path, home: Path):
    with ModelServer([]) as server:
        ours = ready(lambda: start_agent(MODEL, cwd=project, home=home, server=server))
    theirs = ready(lambda: empty(home))
    print(f"\nprompt after {ours * 1000:.0f} ms, {ours / theirs:.1f} x an empty one")


@pytest.mark.parametrize("between", [0.0, 0.001], ids=["as fast as it goes", "over seconds"])
def test_half_a_megabyte_is_streamed(between: float, project: Path, home: Path):
    text = (SECTION * (SIZE // len(SECTION) + 1))[:SIZE] + "\n\nThe very end.\n"
    delivery = Delivery(piece=SIZE // PIECES, between=between)
    with ModelServer([Say(text, delivery=delivery)]) as server:
        terminal = start_agent([*MODEL, "Go."], cwd=project, home=home, server=server)
        terminal.setwinsize(40, 100)
        terminal.expect("Esc stops")
        before, begun, seen = cpu(terminal.pid), time.perf_counter(), ""
        while "very end." not in seen:
            seen = seen[-20:] + terminal.read_nonblocking(65_536, 60)
        took, used = time.perf_counter() - begun, cpu(terminal.pid) - before
        terminal.expect(PROMPT)
        terminal.sendeof()
        terminal.wait()
        terminal.close()
    print(f"\n{SIZE:,} characters in {PIECES:,} pieces: {used:.2f} s CPU in {took:.2f} s")


def cpu(pid: int) -> float:
    """CPU seconds that the process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

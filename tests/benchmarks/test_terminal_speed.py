"""How much it costs to show a streamed text, against printing the same bytes as they are.

    python -m pytest -m benchmark -n0 -s tests/benchmarks/test_terminal_speed.py

CPU times of this process, the best of several; nothing is asserted but that the text is shown, and
that ten times as much text costs ten times as much.
"""

import io
import time
from collections.abc import Callable

import pytest
from rich.console import Console
from rich.text import Text

from agent_cli.frontends.terminal.markdown_stream import MarkdownStream
from agent_cli.frontends.terminal.theme import THEMES

pytestmark = pytest.mark.benchmark

PIECE = 100
SECTION = """## Section: what was found

The function `resolve` in **paths.py** takes *any* string, and the [manual](http://127.0.0.1/manual)
says that it returns an absolute path. It does not: the value is joined *before* it is normalised,
so a link that points outside is followed, and whoever calls it has to look at the result again.

1. Read the file and look at the callers of `resolve`
   - add a test for **links**
   - add a test for `..` in the middle
2. Change the order: normalise, then join

```python
def resolve(root: Path, name: str) -> Path:
    \"\"\"Return the path inside of root, or raise.\"\"\"
    path = (root / name).resolve()
    if not path.is_relative_to(root.resolve()):
        raise ValueError(f"{name!r} is outside of {root}")  # nothing is followed
    return path
```

| file | lines | verdict |
|------|------:|:-------:|
| `paths.py` | 12 | changed |
| `tests/test_paths.py` | 40 | **new** |

> The *second* caller relies on the old behaviour; it is changed as well.

"""
SHAPES = {
    "mixed": SECTION,
    "one fence": "def f(x: int) -> str:  # a line of code\n",
    "one table": "| some *text* | `code` | more |\n",
    "one list": "- an item of a **list** that goes on\n",
    "one line": "word *and* other ",
    "one word": "x",
    "quotations": "> > said by *somebody*\n",
    "brackets": "[[](",
}
HEADS = {"one fence": "```python\n", "one table": "| a | b | c |\n|---|---|---|\n"}


def text_of(shape: str, size: int) -> str:
    part = SHAPES[shape]
    return (HEADS.get(shape, "") + part * (size // len(part) + 1))[:size]


def screen() -> Console:
    return Console(
        file=io.StringIO(), width=100, height=40, force_terminal=True, color_system="truecolor"
    )


def shown(text: str) -> str:
    console, stream = screen(), MarkdownStream(THEMES["dark"])
    for start in range(0, len(text), PIECE):
        for block in stream.feed(text[start : start + PIECE]):
            console.print(block)
    for block in stream.flush():
        console.print(block)
    return console.file.getvalue()  # type: ignore[attr-defined] - a StringIO


def as_it_is(text: str) -> str:
    console = screen()
    for line in text.split("\n"):
        console.print(Text(line))
    return console.file.getvalue()  # type: ignore[attr-defined] - as above


def cost(show: Callable[[str], str], text: str, runs: int = 3) -> float:
    def once() -> float:
        begun = time.process_time()
        assert len(show(text)) > len(text) // 3
        return time.process_time() - begun

    return min(once() for _ in range(runs))


@pytest.mark.parametrize("shape", SHAPES)
def test_half_a_megabyte_in_five_thousand_pieces(shape: str):
    text = text_of(shape, 500_000)
    shown(text_of(shape, 5_000))
    ours, floor = cost(shown, text), cost(as_it_is, text)
    print(f"\n{shape}: {ours:.2f} s CPU, {ours / floor:.1f} x printing it as it is ({floor:.2f} s)")


@pytest.mark.parametrize("shape", SHAPES)
def test_ten_times_as_much_costs_ten_times_as_much(shape: str):
    shown(text_of(shape, 5_000))
    small, large = (cost(shown, text_of(shape, size), 1) for size in (300_000, 3_000_000))
    print(f"\n{shape}: 0.3 MB {small:.2f} s, 3 MB {large:.2f} s CPU: {large / small:.1f} x")
    assert large < 20 * small + 0.5

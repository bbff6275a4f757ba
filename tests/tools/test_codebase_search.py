import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace
from testbed.bench import Bench

from agent_cli.index import refresh
from agent_cli.index.search import Index
from agent_cli.tools import codebase_search
from agent_cli.tools.base import Services
from agent_cli.types.approval import Words
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import BlockedPathError, ToolError
from agent_cli.types.outcomes import Code


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    root = (tmp_path / "root").resolve()
    (root / "src").mkdir(parents=True)
    (root / "src/bank.py").write_text("def transfer_money():\n    return 1\n")
    bench = Bench(codebase_search.TOOL, root)
    services = Services(index=Index(tmp_path / "cache"))
    bench.context = replace(bench.context, services=services)
    return bench


def test_a_hit_shows_path_score_lines_and_text(bench: Bench):
    assert bench.text(query="where is money transferred", path="src") == (
        "Query: where is money transferred\nResults:\n\nFile path: src/bank.py\nScore: 1.00\n"
        "Lines: 1-3\nCode Chunk:\ndef transfer_money():\n    return 1\n"
    )


@pytest.mark.parametrize("path", [None, ".", "src/", "src/bank.py"])
def test_it_searches_where_it_is_told(bench: Bench, path: str | None):
    assert "File path: src/bank.py" in bench.text(query="money", path=path)


def test_nothing_found_is_said(bench: Bench):
    assert bench.text(query="zanzibar") == "Nothing fits 'zanzibar' in 1 files."


def test_what_is_missing_from_the_index_is_said(bench: Bench, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(refresh, "FILES", 0)
    assert "\nNote: only the first 0 files are in the index" in bench.text(query="money")


def test_an_empty_query_is_an_error(bench: Bench):
    with pytest.raises(ToolError, match="no word") as caught:
        bench.run(query=" ")
    assert caught.value.code is Code.INVALID_ARGUMENTS


def test_a_path_that_is_not_there_is_an_error(bench: Bench):
    with pytest.raises(ToolError, match="does not exist"):
        bench.run(query="money", path="gone")


def test_a_refused_path_is_refused(bench: Bench):
    (bench.root / ".agentignore").write_text("src\n")
    with pytest.raises(BlockedPathError):
        bench.run(query="money", path="src")


def test_outside_the_workspace_there_is_no_index(bench: Bench, tmp_path: Path):
    with pytest.raises(ToolError, match="outside the workspace"):
        bench.run(query="money", path=str(tmp_path))


def test_it_is_not_offered_without_an_index(bench: Bench):
    assert not bench.tool.available(Services())
    assert bench.tool.available(bench.context.services)
    bench.context = replace(bench.context, services=Services())
    with pytest.raises(ToolError, match="no index"):
        bench.run(query="money")


def test_it_reads_and_says_so(bench: Bench):
    assert bench.effects(query="money") == (Effect(Kind.READ, "."),)
    assert bench.preview(query="money") == Words("search '.' for what fits 'money'")


def test_the_loop_goes_on_while_the_index_is_made(bench: Bench):
    """Other tasks get their turn; how soon is for the benchmark to say."""
    for number in range(100):
        (bench.root / f"{number}.py").write_text(f"def money{number}():\n    pass\n" * 50)
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0.001)
            turns += 1

    async def search() -> None:
        counting = asyncio.create_task(count())
        await bench.start(query="money")
        counting.cancel()

    asyncio.run(search())
    assert turns > 5

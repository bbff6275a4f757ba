import asyncio
import io
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from testbed.bench import Bench

from agent_cli.processes.run import Finished
from agent_cli.tools import _search_child, search_files
from agent_cli.tools._search_engine import Start, expand
from agent_cli.tools._search_hits import Hits
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code

EXPANSIONS = [
    (None, ()),
    (" * ", ()),
    ("*.py", ("*.py",)),
    ("*.{a,b}", ("*.a", "*.b")),
    ("{a,b}/{c,d}", ("a/c", "a/d", "b/c", "b/d")),
    ("{a,{b,c}}", ("a", "b", "a", "c")),
    ("{a}", ("{a}",)),
    ("{a,", ("{a,",)),
]


@pytest.mark.parametrize(("pattern", "expected"), EXPANSIONS)
def test_braces_are_several_patterns(pattern: str | None, expected: tuple[str, ...]):
    assert sorted(expand(pattern)) == sorted(expected)


def test_braces_do_not_explode():
    assert len(expand("{a,b}" * 30)) < 200


REPORT = (
    '{"type":"begin","data":{"path":{"text":"./a"}}}\n'
    '{"type":"match","data":{"lines":{"text":"x\\n"},"line_number":1,"absolute_offset":0}}\n'
    '{"type":"context","data":{"lines":{"bytes":"/w=="},"line_number":2,"absolute_offset":2}}\n'
    '{"type":"match","data":{"lines":{"text":"x"},"line_number":null}}\n'
    '{"type":"match","data":{"lines":{"text":"z"},"line_number":3,"absolute_offset":4}}\n'
    '{"type":"end","data":{"path":{"text":"./a"},"binary_offset":null}}\n'
    '{"type":"summary","data":{"stats":{}}}\n'
    "\nnot json\n"
)


CONTENT = b"x\n\xff\ny"
"""As the gate has read it: where the report has a z, it has a y."""


@given(st.lists(st.integers(0, len(REPORT)), max_size=4).map(sorted))
def test_a_report_is_understood_however_it_is_cut(cuts: list[int]):
    hits = Hits(lambda _: CONTENT)
    for start, end in zip([0, *cuts], [*cuts, len(REPORT)], strict=True):
        hits.feed(REPORT[start:end])
    assert hits.render() == "Found 1 result.\n\n# a\n  1 | x\n  2 | \ufffd\n----"
    assert hits.diagnostics == "not json"


def test_a_file_that_is_not_accepted_is_passed_over():
    hits = Hits(lambda _: None)
    hits.feed(REPORT)
    assert hits.render() == "Found 0 results."


def child(monkeypatch: pytest.MonkeyPatch, capfdbinary, *given: bytes) -> tuple[int, bytes]:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\0".join(given))))
    code = _search_child.main()
    sys.stdout.flush()
    return code, capfdbinary.readouterr().out


def test_the_child_reports_in_ripgreps_words(tmp_path: Path, monkeypatch, capfdbinary):
    (tmp_path / "a").write_text("1\n2\nx\n")
    (tmp_path / "b").write_bytes(b"x\0")
    (tmp_path / "c").write_text("y")
    paths = [str(tmp_path / name).encode() for name in ("a", "b", "c", "gone")]
    code, out = child(monkeypatch, capfdbinary, b"x", *paths)
    assert code == 0
    a = str(tmp_path / "a")
    hits = Hits(lambda path: Path(path).read_bytes() if path == a else None)
    hits.feed(out.decode())
    assert hits.render() == f"Found 1 result.\n\n# {tmp_path}/a\n  2 | 2\n  3 | x\n----"


def test_the_childs_exit_code_says_whether_it_could_search(monkeypatch, capfdbinary):
    assert child(monkeypatch, capfdbinary, b"x") == (1, b"")
    code, out = child(monkeypatch, capfdbinary, b"(")
    assert code == 2
    assert b"regex parse error" in out


ENDS = [
    pytest.param(Finished(None, 15, "", timed_out=True), "more than 60", Code.TIMED_OUT, id="slow"),
    pytest.param(Finished(None, 9, ""), "broke off: oops", None, id="killed"),
    pytest.param(Finished(101, None, ""), "broke off: oops", None, id="crashed"),
]


@pytest.mark.parametrize(("finished", "message", "code"), ENDS)
def test_a_search_that_did_not_end_well_fails(finished: Finished, message: str, code: Code | None):
    arguments = search_files.Arguments(".", "x")
    hits = Hits(lambda _: b"")
    hits.feed("oops\n")
    with pytest.raises(ToolError, match=message) as caught:
        search_files._refuse_unfinished(finished, hits, arguments)
    assert caught.value.code is code


def test_files_that_could_not_be_read_do_not_fail_the_search():
    arguments = search_files.Arguments(".", "x")
    search_files._refuse_unfinished(Finished(2, None, ""), Hits(lambda _: b""), arguments)


def test_an_engine_that_cannot_be_started_fails_the_search(tmp_path: Path):
    context = Bench(search_files.TOOL, tmp_path).context
    start = Start(("no-such-engine",))
    with pytest.raises(ToolError, match="could not be started"):
        asyncio.run(search_files._run(start, Hits(lambda _: b""), context))


def test_cancelling_ends_the_search(tmp_path: Path):
    context = Bench(search_files.TOOL, tmp_path).context

    async def scenario() -> None:
        start = Start(("sh", "-c", "echo ready; sleep 60"))
        hits = Hits(lambda _: b"")
        running = asyncio.create_task(search_files._run(start, hits, context))
        await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(scenario())


def engine_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quick: str) -> Bench:
    """Bring an engine that does this in a quick search, and finds an x in a careful one."""
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a").write_text("x\n")
    program = tmp_path / "rg"
    program.write_text(
        "#!/bin/sh\n"
        f'case "$*" in *--sort=path*) ;; *) {quick};; esac\n'
        """echo '{"type":"begin","data":{"path":{"text":"a"}}}'\n"""
        """echo '{"type":"match","data":{"lines":{"text":"x"},"line_number":1,"""
        """"absolute_offset":0}}'\n"""
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return Bench(search_files.TOOL, tmp_path / "root")


QUICK = [
    pytest.param("kill -ABRT $$", id="breaks off"),
    pytest.param("echo thread panicked; exit 101", id="crashes"),
    pytest.param("exec sleep 60", id="takes too long"),
]


@pytest.mark.parametrize("quick", QUICK)
def test_a_quick_search_that_fails_is_followed_by_a_careful_one(tmp_path, monkeypatch, quick: str):
    monkeypatch.setattr("agent_cli.tools._search_engine._QUICK", 1)
    text = engine_that(tmp_path, monkeypatch, quick).text(path=".", regex="x")
    assert text == "Found 1 result.\n\n# a\n  1 | x\n----"


def test_what_a_quick_search_says_of_the_regex_is_believed(tmp_path: Path, monkeypatch):
    bench = engine_that(tmp_path, monkeypatch, "echo no regex; exit 2")
    with pytest.raises(ToolError, match="no regex"):
        bench.run(path=".", regex="x")


def test_too_many_do_not_depend_on_the_order_of_files():
    """The quick search has none: the limit must be met, or not, in whatever order they come."""
    reports = [
        f'{{"type":"begin","data":{{"path":{{"text":"{n:03}"}}}}}}\n'
        '{"type":"match","data":{"lines":{"text":"x\\n"},"line_number":1,"absolute_offset":0}}\n'
        for n in range(301)
    ]
    for order in (reports, reports[::-1]):
        hits = Hits(lambda _: b"x\n")
        hits.feed("".join(order[:300]))
        assert not hits.is_full
        hits.feed(order[300])
        assert hits.is_full

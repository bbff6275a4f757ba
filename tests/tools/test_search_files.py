import os
import shutil
import sysconfig
from pathlib import Path

import pytest
from testbed.bench import Bench

from agent_cli.tools import search_files
from agent_cli.types.approval import Words
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import BlockedPathError, ToolError
from agent_cli.types.outcomes import Code


@pytest.fixture(params=["python", "ripgrep"])
def bench(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Search with each engine; the other one is out of sight."""
    if request.param == "python":
        monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path))
        monkeypatch.setenv("PATH", str(tmp_path))
    elif shutil.which("rg") is None and not Path(sysconfig.get_path("scripts"), "rg").exists():
        pytest.skip("ripgrep is not installed")
    root = (tmp_path / "root").resolve()
    root.mkdir()
    return Bench(search_files.TOOL, root, path="/usr/bin:/bin")


def plant(root: Path, files: dict[str, str | bytes]) -> None:
    for path, content in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)


def test_matches_come_by_file_with_the_lines_around_them(bench: Bench):
    plant(bench.root, {"b.txt": "1\n2\nfoo 3\n4\n5\n", "a/x.py": "foo\n"})
    assert bench.text(path=".", regex="fo+") == (
        "Found 2 results.\n\n"
        "# a/x.py\n  1 | foo\n----\n\n"
        "# b.txt\n  2 | 2\n  3 | foo 3\n  4 | 4\n----"
    )


def test_adjacent_lines_are_one_result(bench: Bench):
    plant(
        bench.root, {"a": "".join(f"{n}{' x' if n in {2, 5, 9} else ''}\n" for n in range(1, 12))}
    )
    text = bench.text(path=".", regex="x")
    assert text.startswith("Found 2 results.")
    assert [line.split(" |")[0].strip() for line in text.split("\n")[3:]] == [
        "1", "2", "3", "4", "5", "6", "----", "8", "9", "10", "----",
    ]  # fmt: skip


def test_nothing_is_a_result_too(bench: Bench):
    plant(bench.root, {"a": "x\n"})
    assert bench.text(path=".", regex="y") == "Found 0 results."


def test_one_is_singular(bench: Bench):
    plant(bench.root, {"a": "x"})
    assert bench.text(path="a", regex="x") == "Found 1 result.\n\n# a\n  1 | x\n----"


def test_only_the_directory_is_searched(bench: Bench):
    plant(bench.root, {"a/f": "x", "b/f": "x"})
    assert bench.text(path="./a/", regex="x").split("\n")[2] == "# a/f"
    assert "b/f" not in bench.text(path="a", regex="x")


PATTERNS = [
    ("*.ts", ["a.ts", "deep/b.ts"]),
    ("*.{ts,tsx}", ["a.ts", "c.tsx", "deep/b.ts"]),
    ("deep/*", ["deep/b.ts", "deep/d.md"]),
    ("/a.*", ["a.ts"]),
    ("[ac].*", ["a.ts", "c.tsx"]),
    ("*", ["a.ts", "c.tsx", "deep/b.ts", "deep/d.md"]),
    ("", ["a.ts", "c.tsx", "deep/b.ts", "deep/d.md"]),
    (None, ["a.ts", "c.tsx", "deep/b.ts", "deep/d.md"]),
    ("*.none", []),
]


@pytest.mark.parametrize(("pattern", "found"), PATTERNS)
def test_a_pattern_chooses_files(bench: Bench, pattern: str | None, found: list[str]):
    names = ["a.ts", "c.tsx", "deep/b.ts", "deep/d.md"]
    plant(bench.root, dict.fromkeys(names, "x\n"))
    text = bench.text(path=".", regex="x", file_pattern=pattern)
    assert [line[2:] for line in text.split("\n") if line.startswith("# ")] == found


def test_a_pattern_is_relative_to_the_searched_directory(bench: Bench):
    plant(bench.root, {"src/deep/a.ts": "x", "src/a.ts": "x"})
    text = bench.text(path="src", regex="x", file_pattern="deep/*")
    assert text.startswith("Found 1 result.\n\n# src/deep/a.ts")


def test_a_pattern_brings_back_nothing_ignored(bench: Bench):
    plant(bench.root, {".gitignore": "*.min.js\nbuilt/\n", "a.min.js": "x", "built/b.js": "x"})
    assert bench.text(path=".", regex="x", file_pattern="*.js") == "Found 0 results."


def test_hidden_files_are_searched_and_the_repository_is_not(bench: Bench):
    plant(bench.root, {".github/ci.yml": "x", ".git/config": "x"})
    assert bench.text(path=".", regex="x").startswith("Found 1 result.\n\n# .github/ci.yml")


@pytest.mark.invariant("F2")
def test_ignored_files_are_never_searched(bench: Bench):
    plant(bench.root, {".agentignore": "secret*\n", "secret": "x", "secrets/a": "x", "open": "x"})
    (bench.root / "alias").symlink_to("secret")
    (bench.root / "twin").hardlink_to(bench.root / "secret")
    assert bench.text(path=".", regex="x") == "Found 1 result.\n\n# open\n  1 | x\n----"
    with pytest.raises(BlockedPathError):
        bench.run(path="secret", regex="x")


def test_links_lead_nowhere(bench: Bench):
    plant(bench.root.parent, {"outside/a": "x"})
    (bench.root / "link").symlink_to(bench.root.parent / "outside")
    assert bench.text(path=".", regex="x") == "Found 0 results."


def test_outside_is_searched_once_it_was_approved(bench: Bench):
    plant(bench.root.parent, {"outside/a": "x", "outside/b": "x"})
    outside = str(bench.root.parent / "outside")
    assert bench.effects(path="../outside", regex="x") == (
        Effect(Kind.READ, outside, outside=True),
    )
    text = bench.text(path="../outside", regex="x", file_pattern="a")
    assert text.startswith(f"Found 1 result.\n\n# {outside}/a\n")


def test_binary_files_are_left_out(bench: Bench):
    plant(bench.root, {"a": b"x\n" * 10 + b"\0", "b": b"x caf\xe9\r\n"})
    assert bench.text(path=".", regex="x") == "Found 1 result.\n\n# b\n  1 | x caf\ufffd\n----"


def test_a_long_line_is_cut(bench: Bench):
    plant(bench.root, {"a": "x" * 500 + "\n" + "x" * 501 + "\n"})
    lines = bench.text(path=".", regex="x").split("\n")
    assert lines[3] == f"  1 | {'x' * 500}"
    assert lines[4] == f"  2 | {'x' * 500} [truncated...]"


@pytest.mark.parametrize(("count", "header"), [(300, "Found 300 results."), (301, "Showing first")])
def test_there_is_a_limit(bench: Bench, count: int, header: str):
    plant(bench.root, {f"f{number:03}": "x\n" for number in range(count)})
    text = bench.text(path=".", regex="x")
    assert text.startswith(header)
    assert text.count("----") == 300
    assert "f299" in text
    assert "f300" not in text


def test_files_come_in_one_order_and_the_first_are_shown(bench: Bench):
    names = [f"{folder}/{n:03}" for folder in ("a", "a-b", "a.b", "b") for n in range(100)]
    plant(bench.root, dict.fromkeys(names[:300], "x\n"))
    headings = [f"# {name}" for name in names[:300]]
    text = bench.text(path=".", regex="x")
    assert text.startswith("Found 300 results.")
    assert [line for line in text.split("\n") if line.startswith("#")] == headings
    plant(bench.root, dict.fromkeys(names, "x\n"))
    text = bench.text(path=".", regex="x")
    assert text.startswith("Showing first 300 of 300+ results")
    assert [line for line in text.split("\n") if line.startswith("#")] == headings


def test_a_file_that_is_too_large_to_be_shown_is_left_out(bench: Bench):
    plant(bench.root, {"small": "x\n"})
    with (bench.root / "large").open("wb") as file:
        for _ in range(65):
            file.write(b"x\n" * 524_288)
    assert bench.text(path=".", regex="x") == "Found 1 result.\n\n# small\n  1 | x\n----"
    with pytest.raises(ToolError, match="larger than"):
        bench.run(path="large", regex="x")


def test_what_the_engine_saw_elsewhere_is_not_shown(tmp_path: Path, monkeypatch):
    """As where a link is put in the place of a file after the engine was started."""
    root, engine = tmp_path / "root", tmp_path / "rg"
    plant(root, {"a": "x\n"})
    line = '{"lines":{"text":"CANARY"},"line_number":1,"absolute_offset":0}'
    engine.write_text(
        "#!/bin/sh\n"
        f"""echo '{{"type":"begin","data":{{"path":{{"text":"a"}}}}}}'\n"""
        f"""echo '{{"type":"match","data":{line}}}'\n"""
    )
    engine.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert Bench(search_files.TOOL, root).text(path=".", regex=".") == "Found 0 results."


MARKED = [
    pytest.param(b"\xef\xbb\xbfx\xfc\nx\n", id="a mark, and bytes that are no text"),
    pytest.param("\ufeffx\r\nx\r\n".encode("utf-16-le"), id="UTF-16"),
    pytest.param(b"\xffx\nx", id="no text, and no last end"),
]


@pytest.mark.parametrize("content", MARKED)
def test_a_file_in_another_encoding_is_searched(bench: Bench, content: bytes):
    plant(bench.root, {"a": content})
    text = bench.text(path=".", regex="x")
    assert [line.split(" |")[0].strip() for line in text.split("\n")[3:]] == ["1", "2", "----"]


def test_a_flood_of_matches_ends_early(bench: Bench):
    plant(bench.root, {"a": "x\n" * 600_000, "b": "x"})
    text = bench.text(path=".", regex="x")
    assert text.startswith("Showing first 1 of 1+ results")
    assert text.endswith("\n900 | x\n----")
    assert not (bench.root.parent / "spill").exists()


@pytest.mark.parametrize("regex", ["(", "[z-a]", "*"])
def test_a_regex_that_is_none_is_a_failure(bench: Bench, regex: str):
    plant(bench.root, {"a": "x"})
    with pytest.raises(ToolError, match="cannot search for"):
        bench.run(path=".", regex=regex)


@pytest.mark.parametrize("arguments", [{"regex": ""}, {"regex": "a\n"}, {"regex": "a\0"}])
def test_what_cannot_be_searched_for_is_refused(bench: Bench, arguments: dict[str, object]):
    with pytest.raises(ToolError) as caught:
        bench.run(path=".", **arguments)
    assert caught.value.code is Code.INVALID_ARGUMENTS


def test_a_directory_that_does_not_exist_is_a_failure(bench: Bench):
    with pytest.raises(ToolError, match="'gone' does not exist"):
        bench.run(path="gone", regex="x")


def test_names_with_signs_are_names(bench: Bench):
    plant(bench.root, {"-a/--pre": "-x\n", "b/caf\udce9": "-x\n"})
    assert bench.text(path="-a", regex="-x").split("\n")[2] == "# -a/--pre"
    assert "# b/caf\udce9" in bench.text(path="b", regex="-x")


def test_a_configuration_of_the_users_is_not_read(bench: Bench, monkeypatch: pytest.MonkeyPatch):
    plant(bench.root, {"a": "x"})
    (bench.root.parent / "rc").write_text("--invert-match\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(bench.root.parent / "rc"))
    assert bench.text(path=".", regex="x").startswith("Found 1 result.")


def test_the_workspace_cannot_replace_our_modules(bench: Bench):
    plant(bench.root, {"re.py": "raise SystemExit(9)\n", "msgspec.py": "raise SystemExit(9)\n"})
    assert bench.text(path=".", regex="Exit").startswith("Found 2 results.")


def test_the_question_says_what_is_searched(bench: Bench):
    assert bench.preview(path="a", regex="x") == Words("search 'a' for 'x'")
    assert bench.preview(path="a", regex="x", file_pattern="*.py") == Words(
        "search 'a' for 'x', files '*.py'"
    )


def test_nothing_stays_behind(bench: Bench):
    plant(bench.root, {"a": "x\n1\n2\n" * 1_000})
    bench.run(path=".", regex="x")  # the first program of a session leaves its warden
    before = set(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names are all we want
    bench.run(path=".", regex="x")
    assert len(set(os.listdir("/proc/self/fd")) - before) == 0  # noqa: PTH208

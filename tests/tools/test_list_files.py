from pathlib import Path

import pytest
from testbed.bench import Bench
from testbed.ordinary_user import as_ordinary_user, open_the_way

from agent_cli.tools import list_files
from agent_cli.types.approval import Words
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import BlockedPathError, ToolError


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    root = (tmp_path / "root").resolve()
    root.mkdir()
    return Bench(list_files.TOOL, root)


def plant(root: Path, *paths: str) -> None:
    for path in paths:
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()


def test_directories_come_first_and_numbers_count(bench: Bench):
    plant(bench.root, "b10", "b9", "A", "z/x", "C", "y/x", "7", "é")
    assert bench.text(path=".").split("\n") == ["y/", "z/", "7", "A", "b9", "b10", "C", "é"]


def test_a_parent_comes_before_what_it_holds(bench: Bench):
    plant(bench.root, "src/b.py", "src/a/x.py", "src-2/c.py", "top")
    text = bench.text(path=".", recursive=True)
    assert text.split("\n") == [
        "src/", "src/a/", "src/a/x.py", "src/b.py", "src-2/", "src-2/c.py", "top",
    ]  # fmt: skip


def test_paths_are_relative_to_the_listed_directory(bench: Bench):
    plant(bench.root, "src/a/x.py")
    assert bench.text(path="src", recursive=True) == "a/\na/x.py"
    assert bench.text(path="./src/", recursive=True) == "a/\na/x.py"


def test_an_empty_directory_has_no_files(bench: Bench):
    assert bench.text(path=".", recursive=None) == "No files found."


@pytest.mark.parametrize("path", ["gone", "file"])
def test_what_is_no_directory_is_an_error(bench: Bench, path: str):
    plant(bench.root, "file")
    with pytest.raises(ToolError, match=path):
        bench.run(path=path)


def test_the_limit_is_told_only_when_something_is_left_out(bench: Bench):
    plant(bench.root, *(f"f{number}" for number in range(200)))
    text = bench.text(path=".")
    assert len(text.split("\n")) == 200
    assert text.endswith("f199")
    plant(bench.root, "one-more")
    text = bench.text(path=".")
    assert "ends here, at 200 names" in text
    assert len(text.split("\n")) == 202


def test_the_limit_spares_the_top_level(bench: Bench):
    plant(bench.root, *(f"a/{number}" for number in range(300)), "z/1", "last")
    lines = bench.text(path=".", recursive=True).split("\n")
    assert {"a/", "z/", "last"} <= set(lines)


def test_what_is_found_before_too_much_is_shown_and_the_end_told(bench: Bench, monkeypatch):
    plant(bench.root, "a/deep", "b", *(f"c/{number}.o" for number in range(9)))
    (bench.root / ".gitignore").write_text("*.o\n")
    monkeypatch.setattr("agent_cli.workspace._walk.WALK_LIMIT", 6)
    assert bench.text(path=".", recursive=True).split("\n") == [
        "a/", "a/deep", "c/", ".gitignore", "b", "",
        f"The list ends here, more than 6 entries below {str(bench.root)!r}: name a part of it.",
    ]  # fmt: skip
    with pytest.raises(ToolError, match="more than 6"):
        bench.run(path="c")


def test_what_nobody_wrote_is_named_and_not_entered(bench: Bench):
    plant(bench.root, "node_modules/x", ".cache/x", "target/dependency/x", "target/own")
    lines = bench.text(path=".", recursive=True).split("\n")
    assert set(lines) == {".cache/", "node_modules/", "target/", "target/dependency/", "target/own"}
    assert bench.text(path="node_modules", recursive=True) == "x"


def test_ignored_names_are_not_listed(bench: Bench):
    plant(bench.root, "a", "secret", "built/x")
    (bench.root / ".agentignore").write_text("secret\n")
    (bench.root / ".gitignore").write_text("built\n")
    assert bench.text(path=".", recursive=True).split("\n") == [".agentignore", ".gitignore", "a"]


def test_an_ignored_directory_is_refused(bench: Bench):
    plant(bench.root, "secret/x")
    (bench.root / ".agentignore").write_text("secret\n")
    with pytest.raises(BlockedPathError):
        bench.effects(path="secret")


def test_a_link_is_named_and_not_followed(bench: Bench):
    plant(bench.root.parent, "outside/x")
    (bench.root / "link").symlink_to(bench.root.parent / "outside")
    assert bench.text(path=".", recursive=True) == "link"


@pytest.mark.parametrize("path", ["/", "~"])
def test_the_whole_machine_is_not_listed(bench: Bench, path: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(bench.root))
    where = str(bench.root) if path == "~" else path
    with pytest.raises(ToolError, match="too much"):
        bench.run(path=where, recursive=True)
    assert bench.text(path=where)


def test_outside_needs_approval(bench: Bench):
    plant(bench.root.parent, "other/x")
    outside = str(bench.root.parent / "other")
    assert bench.effects(path=outside) == (Effect(Kind.READ, outside, outside=True),)
    assert bench.text(path=outside) == "x"


def test_a_name_that_is_not_unicode_stays_a_name(bench: Bench):
    (bench.root / "caf\udce9").touch()
    assert bench.text(path=".") == "caf\udce9"


def test_the_question_says_what_would_be_listed(bench: Bench):
    assert bench.preview(path="a") == Words("list 'a', its top level")
    assert bench.preview(path="a", recursive=True) == Words("list 'a', with everything below it")


def test_a_directory_that_is_closed_is_named_all_the_same(bench: Bench):
    plant(bench.root, "closed/x", "open/y")
    open_the_way(bench.root)
    (bench.root / "closed").chmod(0)

    def look() -> None:
        assert bench.text(path=".", recursive=True) == "closed/\nopen/\nopen/y"

    as_ordinary_user(look)
    (bench.root / "closed").chmod(0o755)

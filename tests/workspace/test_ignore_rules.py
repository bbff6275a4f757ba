"""Rules answer as pathspec does, only faster."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from agent_cli.workspace._rules import Rules

NAMES = ["a", "b.o", ".o", "a.b.o", "build", "A", "build\n", "x y", "é", "a+b", "$py.class", "-"]
PATTERNS = [
    "*.o", "build", "build/", "/build", "*.o/", "a/", "b.o", "**/a", "a/**", "a/*", "[ab]", "?",
    "*", "*.b.o", r"\$py.class", "*$py.class", "x y", "é", "a+b", "-", "#", "*.*", "[(?P<a>]",
]  # fmt: skip


@given(
    lines=st.lists(
        st.tuples(st.sampled_from(["", "", "!"]), st.sampled_from(PATTERNS)), max_size=6
    ),
    above=st.lists(st.sampled_from(NAMES), max_size=2),
    name=st.sampled_from(NAMES),
    is_dir=st.booleans(),
)
@example(lines=[("", "*.o"), ("!", "b.o")], above=["b.o"], name="a", is_dir=False)
@example(lines=[("!", "build/")], above=["build"], name="build", is_dir=True)
@example(lines=[("", "build")], above=[], name="build\n", is_dir=False)
def test_every_verdict_is_pathspecs(
    *, lines: list[tuple[str, str]], above: list[str], name: str, is_dir: bool
):
    spec = GitIgnoreSpec.from_lines("".join(line) for line in lines)
    folder = "".join(f"{part}/" for part in above)
    expected = spec.check_file(f"{folder}{name}{'/' if is_dir else ''}").include
    assert Rules(spec).verdict(folder, name, is_dir=is_dir) is expected


@pytest.mark.parametrize("line", ["*.log", "node_modules/", "build", "__pycache__/", "*.min.js"])
def test_what_most_ignore_files_say_takes_no_expression(line: str):
    rules = Rules(GitIgnoreSpec.from_lines([line, f"!{line}"]))
    assert not rules._covering._others
    assert not rules._excepting._others


def test_a_verdict_on_one_folder_is_not_taken_for_another():
    rules = Rules(GitIgnoreSpec.from_lines(["built/", "!kept/"]))
    assert rules.verdict("built/", "a", is_dir=False) is True
    assert rules.verdict("other/", "a", is_dir=False) is None
    assert rules.verdict("built/", "a", is_dir=False) is True

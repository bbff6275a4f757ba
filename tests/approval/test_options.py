"""Options through which programs do more than their names say."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from testbed.shell_words import words

from agent_cli.approval import programs
from agent_cli.approval.options import Word, hazard

CORPUS = Path(__file__).parents[1] / "corpora" / "commands_options.jsonl"
ROWS = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["cmd"])
def test_a_command_is_a_hazard_where_it_must_be_asked_about(row: dict[str, Any]):
    assert (hazard(words(row["cmd"])) is not None) == (row["verdict"] == "ask")


@pytest.mark.parametrize(
    ("command", "clause"),
    [
        ("rg --pre-g x", "--pre-glob makes rg run another program"),
        ("sort -uo f a", "-o makes sort write files or change the system"),
        ("make -fx", "-f makes make take configuration or lists from elsewhere"),
        ("rg x *", "'*' could become an option of rg"),
        ("git st", "git st could be an alias for anything"),
        ("git remote add a b", "git remote add changes something"),
        ("uniq a b", "uniq writes what its operands name"),
        ("sed 1e a", "the script of sed may run a program or touch a file"),
        ("sed s*", "the script of sed is a pattern"),
        ("g* x", "the name of the program is a pattern"),
        ("date 0101", "date sets the clock: '0101'"),
        ("python -m http.server", "python runs a module that its rule does not name"),
    ],
)
def test_the_reason_names_what_is_wrong(command: str, clause: str):
    assert hazard(words(command)) == clause


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("git remote add", "git remote add origin url"),
        ("git st", "git st"),
        ("python -m http.server", "python -m http.server 8000"),
        ("python -c", "python -c x"),
        ("ruff check --fix", "ruff check --fix src"),
        ("sort -o f", "sort -o f a"),
        ("tar xf", "tar xf a.tar"),
        ("uv run python -c", "uv run python -c x"),
    ],
)
def test_what_the_rule_names_is_no_hazard(rule: str, command: str):
    assert hazard(words(command)) is not None
    assert hazard(words(command), named=len(rule.split())) is None


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("git submodule", "git submodule status"),
        ("git -C sub", "git -C sub log --output=f"),
        ("ruff check --fix", "ruff check --fix --config x"),
        ("python -m pytest", "python -m pytest -p evil"),
        ("uv run pytest", "uv run pytest -p evil"),
    ],
)
def test_what_the_rule_does_not_name_stays_a_hazard(rule: str, command: str):
    assert hazard(words(command), named=len(rule.split())) is not None


def test_a_command_of_no_words_is_harmless():
    assert hazard(()) is None


def test_a_program_without_a_row_does_what_its_rule_allows():
    assert programs.find("frobnicate") is None
    assert hazard(words("frobnicate --pre=./x -o f *")) is None


def test_a_program_is_known_by_its_path_and_its_version():
    assert hazard(words("/usr/bin/python3.12 -c x")) is not None
    assert hazard(words("clang-17 -B./x a.c")) is not None


NAMES = [
    "rg",
    "sed",
    "awk",
    "git",
    "tar",
    "npm",
    "find",
    "python",
    "uv",
    "npx",
    "go",
    "curl",
    "tsc",
]
PIECES = st.sampled_from(
    [
        "-",
        "--",
        "-o",
        "-e",
        "--out",
        "=",
        "x",
        "*",
        "-m",
        "pytest",
        "diff",
        "config",
        "run",
        "/",
        "[",
    ]
)
ANY = st.builds(
    Word, st.one_of(st.text(max_size=8), st.lists(PIECES, max_size=3).map("".join)), st.booleans()
)


@example(name="tar", rest=[Word("-", exact=False)], named=0)
@example(name="tar", rest=[Word("-")], named=1)
@given(name=st.sampled_from(NAMES), rest=st.lists(ANY, max_size=6), named=st.integers(0, 4))
def test_every_command_gets_an_answer(name: str, rest: list[Word], named: int):
    answer = hazard((Word(name), *rest), named)
    assert answer is None or answer


@given(rest=st.lists(ANY, max_size=5))
def test_a_dangerous_option_is_found_before_anything(rest: list[Word]):
    assert hazard((Word("rg"), Word("--pre=./x"), *rest)) is not None
    assert hazard((Word("git"), Word("diff"), Word("--output=f"), *rest)) is not None


BEGINNINGS = st.sampled_from(
    ["e", "w", "W", "r", "1e", "$!w", "/a/W", "p;e", "{p\ne", "s/a/b/w", "y/a/b/;r"]
)


@given(begin=BEGINNINGS, rest=st.text(alphabet="sewWr/\\;{}!$,1~\n#abityg[]|& ", max_size=14))
def test_a_sed_script_that_begins_with_such_a_command_is_never_harmless(begin: str, rest: str):
    assert hazard((Word("sed"), Word(f"{begin} {rest}"), Word("a"))) is not None

"""How calls of the tools that search and list fail."""

import sys
from pathlib import Path
from typing import Any

import pytest
from testbed.failing_files import BIG
from testbed.scenario import Scenario, file, patched

from agent_cli.index import grammars
from agent_cli.index.grammars import EXTRA
from agent_cli.types.outcomes import Code

HIDDEN = "covered by .agentignore"
PYTHON = "def f():\n    x = 1\n    y = 2\n    return x + y\n"


def engine(script: str, *rest: Any, **more: Any) -> Scenario:
    """A search whose engine on PATH is this script."""

    def prepare(root: Path) -> None:
        program = root.parent / "outside" / "rg"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)

    environ = {"PATH": "{OUT}:/usr/bin:/bin"}
    args = {"path": ".", "regex": "two"}
    return Scenario(args, *rest, prepare=prepare, environ=environ, **more)


def impatient(patching: pytest.MonkeyPatch) -> None:
    patching.setattr("agent_cli.tools._search_engine._QUICK", 0.1)
    patching.setattr("agent_cli.tools.search_files._TIMEOUT", 0.2)


def no_room_for_an_index(root: Path) -> None:
    cache = root.parent / "home/agent/cache"
    cache.mkdir(parents=True)
    (cache / "index").write_text("a file")


def without_grammar(patching: pytest.MonkeyPatch) -> None:
    patching.setitem(sys.modules, grammars.GRAMMARS["python"].module, None)
    patching.setattr("agent_cli.tools.list_code_definition_names.load", grammars.load.__wrapped__)


SEARCHING = {
    "blocked": Scenario({"path": "hidden.txt", "regex": "x"}, HIDDEN, Code.BLOCKED_PATH),
    "unreadable": Scenario({"path": "absent", "regex": "x"}, "does not exist"),
    "too_large": Scenario({"path": "big.txt", "regex": "x"}, "is larger than", prepare=BIG),
    "unusable": Scenario({"path": ".", "regex": ""}, "regex is empty", Code.INVALID_ARGUMENTS),
    "no_regex": Scenario({"path": ".", "regex": "("}, "cannot search for '('"),
    "timeout": engine(
        "sleep 60",
        "the search took more than",
        Code.TIMED_OUT,
        patch=impatient,
    ),
    "engine": engine("echo oops >&2; exit 7", "the search broke off: oops"),
}
LISTING = {
    "blocked": Scenario({"path": "hidden"}, HIDDEN, Code.BLOCKED_PATH),
    "unreadable": Scenario({"path": "absent"}, "no such file or directory"),
    "everything": Scenario({"path": "{HOME}", "recursive": True}, "is too much to list"),
}
DEFINITIONS = {
    "blocked": Scenario({"path": "hidden.txt"}, HIDDEN, Code.BLOCKED_PATH),
    "unreadable": Scenario({"path": "absent.py"}, "does not exist"),
    "language": Scenario({"path": "a.txt"}, "files that end in", Code.INVALID_ARGUMENTS),
    "grammar": Scenario(
        {"path": "a.py"},
        f"the user can install {EXTRA}",
        prepare=file("a.py", PYTHON),
        patch=without_grammar,
    ),
    "too_large": Scenario(
        {"path": "a.py"},
        "takes too long to parse",
        prepare=file("a.py", PYTHON),
        patch=patched("agent_cli.index.definitions.LARGEST", 10),
    ),
    "binary": Scenario({"path": "nul.py"}, "is a binary file", prepare=file("nul.py", b"\0\1")),
}
FINDING = {
    "no_words": Scenario({"query": "?!"}, "no word to look for", Code.INVALID_ARGUMENTS),
    "blocked": Scenario({"query": "two", "path": "hidden.txt"}, HIDDEN, Code.BLOCKED_PATH),
    "unreadable": Scenario({"query": "two", "path": "absent"}, "does not exist"),
    "outside": Scenario({"query": "two", "path": "{OUT}"}, "is outside the workspace"),
    "index": Scenario({"query": "two"}, "cannot be used", prepare=no_room_for_an_index),
}
SCENARIOS: dict[str, dict[str, Scenario]] = {
    "search_files": SEARCHING,
    "list_files": LISTING,
    "list_code_definition_names": DEFINITIONS,
    "codebase_search": FINDING,
}

"""Operands against a corpus: none outside of the workspace is missed, and text is no operand."""

import json
from pathlib import Path
from typing import Any

import pytest

from agent_cli.cli.policy_check import Question, verdict
from agent_cli.settings.schema import ApprovalSettings

ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in Path(__file__).with_name("outside.jsonl").read_text().splitlines()
]
LINKS = {
    "etc": "/etc",
    "passwd": "/etc/passwd",
    "insrc": "src",
    "inlink": "a.txt",
    "up": "..",
    "src/linked": "/etc",
    "dangling": "nowhere/../../../x",
    "root dir": "/",
    "-Ix": "/etc",
}
FILES = ("a.txt", "f", "list", "out.txt", "rm.txt", "-weird", "src/a.py", "my dir/x")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("outside") / "root"
    for folder in ("src/deep", "lib", "my dir"):
        (root / folder).mkdir(parents=True)
    for name in FILES:
        (root / name).touch()
    for name, target in LINKS.items():
        (root / name).symlink_to(target)
    return root


@pytest.mark.parametrize("row", ROWS, ids=[row["cmd"] for row in ROWS])
def test_what_lies_outside_is_asked_about(root: Path, row: dict[str, Any]):
    question = Question(row["cmd"].replace("{root}", str(root)), ("*",), (), str(root))
    found = verdict(question, ApprovalSettings())
    assert found.verdict.value == row["verdict"], found.reason

"""A one-shot run with everything allowed, against a script; the validators must stay silent."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from testbed.replies import Reply
from testbed.run_agent import Completed, run_agent
from testbed.server import ModelServer

ANTHROPIC = "anthropic/test-model"


def run(
    script: Sequence[Reply], project: Path, home: Path, *args: str, model: str = ANTHROPIC
) -> tuple[Completed, ModelServer]:
    with ModelServer(script) as server:
        done = run_agent(
            ["run", "-y", "-m", model, *args, "Do it."], cwd=project, home=home, server=server
        )
    assert server.violations == []
    return done, server


def lines(done: Completed) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def results(done: Completed) -> list[tuple[str, str, str | None]]:
    found = [line for line in lines(done) if line["type"] == "tool_result"]
    return [(line["name"], line["status"], line["code"]) for line in found]

"""`agent demo`: a whole session without a key; only the model's part is played from a script."""

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from agent_cli.cli.person import with_a_person
from agent_cli.cli.work import Run, run_once
from agent_cli.engine.outcomes import EXIT_STATUS, Verdict
from agent_cli.frontends.headless.approving import ApprovesAll
from agent_cli.i18n.catalog import say
from agent_cli.processes.run import Processes
from agent_cli.resources.demo import PROMPT, copy_project, script
from agent_cli.runtime.toolbox import Options
from agent_cli.settings.load import load

_SETTINGS = {
    "protocol": "native",
    "parallel_tool_calls": True,
    "mode": "code",
    "telemetry.otel": False,  # nothing leaves this machine
}
_TESTS = "python -m pytest -q -p no:cacheprovider"


def command(
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Approve everything; needs no terminal.")
    ] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the copy of the project.")] = False,
) -> None:
    """Watch the agent repair a small project; nothing leaves this machine."""
    if not yes and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise typer.BadParameter(say("there is no terminal to ask on: add --yes"))
    folder = Path(tempfile.mkdtemp(prefix="agent-demo-"))
    try:
        status = _play(folder / "shop", yes=yes)
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    raise typer.Exit(status)


def _play(project: Path, *, yes: bool) -> int:
    copy_project(project)
    sys.stderr.write(_banner(project) + "\n")
    environ = _environment(os.environ)
    settings = load(environ, _SETTINGS)
    model = f"replay:{script()}"
    options = Options(
        cwd=project, environ=environ, model=model, interactive=not yes, demonstrates=yes
    )
    run = Run(settings, options, PROMPT)
    status = run_once(run, ApprovesAll()) if yes else with_a_person(run, once=True)
    passed = _tests_pass(project, environ)
    sys.stderr.write((say("the tests pass") if passed else say("the tests still fail")) + "\n")
    return status or (0 if passed else EXIT_STATUS[Verdict.UNRESOLVED])


def _banner(project: Path) -> str:
    return say(
        "DEMO: no model is answering. A script of ours plays the model's part; the tools, the "
        "tests, the questions and the session file are real. Project: {project}",
        project=project,
    )


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Put the Python that runs us first, so that `python -m pytest` finds our pytest."""
    path = os.pathsep.join([str(Path(sys.executable).parent), environ.get("PATH", os.defpath)])
    return {**environ, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


def _tests_pass(project: Path, environ: Mapping[str, str]) -> bool:
    async def passed() -> bool:
        async with Processes(environ) as processes:
            return (await processes.run(_TESTS, cwd=project, timeout=60)).exit_code == 0

    return asyncio.run(passed())

"""Run the product as its users do: a child process with a home and a model server of its own."""

import os
import subprocess
import sys
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT
from testbed.server import ModelServer

PROJECT = Path(__file__).parents[2]
SECONDS = 60
KEY = "test-key-of-no-value"


class Completed(NamedTuple):
    exit_code: int
    """Negative for a signal, as in `subprocess`."""
    stdout: str
    stderr: str


def environment(
    home: Path, server: ModelServer | None, env: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Everything the child may know: of ours only PATH and who measures coverage; `env` on top."""
    home.mkdir(parents=True, exist_ok=True)
    isolated = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "AGENT_HOME": str(home / "agent"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local/share"),
        "XDG_STATE_HOME": str(home / ".local/state"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "PYTHONPATH": str(PROJECT),
    }
    if server:
        isolated |= {
            "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": server.url(OPENAI_CHAT),
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": server.url(ANTHROPIC_MESSAGES),
        }
    measured = {name: os.environ[name] for name in os.environ if name.startswith("COVERAGE_")}
    return isolated | measured | dict(env or {})


def command(args: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "agent_cli", *args]


def run_agent(
    args: Sequence[str],
    *,
    cwd: Path,
    home: Path,
    server: ModelServer | None = None,
    env: Mapping[str, str] | None = None,
    input: str = "",
) -> Completed:
    """Run to the end; raises subprocess.TimeoutExpired after a minute."""
    done = subprocess.run(
        command(args),
        cwd=cwd,
        env=environment(home, server, env),
        input=input.encode(),
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    return Completed(done.returncode, done.stdout.decode(), done.stderr.decode())


def start_agent(
    args: Sequence[str],
    *,
    cwd: Path,
    home: Path,
    server: ModelServer | None = None,
    env: Mapping[str, str] | None = None,
    inside: Sequence[str] = (),
) -> Any:
    """Start it in a terminal of 24 x 80; a pexpect `spawn`, for the caller to close.

    `inside` is the command line of what runs it, if it does not stand at the terminal itself.
    """
    pexpect: Any = import_module("pexpect")  # only terminal tests need it, and it has no types

    program, *arguments = [*inside, *command(args)]
    with warnings.catch_warnings():
        # Python 3.12 warns of fork in a process with threads; the child only executes.
        warnings.simplefilter("ignore", DeprecationWarning)
        return pexpect.spawn(
            program,
            arguments,
            cwd=str(cwd),
            env=environment(home, server, env),
            encoding="utf-8",
            dimensions=(24, 80),
            timeout=SECONDS,
        )


def start_process(
    args: Sequence[str],
    *,
    cwd: Path,
    home: Path,
    server: ModelServer | None = None,
    env: Mapping[str, str] | None = None,
) -> "subprocess.Popen[bytes]":
    """Start it on pipes in its own session, to be killed at a moment of the test's choice."""
    return subprocess.Popen(
        command(args),
        cwd=cwd,
        env=environment(home, server, env),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )

"""The doors: who starts programs, who opens files, and through whom people are spoken to."""

import ast
import re
from collections.abc import Iterator

import pytest
from testbed.source import calls, imports, modules

MODULES = modules()

STARTERS = {"subprocess", "asyncio.subprocess", "multiprocessing", "pty", "pexpect"}
STARTERS |= {"concurrent.futures.ProcessPoolExecutor", "concurrent.futures.process"}
STARTS = re.compile(
    r"os\.(system|popen|fork|forkpty|exec\w+|spawn\w+|posix_spawnp?|startfile)"
    r"|(.*\.)?(create_subprocess_\w+|subprocess_exec|subprocess_shell)"
)

STARTING = {
    "processes/launch.py": "starts the warden, who is the only child of ours",
    "processes/_warden.py": "forks a keeper for each run",
    "processes/_keeper.py": "starts the one program that it keeps",
    "processes/watchdog.py": "starts the shell that restores the terminal when we are killed",
    "processes/_landlock.py": "becomes the program, once it has confined itself",
}

OPENS = re.compile(
    r"open|(io|os|codecs|gzip|tarfile|zipfile)\.open|os\.fdopen|shutil\.(?!which$)\w+|tempfile\.\w+"
    r"|os\.(unlink|remove|rename|replace|mkdir|makedirs|rmdir|link|symlink|truncate|chmod|scandir)"
    r"|.*\.(read_text|read_bytes|write_text|write_bytes|open|touch|mkdir|unlink|rmdir)"
    r"|.*\.(symlink_to|hardlink_to|rename|chmod|iterdir|rglob)"
)
GATE = re.compile(r"(.*\.)?workspace\.\w+|Workspace\(.*\)\.\w+")
"""Calls that go through the path gate."""
FILE_ROOMS = (
    *("workspace/", "sessions/", "settings/", "trust/", "resources/", "processes/", "undo/"),
    "index/database.py",
)
PURE = ("types/", "engine/", "wire/", "approval/")
"""They import neither os nor pathlib, which import-linter sees to; what they open is no file."""

OPENERS = {
    "cli/demo.py": "copies the sample project to a folder of its own",
    "cli/main.py": "gives stdout to nobody when its reader is gone",
    "cli/replay.py": "makes the copy that a session is played again in",
    "cli/standard_streams.py": "opens the standard streams that were closed",
    "context/modes.py": "lists the prompts that resources found",
    "frontends/headless/streams.py": "gives a stream to nobody when it cannot be written",
    "frontends/terminal/history.py": "keeps what was typed in a file of its own",
    "i18n/_build.py": "runs when the wheel is built, never in the product",
    "providers/cassette.py": "records and replays exchanges where the user says",
    "providers/known.py": "reads the table of models that lies beside it",
    "proxy/audit.py": "writes the events of the proxy where the operator says",
    "proxy/config.py": "reads the configuration that the user names",
    "proxy/sqlite.py": "makes the file in which the proxy remembers",
    "pytest_plugin.py": "copies what a kept session began with to a folder of its own",
}


CONNECTS = re.compile(
    r"(.*\.)?(open_connection|start_server|create_connection|create_server|getaddrinfo|urlopen)"
    r"|socket\.(socket|create_connection|getaddrinfo)|http\.client\.\w+"
)
CONNECTING = ("network/", "processes/", "cli/model_choice.py")
"""Processes talk with each other through socket pairs; the choice of a model asks for servers on
this machine before there is anything else."""


def starters(tree: ast.Module) -> list[str]:
    found = [
        name for name in imports(tree) if name in STARTERS or name.rpartition(".")[0] in STARTERS
    ]
    found += [f"os.{name}" for name in from_os(tree) if STARTS.fullmatch(f"os.{name}")]
    return found + [called for called, _ in calls(tree) if STARTS.fullmatch(called)]


def openers(tree: ast.Module) -> list[str]:
    found = [f"os.{name}" for name in from_os(tree) if OPENS.fullmatch(f"os.{name}")]
    found += [name for name in imports(tree) if re.match(r"shutil\.(?!which$)|tempfile\.", name)]
    called = [called for called, _ in calls(tree)]
    return found + [one for one in called if OPENS.fullmatch(one) and not GATE.fullmatch(one)]


def from_os(tree: ast.Module) -> Iterator[str]:
    return (name.removeprefix("os.") for name in imports(tree) if name.startswith("os."))


@pytest.mark.invariant("C5")
@pytest.mark.parametrize("name", [name for name in MODULES if name not in STARTING])
def test_only_processes_starts_programs(name: str):
    assert starters(MODULES[name]) == []


@pytest.mark.parametrize("name", STARTING)
def test_who_may_start_something_does(name: str):
    assert starters(MODULES[name])
    assert name.startswith("processes/")


@pytest.mark.parametrize(
    "name",
    [name for name in MODULES if not name.startswith((*FILE_ROOMS, *PURE)) and name not in OPENERS],
)
def test_only_the_file_rooms_open_files(name: str):
    assert openers(MODULES[name]) == []


@pytest.mark.parametrize("name", OPENERS)
def test_an_exception_is_one(name: str):
    assert openers(MODULES[name])
    assert not name.startswith("tools/")


def connectors(tree: ast.Module) -> list[str]:
    return [called for called, _ in calls(tree) if CONNECTS.fullmatch(called)]


@pytest.mark.parametrize("name", [name for name in MODULES if not name.startswith(CONNECTING)])
def test_only_network_and_the_official_clients_reach_other_hosts(name: str):
    assert connectors(MODULES[name]) == []


def test_network_is_seen_to_connect():
    assert connectors(MODULES["network/connection.py"])
    assert connectors(MODULES["network/hosts.py"])


@pytest.mark.parametrize(
    "source",
    [
        "import subprocess",
        "from subprocess import run",
        "from asyncio.subprocess import Process",
        "import asyncio\nasyncio.create_subprocess_exec('ls')",
        "from asyncio import create_subprocess_shell\ncreate_subprocess_shell('ls')",
        "import os\nos.execv('ls', [])",
        "from os import posix_spawn",
        "import multiprocessing",
        "import pty",
    ],
)
def test_the_test_sees_a_program_started(source: str):
    assert starters(ast.parse(source))


@pytest.mark.parametrize(
    "source",
    [
        "open('x')",
        "import os\nos.open('x', 0)",
        "from os import unlink",
        "from pathlib import Path\nPath('x').read_text()",
        "def f(path): path.open('rb')",
        "import shutil\nshutil.rmtree('x')",
        "from tempfile import mkdtemp",
        "root.workspace_path.read_text()",
    ],
)
def test_the_test_sees_a_file_opened(source: str):
    assert openers(ast.parse(source))


@pytest.mark.parametrize(
    "source",
    [
        "context.workspace.read_text('x')",
        "import shutil\nshutil.which('rg')",
        "text.replace('a','b')",
    ],
)
def test_the_gate_is_not_taken_for_a_file(source: str):
    assert openers(ast.parse(source)) == []

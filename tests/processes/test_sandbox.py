"""Programs behind every wall that this host has: what they can change, and what they cannot."""

import asyncio
import os
import socket
from pathlib import Path

import pytest

from agent_cli.processes import confine
from agent_cli.processes.run import Finished, Processes
from agent_cli.processes.sandbox import (
    Confinement,
    Wall,
    candidates,
    confined,
    seatbelt_profile,
)

WALLS = [pytest.param(found, id=found[0].value) for found in candidates(os.environ)]
HAS_BUBBLEWRAP = any(wall is Wall.BUBBLEWRAP for wall, _ in candidates(os.environ))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git/config").write_text("[core]\n")
    return folder


def run(
    command: str,
    workspace: Path,
    confinement: Confinement,
    only: tuple[Wall, str],
    monkeypatch: pytest.MonkeyPatch,
) -> Finished:
    monkeypatch.setattr(confine, "candidates", lambda _: (only,))

    async def go() -> Finished:
        async with Processes(os.environ, confinement=lambda: confinement) as processes:
            return await processes.run(command, cwd=workspace)

    return asyncio.run(go())


ALLOWED = [
    pytest.param("echo x > new && mkdir d && echo y > d/f && rm d/f", id="writes the workspace"),
    pytest.param(
        "cat /etc/passwd > /dev/null && echo x > /dev/null", id="reads, and the null device"
    ),
    pytest.param('test -d "$TMPDIR" && echo x > "$TMPDIR/x"', id="has a place for temporary files"),
    pytest.param("sh -c 'sleep 0 & wait'", id="starts programs"),
]


@pytest.mark.parametrize("command", ALLOWED)
@pytest.mark.parametrize("only", WALLS)
def test_work_in_the_workspace_goes_on(only, command, workspace, monkeypatch):
    inside = Confinement((str(workspace),), network=False)
    done = run(command, workspace, inside, only, monkeypatch)
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("how", ["echo x > {}", "ln -s /etc {}", "mkdir {}", "mkfifo {}"])
@pytest.mark.parametrize("only", WALLS)
def test_nothing_outside_is_changed(only, how, workspace, tmp_path, monkeypatch):
    inside = Confinement((str(workspace),), network=True)
    target = tmp_path / "outside"
    done = run(how.format(target), workspace, inside, only, monkeypatch)
    assert done.exit_code != 0
    assert not os.path.lexists(target)


@pytest.mark.parametrize("only", WALLS)
def test_read_only_means_the_workspace_too(only, workspace, monkeypatch):
    nothing = Confinement((), network=True)
    done = run("echo x > new", workspace, nothing, only, monkeypatch)
    assert done.exit_code != 0
    assert not (workspace / "new").exists()


@pytest.mark.skipif(not HAS_BUBBLEWRAP, reason="bubblewrap is not installed")
@pytest.mark.parametrize(
    "command", ["echo x >> .git/config", "rm -rf .git", "mv .git git", "touch .git/hooks"]
)
def test_what_is_kept_stays(command, workspace, monkeypatch):
    inside = Confinement((str(workspace),), (str(workspace / ".git"),), network=False)
    (only,) = [one for one in candidates(os.environ) if one[0] is Wall.BUBBLEWRAP]
    done = run(command, workspace, inside, only, monkeypatch)
    assert done.exit_code != 0
    assert (workspace / ".git/config").read_text() == "[core]\n"


@pytest.mark.parametrize("network", [True, False])
@pytest.mark.parametrize("only", WALLS)
def test_the_network_is_reached_only_if_it_may_be(only, network, workspace, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        command = f"python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}))'"
        inside = Confinement((str(workspace),), network=network)
        done = run(command, workspace, inside, only, monkeypatch)
    assert (done.exit_code == 0) is network, done.output


@pytest.mark.parametrize("only", WALLS)
def test_the_output_and_the_exit_code_come_through(only, workspace, monkeypatch):
    inside = Confinement((str(workspace),))
    done = run("echo out; echo err >&2; exit 7", workspace, inside, only, monkeypatch)
    assert (done.exit_code, done.output) == (7, "out\nerr\n")


@pytest.mark.parametrize("only", WALLS)
def test_a_program_that_is_not_there_is_said_to_be_missing(only, workspace):
    async def go() -> Finished:
        argv = confined(["absent-program"], Confinement((str(workspace),)), *only)
        async with Processes(os.environ) as processes:
            return await processes.run(argv, cwd=workspace)

    done = asyncio.run(go())
    assert done.exit_code
    assert "absent-program" in done.output


def test_without_a_wall_nothing_runs(workspace, monkeypatch):
    monkeypatch.setattr(confine, "candidates", lambda _: ())

    async def go() -> None:
        demanded = Confinement((str(workspace),))
        async with Processes(os.environ, confinement=lambda: demanded) as processes:
            await processes.run("touch ran", cwd=workspace)

    with pytest.raises(OSError, match="--sandbox off"):
        asyncio.run(go())
    assert not (workspace / "ran").exists()


def test_a_wall_that_does_not_work_is_passed_over(workspace, monkeypatch):
    broken = (Wall.BUBBLEWRAP, "/bin/false")
    (last,) = candidates(os.environ)[-1:]
    monkeypatch.setattr(confine, "candidates", lambda _: (broken, last))

    async def go() -> Wall | None:
        asked = Confinement((str(workspace),))
        async with Processes(os.environ, confinement=lambda: asked) as processes:
            await processes.ready()
            return processes.wall

    assert asyncio.run(go()) is last[0]


def test_the_place_for_temporary_files_goes_with_the_session(workspace):
    async def go() -> tuple[Path, bool]:
        asked = Confinement((str(workspace),))
        async with Processes(os.environ, confinement=lambda: asked) as processes:
            done = await processes.run("echo $TMPDIR", cwd=workspace)
            place = done.output.strip()
            return Path(place), os.access(place, os.W_OK)

    place, was_there = asyncio.run(go())
    assert was_there
    assert not place.exists()


def test_a_relative_directory_of_the_path_holds_no_wall(tmp_path, monkeypatch):
    (tmp_path / "bwrap").write_text("#!/bin/sh\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    found = candidates({"PATH": "."})
    assert Wall.BUBBLEWRAP not in [wall for wall, _ in found]


def test_the_profile_of_seatbelt_quotes_paths_and_denies_last():
    asked = Confinement(('/a "b"', "/c"), ("/c/.git",), network=False)
    lines = seatbelt_profile(asked).splitlines()
    assert lines[:3] == ["(version 1)", "(allow default)", "(deny file-write*)"]
    assert '(allow file-write* (subpath "/a \\"b\\""))' in lines
    kept, allowed = (
        '(deny file-write* (subpath "/c/.git"))',
        '(allow file-write* (subpath "/c"))',
    )
    assert lines.index(allowed) < lines.index(kept)
    assert lines[-1] == "(deny network*)"

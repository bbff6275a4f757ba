"""Ways out of a wall, tried by a program behind it: as whoever runs the tests, root too."""

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_cli.processes._landlock import version
from agent_cli.processes._sockets import of_services
from agent_cli.processes.sandbox import Confinement, Wall, candidates, confined

_SCOPES = 6
"""The version of Landlock that keeps signals and abstract sockets inside."""
WALLS = [pytest.param(found, id=found[0].value) for found in candidates(os.environ)]
CONNECT = "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(eval(sys.argv[1]))"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    return folder


@pytest.fixture
def service(tmp_path: Path, outside: Path) -> Iterator[Path]:
    place = outside / "service.sock"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(place))
        listening.listen()
        yield place


def run(
    argv: list[str], tmp_path: Path, only: tuple[Wall, str], *, network: bool = False
) -> subprocess.CompletedProcess[bytes]:
    workspace = tmp_path / "workspace"
    (workspace / ".git").mkdir(parents=True, exist_ok=True)
    kept = (str(workspace / ".git"),) if only[0] is Wall.BUBBLEWRAP else ()
    confinement = Confinement((str(workspace),), kept, network)
    argv = list(confined(argv, confinement, *only))
    return subprocess.run(argv, cwd=workspace, capture_output=True, check=False, timeout=30)


REMOUNTS = [
    "mount -o remount,rw,bind /; mount -o remount,rw /",
    "umount -l .git; umount -l /proc/sys",
    "unshare -Urm mount -o remount,rw,bind /",
    "mount -t proc proc /proc",
]


@pytest.mark.parametrize("way", REMOUNTS)
@pytest.mark.parametrize("only", WALLS)
def test_no_mount_is_made_writable(only, way, tmp_path, outside):
    touched = f"touch {outside}/x {'.git/x' if only[0] is Wall.BUBBLEWRAP else ''}"
    done = run(["sh", "-c", f"{way}; {touched}"], tmp_path, only)
    assert done.returncode != 0
    assert not list(outside.iterdir())
    assert not list((tmp_path / "workspace/.git").iterdir())


@pytest.mark.parametrize("only", WALLS)
def test_root_cannot_set_up_the_kernel(only, tmp_path):
    before = Path("/proc/sys/kernel/domainname").read_text()
    done = run(["sh", "-c", "echo changed > /proc/sys/kernel/domainname"], tmp_path, only)
    after = Path("/proc/sys/kernel/domainname").read_text()
    assert (done.returncode != 0, after) == (True, before)


@pytest.mark.parametrize("kind", ["b 1 1", "c 1 1"])
@pytest.mark.parametrize("only", WALLS)
def test_nobody_makes_a_device_of_their_own(only, kind, tmp_path):
    assert run(["sh", "-c", f"mknod disk {kind}"], tmp_path, only).returncode != 0
    assert not (tmp_path / "workspace/disk").exists()


@pytest.mark.parametrize("only", WALLS)
def test_what_others_own_in_the_workspace_can_be_worked_on(only, tmp_path):
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    if os.geteuid() == 0:
        os.chown(workspace, 12345, 12345)
    done = run(["sh", "-c", "echo x > new && chmod 600 new"], tmp_path, only)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("only", WALLS)
def test_no_process_outside_gets_a_signal(only, tmp_path):
    if only[0] is Wall.LANDLOCK and version() < _SCOPES:
        pytest.skip("this kernel's Landlock keeps no signals inside")
    with subprocess.Popen(["sleep", "60"]) as other:
        done = run(["sh", "-c", f"kill -9 {other.pid}"], tmp_path, only)
        still = other.poll() is None
        other.kill()
    assert (done.returncode != 0, still) == (True, True)


@pytest.mark.parametrize("network", [True, False])
@pytest.mark.parametrize("only", WALLS)
def test_no_service_does_what_a_confined_program_says(only, network, tmp_path, service):
    if only[0] is not Wall.BUBBLEWRAP:
        pytest.skip("sockets that have a file are no matter of this wall")
    argv = ["python3", "-c", CONNECT, repr(str(service))]
    assert subprocess.run(argv, check=False, timeout=30).returncode == 0
    assert run(argv, tmp_path, only, network=network).returncode != 0


@pytest.mark.parametrize("only", WALLS)
def test_no_abstract_socket_is_reached_without_a_network(only, tmp_path):
    if only[0] is Wall.LANDLOCK and version() < _SCOPES:
        pytest.skip("this kernel's Landlock keeps no abstract sockets inside")
    name = f"\0agent-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(name)
        listening.listen()
        argv = ["python3", "-c", CONNECT, repr(name)]
        assert run(argv, tmp_path, only).returncode != 0


def test_a_service_of_the_workspace_is_reached(tmp_path, service, outside):
    assert str(service) in of_services(())
    assert str(service) not in of_services((str(outside),))
    assert of_services((), tmp_path / "absent") == ()

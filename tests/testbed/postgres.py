"""A real Postgres from the system's package, run by an ordinary user in a folder of its own."""

import os
import pwd
import shutil
import socket
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from testbed.ordinary_user import NOBODY

PLACES = "/usr/lib/postgresql"


@cache
def programs() -> Path | None:
    """Where `initdb` and `postgres` are: the newest version, or what PATH names."""
    found = sorted(Path(PLACES).glob("*/bin/initdb"), key=lambda one: int(one.parts[-3]))
    on_path = shutil.which("initdb")
    place = found[-1] if found else Path(on_path) if on_path else None
    return place.parent if place and (place.parent / "postgres").exists() else None


needs_postgres = pytest.mark.skipif(
    programs() is None,
    reason=f"there is no Postgres: no initdb under {PLACES}/*/bin nor in PATH",
)


def free_port() -> int:
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        return int(tried.getsockname()[1])


class Postgres:
    """One server, which can be stopped and started again."""

    def __init__(self, folder: Path) -> None:
        self._data = folder / "data"
        self._port = free_port()
        self._folder = folder
        self._running: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"postgresql://tester@127.0.0.1:{self._port}/postgres"

    def make(self) -> None:
        if os.geteuid() == 0:
            shutil.chown(self._folder, NOBODY)
        self._run("initdb", "-D", str(self._data), "-U", "tester", "-A", "trust", "--no-sync")

    def start(self) -> None:
        options = f"-p {self._port} -c listen_addresses=127.0.0.1 -c fsync=off"
        options += f" -c unix_socket_directories={self._folder}"
        self._run("pg_ctl", "-D", str(self._data), "-w", "-o", options, "-l", "/dev/null", "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", str(self._data), "-w", "-m", "immediate", "stop")

    def _run(self, name: str, *words: str) -> None:
        place = programs()
        assert place is not None
        user = NOBODY if os.geteuid() == 0 else None
        done = subprocess.run(
            [str(place / name), *words],
            user=user,
            group=pwd.getpwuid(NOBODY).pw_gid if user else None,
            cwd=self._folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        assert done.returncode == 0, done.stdout.decode()


@contextmanager
def postgres() -> Generator[Postgres]:
    """Run a server. Its folder is not among pytest's, which other users cannot reach."""
    with TemporaryDirectory(prefix="postgres-") as folder:
        server = Postgres(Path(folder))
        server.make()
        server.start()
        try:
            yield server
        finally:
            server.stop()

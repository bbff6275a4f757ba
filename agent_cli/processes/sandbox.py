"""Walls around programs: what they can change at most, whoever let them run.

Reading stays free. A wall is one of

- bubblewrap: a mount namespace in which everything is read-only but the writable directories,
  and what is kept in them; a network namespace without interfaces; no /run, and no socket of a
  service; and of root's capabilities only those that writing in the workspace needs;
- Landlock, from Linux 5.13: the same for writing, but nothing inside a writable directory can be
  kept; of the network only TCP is closed, from Linux 6.7, and sockets that have a file are not;
- Seatbelt, by `sandbox-exec` on macOS: built from its documentation, unverified.

Sources: bwrap(1), landlock(7), sandbox-exec(1).
"""

import os
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from agent_cli.processes import _landlock, _sockets

_CAPABILITIES = ("CAP_DAC_OVERRIDE", "CAP_CHOWN", "CAP_FOWNER")
"""What root keeps. All others are ways out: whoever may mount makes every mount writable."""
_SERVICES = ("/run", "/var/run")
_RESOLVERS = ("/run/systemd/resolve", "/run/nscd", "/run/resolvconf", "/run/NetworkManager")
"""Where host names are looked up; needed with a network."""


class Wall(StrEnum):
    BUBBLEWRAP = "bubblewrap"
    LANDLOCK = "Landlock"
    SEATBELT = "Seatbelt"


class Confinement(Struct, frozen=True):
    """What a program may change at most. Paths are absolute, their links resolved."""

    writable: tuple[str, ...]
    """Directories that exist."""
    kept: tuple[str, ...] = ()
    """Paths in them that stay as they are; they exist as well."""
    network: bool = False


def candidates(environ: Mapping[str, str]) -> tuple[tuple[Wall, str], ...]:
    """Return the walls that this host seems to have, best first, each with its program."""
    found: list[tuple[Wall, str]] = []
    bubblewrap = _program("bwrap", environ)
    if bubblewrap and sys.platform == "linux":
        found.append((Wall.BUBBLEWRAP, bubblewrap))
    if _landlock.version() > 0:
        found.append((Wall.LANDLOCK, sys.executable))
    seatbelt = "/usr/bin/sandbox-exec"
    if sys.platform == "darwin" and os.access(seatbelt, os.X_OK):
        found.append((Wall.SEATBELT, seatbelt))
    return tuple(found)


def confined(
    argv: Sequence[str], confinement: Confinement, wall: Wall, program: str
) -> tuple[str, ...]:
    """Return what to run instead of `argv`, so that it runs behind the wall."""
    match wall:
        case Wall.BUBBLEWRAP:
            return (program, *_bubblewrap(confinement), "--", *argv)
        case Wall.LANDLOCK:
            return (*_landlock.command(program, confinement.writable, confinement.network), *argv)
        case Wall.SEATBELT:
            return (program, "-p", seatbelt_profile(confinement), *argv)


def _program(name: str, environ: Mapping[str, str]) -> str | None:
    """Find the program in an absolute directory of PATH: a relative one is the workspace's."""
    places = environ.get("PATH", "").split(os.pathsep)
    paths = (Path(place, name) for place in places if place.startswith("/"))
    return next((str(path) for path in paths if os.access(path, os.X_OK)), None)


def _bubblewrap(confinement: Confinement) -> list[str]:
    arguments = ["--die-with-parent", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"]
    if os.geteuid() == 0:
        for name in _CAPABILITIES:
            arguments += ["--cap-add", name]
    arguments += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    arguments += ["--ro-bind", "/proc/sys", "/proc/sys"]  # bubblewrap forgets it for root
    for place in sorted({os.path.realpath(place) for place in _SERVICES}):
        arguments += ["--tmpfs", place]
    if not confinement.network:
        arguments += ["--unshare-net"]
    else:
        for place in _RESOLVERS:
            arguments += ["--ro-bind-try", place, place]
    for path in confinement.writable:
        arguments += ["--bind", path, path]
    for path in confinement.kept:
        arguments += ["--ro-bind", path, path]
    for path in _sockets.of_services((*confinement.writable, *_SERVICES)):
        arguments += ["--ro-bind", "/dev/null", path]
    return arguments


def seatbelt_profile(confinement: Confinement) -> str:
    """Return the profile in Seatbelt's own language; later rules win."""
    lines = ["(version 1)", "(allow default)", "(deny file-write*)"]
    lines += [f'(allow file-write* (literal "/dev/{name}"))' for name in ("null", "tty", "zero")]
    lines += [f"(allow file-write* (subpath {_quoted(path)}))" for path in confinement.writable]
    lines += [f"(deny file-write* (subpath {_quoted(path)}))" for path in confinement.kept]
    if not confinement.network:
        lines.append("(deny network*)")
    return "\n".join(lines)


def _quoted(path: str) -> str:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'

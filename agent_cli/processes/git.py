"""Makes git inert: what the repository's own configuration would run does not run.

A repository says in its configuration which programs git is to start: to watch files, to filter,
to convert and to compare them, to page, sign, connect and log in. Whoever can write a
folder can so run anything at the next `git status`. `neutral` reads the configuration,
which runs nothing, and gives the environment that overrides every such value of the repository;
the user's own, from outside of it, stays in force.
"""

import asyncio
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from agent_cli.processes._inert import ALWAYS, FIXED, INERT, UNBEATABLE
from agent_cli.processes.run import Processes

_SECONDS = 20
_LONGEST = 4_000_000
"""Characters of configuration beyond which we rather do not vouch for it."""
_ROOM = 500_000
"""Characters of environment: with much more, programs do not start."""
_OWN = frozenset({"local", "worktree", "submodule"})
"""Scopes that belong to the repository."""
_RECORD = re.compile(r"([a-z]+)\0([^\0\n]+)(?:\n([^\0]*))?\0")
_SUBMODULE = re.compile(r"submodule\.(.+)\.[^.]+", re.DOTALL)


class _Value(Struct, frozen=True):
    scope: str
    key: str
    """Section and last part in lower case, as git prints it."""
    text: str


def directory(argv: Sequence[str], cwd: Path) -> Path:
    """Return where `git -C dir …` works."""
    rest = iter(argv[1:])
    for word in rest:
        if not word.startswith("-"):
            break
        if word == "-C":
            cwd /= next(rest, "")
    return cwd


async def neutral(
    processes: Processes, directories: Iterable[Path], environ: Mapping[str, str]
) -> dict[str, str] | None:
    """Return what git's environment needs besides `environ` to be inert in these directories.

    None where that cannot be vouched for; then somebody must be asked. It holds for as long as
    nobody changes the configuration.
    """
    places = _real(directories)
    try:
        found = await asyncio.gather(*(_values(processes, place) for place in places))
        if any(one is None for one in found):
            return None
        values = [value for one in found for value in one or ()]
        extra = _written([*_overrides(values)], environ)
        # To read .gitmodules git may read the index, and then it asks core.fsmonitor.
        named = await asyncio.gather(*(_submodules(processes, place, extra) for place in places))
    except OSError:
        return None
    if any(one is None for one in named):
        return None
    looks = [(f"submodule.{name}.ignore", "dirty") for one in named for name in one or ()]
    extra |= _written(looks, extra)
    if sum(len(text) for text in extra.values()) > _ROOM:
        return None
    return _settled(extra, values, places, environ)


def _real(directories: Iterable[Path]) -> list[Path]:
    return sorted({Path(os.path.realpath(one)) for one in directories})


def _settled(
    extra: dict[str, str],
    values: Iterable[_Value],
    places: Sequence[Path],
    environ: Mapping[str, str],
) -> dict[str, str] | None:
    """Add what the environment alone can say."""
    own = {value.key for value in values if value.scope in _OWN}
    if any(re.fullmatch(UNBEATABLE, key) for key in own):
        return None
    extra |= {"GIT_OPTIONAL_LOCKS": "0"}
    if "core.gitproxy" in own:  # the first value wins, so that ours would come too late
        extra["GIT_PROXY_COMMAND"] = environ.get("GIT_PROXY_COMMAND", "")
    if "core.worktree" not in own:
        return extra
    root = _root(places[0])
    return None if root is None or len(places) > 1 else extra | {"GIT_WORK_TREE": str(root)}


def _written(overrides: Sequence[tuple[str, str]], environ: Mapping[str, str]) -> dict[str, str]:
    """Write values as git reads them from the environment, behind those that are there."""
    count = environ.get("GIT_CONFIG_COUNT", "")
    first = int(count) if count.isdecimal() else 0
    extra = {"GIT_CONFIG_COUNT": str(first + len(overrides))}
    for number, (key, text) in enumerate(overrides, first):
        extra |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": text}
    return extra


def _overrides(values: Sequence[_Value]) -> Iterator[tuple[str, str]]:
    users: dict[str, list[str]] = {}
    for value in values:
        if value.scope not in _OWN:
            users.setdefault(value.key, []).append(value.text)
    own = dict.fromkeys(value.key for value in values if value.scope in _OWN)
    for key in own | dict.fromkeys(ALWAYS):
        text = next((text for pattern, text in INERT.items() if re.fullmatch(pattern, key)), None)
        if text is None:
            continue
        if key.startswith("credential."):  # a list: the empty value ends what came before it
            yield from ((key, one) for one in ("", *users.get(key, ())))
        else:
            yield key, users[key][-1] if key in users else text
    yield from FIXED.items()


async def _values(processes: Processes, place: Path) -> tuple[_Value, ...] | None:
    """Return the values that matter of all scopes; None if they cannot be read."""
    pattern = "|".join(f"^({one})$" for one in (*INERT, UNBEATABLE))
    argv = ("git", "config", "-z", "--show-scope", "--get-regexp", pattern)
    code, text = await _read(processes, argv, place, {})
    if code == 1 and not text:
        return ()
    if code != 0 or not re.fullmatch(rf"(?:{_RECORD.pattern})*", text) or "\ufffd" in text:
        return None
    return tuple(_Value(scope, key, value) for scope, key, value in _RECORD.findall(text))


async def _submodules(
    processes: Processes, place: Path, extra: Mapping[str, str]
) -> tuple[str, ...] | None:
    """Return the names of submodules: .gitmodules can have git look, and so run, in them."""
    root = _root(place) or place
    names: set[str] = set()
    for source in (
        ("--file", str(root / ".gitmodules")),
        ("--blob", ":.gitmodules"),
        ("--blob", "HEAD:.gitmodules"),
    ):
        argv = ("git", "config", "-z", *source, "--name-only", "--get-regexp", r"^submodule\.")
        code, text = await _read(processes, argv, place, extra)
        if code is None or "\ufffd" in text:
            return None
        if code == 0:
            names |= {found[1] for key in text.split("\0") if (found := _SUBMODULE.fullmatch(key))}
    return tuple(sorted(names))


async def _read(
    processes: Processes, argv: Sequence[str], place: Path, extra: Mapping[str, str]
) -> tuple[int | None, str]:
    """Return exit code and output, whole or longer than the limit.

    In the C locale: in another one, a pattern would not match names that are no text.
    """
    environ = (f"{name}={text}" for name, text in {**extra, "LC_ALL": "C"}.items())
    argv = ("env", *environ, *argv)
    pieces: list[str] = []
    length = 0

    def keep(text: str) -> None:
        nonlocal length
        length += len(text)
        if length - len(text) <= _LONGEST:
            pieces.append(text)

    finished = await processes.forgetting().run(argv, cwd=place, timeout=_SECONDS, on_output=keep)
    return (None if length > _LONGEST else finished.exit_code), "".join(pieces)


def _root(place: Path) -> Path | None:
    """Return the folder that holds `.git`, in which a repository belongs."""
    return next((one for one in (place, *place.parents) if os.path.lexists(one / ".git")), None)

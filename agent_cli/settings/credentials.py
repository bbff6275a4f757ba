"""Keys that the user gave once: in the system's keyring, or in a file that is the user's alone.

A stored key stands for an environment variable that is not set. It is put into the environment of
this program and treated like one that was exported there: hidden from commands, from sessions and
from the screen. The file is JSON: {"VARIABLE": {"key": "…"}} or {"VARIABLE": {"keyring": true}}.
"""

import os
from collections.abc import Mapping, MutableMapping
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import Meta, Struct

from agent_cli.i18n.catalog import say
from agent_cli.settings.places import config_file, is_inside
from agent_cli.settings.rewrite import rewrite
from agent_cli.types.errors import ConfigurationError

_SERVICE = "agent"
"""Under which the keyring has our keys."""


class Stored(Struct, frozen=True, omit_defaults=True):
    key: Annotated[str, Meta(pattern=r"\A[^\0]*\Z")] = ""
    keyring: bool = False


_Table: TypeAlias = dict[Annotated[str, Meta(pattern=r"\A[^\0=]+\Z")], Stored]
"""By variable; of what an environment can hold."""


def credentials_file(environ: Mapping[str, str]) -> Path:
    return config_file(environ).with_name("credentials.json")


def bring_keys(environ: MutableMapping[str, str], root: Path) -> None:
    """Put stored keys into the environment, where their variables are not set.

    None come from a file in the folder that is worked in: who wrote that could set anything, an
    address that gets the user's own keys, say. Raises ConfigurationError for a file that others
    could have read, or that is none of ours.
    """
    path = credentials_file(environ)
    if is_inside(path, root, environ):
        return
    for variable, stored in _read(path).items():
        if environ.get(variable):
            continue
        key = _from_keyring(variable) if stored.keyring else stored.key
        if key:
            environ[variable] = key


def store_key(environ: Mapping[str, str], variable: str, key: str) -> str:
    """Keep the key; return the name of the keyring that has it, empty for the file."""
    path = credentials_file(environ)
    _read(path)  # what others can read gets no key
    keyring = _into_keyring(variable, key)
    stored = Stored(keyring=True) if keyring else Stored(key)
    rewrite(path, lambda text: _encoded({**_decoded(path, text.encode()), variable: stored}))
    return keyring


def _read(path: Path) -> _Table:
    try:
        with path.open("rb") as file:
            found = os.fstat(file.fileno())
            data = file.read()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigurationError(
            say("cannot read {path!r}: {error}", path=str(path), error=error)
        ) from error
    if found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise ConfigurationError(
            say("{path!r} holds keys, and others can read it: chmod 600 it", path=str(path))
        )
    return _decoded(path, data)


def _decoded(path: Path, data: bytes) -> _Table:
    try:
        return msgspec.json.decode(data or b"{}", type=_Table)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            say(
                "{path!r} is not what `agent setup` wrote: {error}; repair or remove it",
                path=str(path),
                error=error,
            )
        ) from error


def _encoded(table: _Table) -> str:
    return msgspec.json.format(msgspec.json.encode(table)).decode() + "\n"


def _into_keyring(variable: str, key: str) -> str:
    """Return the name of the keyring that took the key; empty where there is none."""
    try:
        keyring: Any = import_module("keyring")
    except ImportError:
        return ""
    backend = keyring.get_keyring()
    if backend.priority < 1:  # keyrings that keep nothing, or keep it in the open
        return ""
    try:
        backend.set_password(_SERVICE, variable, key)
    except keyring.errors.KeyringError:
        return ""
    return str(backend.name)


def _from_keyring(variable: str) -> str:
    try:
        keyring: Any = import_module("keyring")
    except ImportError as error:
        raise _closed(variable, str(error)) from error
    try:
        return keyring.get_password(_SERVICE, variable) or ""
    except keyring.errors.KeyringError as error:
        raise _closed(variable, str(error)) from error


def _closed(variable: str, why: str) -> ConfigurationError:
    return ConfigurationError(
        say(
            "the key of {variable} is in a keyring that cannot be opened: {why}; set the variable, "
            "or run `agent setup` again",
            variable=variable,
            why=why,
        )
    )

"""Settings from their layers: managed, flags, environment, project-local, project, user, defaults.

The first that says something is heard; deny and ask rules of all of them hold.
Each layer is checked alone first, so that an error names the place where the fault was made.
A project's files are never opened here: who trusts the folder hands over the content they trust.
"""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from agent_cli.i18n.catalog import say
from agent_cli.settings.check import SettingError, check, converted, single_values
from agent_cli.settings.managed import managed_file, read_managed
from agent_cli.settings.merge import merge
from agent_cli.settings.places import config_file, is_inside, rules_file
from agent_cli.settings.project import Ignored, Keys, Reason, permitted, tightening
from agent_cli.settings.schema import Settings
from agent_cli.types.errors import ConfigurationError

Table: TypeAlias = dict[str, Any]

_MOST_PLACED = 10
"""Settings of one file whose lines are looked for: nobody's file makes us search for long."""


class ProjectFile(Struct, frozen=True):
    """A settings file of a trusted folder, with the content that was trusted."""

    path: Path
    content: bytes


class Folder(Struct, frozen=True):
    """The folder that is worked in, and what of its settings is trusted, lowest first."""

    root: Path
    files: tuple[ProjectFile, ...] = ()


class Source(StrEnum):
    """Who says something, lowest first."""

    USER = "user"
    PROJECT = "project"
    ENVIRONMENT = "environment"
    FLAGS = "flags"
    MANAGED = "managed"


class Layer(Struct, frozen=True):
    """What one source says."""

    source: Source
    place: str
    """The file; empty for what is no file."""
    table: Table


class Loaded(Struct, frozen=True):
    settings: Settings
    ignored: tuple[Ignored, ...] = ()
    """What was set and has no effect; for the user to hear."""
    layers: tuple[Layer, ...] = ()
    """Those that say something, lowest first."""


def load(environ: Mapping[str, str], flags: Mapping[str, object] | None = None) -> Settings:
    """Return the settings that hold in every folder. Flags are keyed by dotted path."""
    return load_layers(environ, flags).settings


def load_layers(
    environ: Mapping[str, str],
    flags: Mapping[str, object] | None = None,
    folder: Folder | None = None,
    managed: Path | None = None,
) -> Loaded:
    """Return the settings in force. A flag that is None was not given."""
    ignored: list[Ignored] = []
    managed = managed or managed_file()
    own = _user_layer(environ, folder, ignored)
    layers, merged = [Layer(Source.USER, str(config_file(environ)), own)], own
    for file in folder.files if folder else ():
        said = _project_layer(file, merged, environ, ignored)
        layers.append(Layer(Source.PROJECT, str(file.path), said))
        merged = merge(merged, said)
    above = (
        Layer(Source.ENVIRONMENT, "", from_environment(environ)),
        Layer(Source.FLAGS, "", from_flags(flags or {})),
        Layer(Source.MANAGED, str(managed), _managed_layer(managed, ignored)),
    )
    for layer in above:
        merged = merge(merged, layer.table)
    saying = tuple(layer for layer in (*layers, *above) if layer.table)
    return Loaded(msgspec.convert(merged, Settings), tuple(ignored), saying)


def read_file(path: Path) -> Table:
    """Return the file's table, checked; an absent file is an empty one."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            say("cannot read {path!r}: {error}", path=str(path), error=error)
        ) from error
    return _checked(path, text, _parsed(path, text))


def own_language(environ: Mapping[str, str]) -> str:
    """Return the language that the user's file asks for.

    It is empty if the file cannot be used: it is read again by whoever needs it whole, and only
    then found fault with.
    """
    try:
        return str(read_file(config_file(environ)).get("language") or "")
    except ConfigurationError:
        return ""


def from_environment(environ: Mapping[str, str]) -> Table:
    """Return the layer of AGENT_* variables: AGENT_MODEL, AGENT_APPROVAL_WRITE and so on.

    Every setting that is one value has its variable; an empty variable counts as not set.
    """
    layer: Table = {}
    if not any(name.startswith("AGENT_") for name in environ):
        return layer
    for keys, type_ in single_values().items():
        variable = "AGENT_" + "_".join(keys).upper()
        text = environ.get(variable, "")
        if not text:
            continue
        try:
            value = converted(text, type_, keys, strict=False)
        except SettingError as fault:
            raise ConfigurationError(
                say("environment variable {variable}: {fault}", variable=variable, fault=fault)
            ) from fault
        _put(layer, keys, value)
    return layer


def from_flags(flags: Mapping[str, object]) -> Table:
    layer: Table = {}
    for path, value in flags.items():
        if value is not None:
            _put(layer, tuple(path.split(".")), value)
    layer = msgspec.to_builtins(layer)
    try:
        check(layer)
    except SettingError as fault:
        raise ConfigurationError(say("on the command line: {fault}", fault=fault)) from fault
    return layer


def digest(settings: Settings) -> str:
    """Return a fingerprint, equal for equal settings."""
    from hashlib import sha256  # noqa: PLC0415 - only a session that starts needs it

    return sha256(msgspec.json.encode(settings, order="deterministic")).hexdigest()


def _user_layer(environ: Mapping[str, str], folder: Folder | None, ignored: list[Ignored]) -> Table:
    path = config_file(environ)
    if folder and is_inside(path, folder.root, environ):
        if path.exists():
            ignored.append(Ignored(str(path), "", Reason.INSIDE))
        return {}
    return _with_remembered(read_file(path), rules_file(environ))


def _with_remembered(table: Table, path: Path) -> Table:
    """Return the user's table with the rules that they have answered with for good."""
    if not path.exists():
        return table
    from agent_cli.settings.remembered import remembered  # noqa: PLC0415 - tomllib, as below

    own = table.get("approval", {}).get("rules", {}).get("allow", [])
    allow = [*own, *remembered(path)]
    return merge(table, {"approval": {"rules": {"allow": allow}}})


def _project_layer(
    file: ProjectFile, below: Table, environ: Mapping[str, str], ignored: list[Ignored]
) -> Table:
    """Return what a project's file may change of the layers below it."""
    try:
        text = file.content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigurationError(
            say("cannot read {path!r}: {error}", path=str(file.path), error=error)
        ) from error

    def note(refused: tuple[tuple[Keys, Reason], ...]) -> None:
        for number, (keys, reason) in enumerate(refused):
            place = _place(file.path, text, keys) if number < _MOST_PLACED else str(file.path)
            ignored.append(Ignored(place, ".".join(keys), reason))

    table, refused = permitted(_parsed(file.path, text))
    note(refused)
    held = msgspec.to_builtins(msgspec.convert(below, Settings))
    layer, refused = tightening(_checked(file.path, text, table), held, environ)
    note(refused)
    return layer


def _managed_layer(path: Path, ignored: list[Ignored]) -> Table:
    text = read_managed(path)
    if text is None:
        ignored.append(Ignored(str(path), "", Reason.UNSAFE))
    return _checked(path, text, _parsed(path, text)) if text else {}


def _parsed(path: Path, text: str) -> Table:
    import tomllib  # noqa: PLC0415 - 11 ms that a start without a file saves

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigurationError(
            say("{path}: not valid TOML: {error}", path=path, error=error)
        ) from error


def _checked(path: Path, text: str, table: Table) -> Table:
    try:
        check(table)
    except SettingError as fault:
        raise ConfigurationError(f"{_place(path, text, fault.keys)}: {fault}") from fault
    return table


def _place(path: Path, text: str, keys: Keys) -> str:
    from agent_cli.settings.locate import line_of  # noqa: PLC0415 - only a mistake needs it

    line = line_of(text, keys)
    return f"{path}:{line}" if line else str(path)


def _put(layer: Table, keys: tuple[str, ...], value: object) -> None:
    for key in keys[:-1]:
        layer = layer.setdefault(key, {})
    layer[keys[-1]] = value

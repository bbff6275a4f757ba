"""`agent config`: what is set, by whom, and which layer of the settings wins."""

import os
import sys
import tomllib
from collections.abc import Iterable
from typing import Annotated, Any

import msgspec
import typer

from agent_cli.cli.options import Cwd, directory
from agent_cli.cli.trust_view import ignored_remark
from agent_cli.cli.trusting import layers_in
from agent_cli.frontends.sanitiser import in_one_line
from agent_cli.i18n.catalog import say
from agent_cli.runtime.redaction import secrets
from agent_cli.settings.check import SettingError, single_values
from agent_cli.settings.edit import key_of
from agent_cli.settings.explain import Explained, Keys, Said, explain, settings_made
from agent_cli.settings.load import Loaded, Source
from agent_cli.settings.schema import Settings
from agent_cli.types.redaction import Redactor


def command(
    key: Annotated[
        str, typer.Option("--explain", metavar="KEY", help="Every layer's word on this setting.")
    ] = "",
    everything: Annotated[bool, typer.Option("--all", help="Defaults, too.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a setting.")] = False,
    cwd: Cwd = None,
) -> None:
    """Show the settings in force here, and who made each. Keys of providers are never shown."""
    root = directory(cwd)
    loaded = layers_in(root, os.environ)
    try:
        wanted = [_keys(key)] if key else _listed(loaded, everything=everything)
        found = [explain(loaded, keys) for keys in wanted]
    except SettingError as error:
        raise typer.BadParameter(str(error), param_hint="--explain") from error
    lines = map(_json, found) if json else _explained(found[0]) if key else map(_line, found)
    for ignored in loaded.ignored:
        sys.stderr.write(ignored_remark(ignored) + "\n")
    hidden = _hiding(loaded)
    for line in list(lines) or [say("nothing is set: every setting has its default; --all")]:
        sys.stdout.write(hidden.text(line) + "\n")


def _hiding(loaded: Loaded) -> Redactor:
    """Hide what any layer holds, for the lower ones are shown as well."""
    layers = [msgspec.convert(layer.table, Settings) for layer in loaded.layers]
    return Redactor(frozenset[str]().union(*(secrets(one, os.environ) for one in layers)))


def _keys(dotted: str) -> Keys:
    """Return the path that is meant: `models."ollama/x".vision` is written as in the file."""
    try:
        table: Any = tomllib.loads(f"{dotted} = 0")
    except tomllib.TOMLDecodeError:
        return (dotted,)
    keys: list[str] = []
    while isinstance(table, dict):
        ((name, table),) = table.items()  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] - TOML
        keys.append(str(name))  # pyright: ignore[reportUnknownArgumentType] - TOML
    return tuple(keys)


def _listed(loaded: Loaded, *, everything: bool) -> list[Keys]:
    made = settings_made(loaded)
    return sorted({*made, *single_values()}) if everything else made


def _line(found: Explained) -> str:
    said = [said for said in found.said if said.holds]
    who = ", ".join(_who(one, found.keys) for one in said) or say("default")
    return f"{_dotted(found.keys)} = {_shown(found.value)}  ({who})"


def _explained(found: Explained) -> Iterable[str]:
    yield f"{_dotted(found.keys)} = {_shown(found.value)}"
    for said in found.said:
        mark = "→" if said.holds else " "
        why = "" if said.holds else say(", hidden by the one above")
        yield f"  {mark} {_who(said, found.keys)}: {_shown(said.value)}{why}"
    mark = " " if found.said else "→"
    yield f"  {mark} {say('default')}: {_shown(found.default)}"


def _who(said: Said, keys: Keys) -> str:
    """Name the layer, and where in it the setting stands."""
    match said.layer.source:
        case Source.ENVIRONMENT:
            return say("environment") + f" AGENT_{'_'.join(keys).upper()}"
        case Source.FLAGS:
            return say("command line")
        case Source.USER:
            name = say("yours")
        case Source.PROJECT:
            name = say("this project's")
        case Source.MANAGED:
            name = say("managed")
    line = f":{said.line}" if said.line else ""
    return f"{name}, {in_one_line(said.layer.place)}{line}"


def _json(found: Explained) -> str:
    said = [
        {
            "layer": one.layer.source.value,
            "place": one.layer.place,
            "value": one.value,
            "holds": one.holds,
        }
        for one in found.said
    ]
    record = {
        "key": _dotted(found.keys),
        "value": found.value,
        "default": found.default,
        "said": said,
    }
    return msgspec.json.encode(record).decode()


def _dotted(keys: Keys) -> str:
    return in_one_line(".".join(map(key_of, keys)))


def _shown(value: object) -> str:
    return "-" if value is None else in_one_line(msgspec.json.encode(value).decode())

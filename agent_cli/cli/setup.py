"""`agent setup`: from nothing to a model that answers, in one screen or with flags alone."""

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from agent_cli.cli.setup_choices import Choice, choices, own_server, typed_line
from agent_cli.engine.outcomes import EXIT_STATUS, Verdict
from agent_cli.frontends.sanitiser import in_one_line, visible
from agent_cli.i18n.catalog import say
from agent_cli.providers.listing import list_models
from agent_cli.providers.registry import resolve
from agent_cli.providers.rows import ROWS
from agent_cli.settings.credentials import bring_keys, credentials_file, store_key
from agent_cli.settings.load import load
from agent_cli.settings.places import config_file
from agent_cli.settings.put import put
from agent_cli.settings.schema import Settings
from agent_cli.types.errors import Fault, ProviderError

_YES = frozenset({"y", "yes", ""})
_PATIENCE = 15.0
"""Seconds for the question that tries a key."""


class Given(Struct, frozen=True):
    """What the flags say."""

    provider: str
    model: str
    url: str
    key_env: str
    key_stdin: bool
    yes: bool


def command(
    provider: Annotated[str, typer.Option(help="anthropic, openai, ollama, or a new name.")] = "",
    model: Annotated[str, typer.Option("--model", "-m", help="Its name of the model.")] = "",
    url: Annotated[str, typer.Option(help="Of a server that speaks OpenAI's formats.")] = "",
    key_env: Annotated[str, typer.Option(help="The variable that holds the key.")] = "",
    key_stdin: Annotated[bool, typer.Option(help="Keep the key that standard input has.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    check: Annotated[bool, typer.Option(help="Ask the provider for its models.")] = True,
) -> None:
    """Choose a model, keep its key, and try both.

    Shows what is here already: servers on this machine and keys in the environment. A key goes
    into the system's keyring, or into a file that only you can read. Exit status 41 for a key
    that is refused; nothing is written then.
    """
    bring_keys(os.environ, Path.cwd())
    given = Given(provider, model, url, key_env, key_stdin, yes)
    if not provider and not url and not sys.stdin.isatty():
        raise typer.BadParameter(
            say("there is no terminal to ask on: add --provider or --url"), param_hint="--provider"
        )
    choice = _of_flags(given) if provider or url else _asked()
    environ = {**os.environ, choice.variable: choice.key} if choice.key else os.environ
    settings = choice.applied(load(os.environ))
    if check:
        choice = _checked(choice, settings, environ, given)
    if not choice.model:
        raise typer.BadParameter(say("say which model"), param_hint="--model")
    if not yes and not _agreed(choice):
        raise typer.Exit(1)
    _write(choice)
    sys.stdout.write("\n" + say("Next: agent") + "\n")


def _of_flags(given: Given) -> Choice:
    key = sys.stdin.readline().strip() if given.key_stdin else ""
    if given.url:
        return own_server(given.provider or "own", given.url, given.key_env, key, given.model)
    row = ROWS.get(given.provider)
    if row is None:
        raise typer.BadParameter(
            say(
                "unknown provider {provider!r}: known are {known}; your own server needs --url",
                provider=given.provider,
                known=", ".join(ROWS),
            ),
            param_hint="--provider",
        )
    variable = given.key_env or (row.keys[0] if row.keys else "")
    own = given.key_env if given.key_env not in ("", *row.keys) else ""
    return Choice(given.provider, given.model, variable, key, key_env=own)


def _asked() -> Choice:
    offered = choices(os.environ)
    for number, (line, _) in enumerate(offered, 1):
        sys.stdout.write(f"  {number}. {in_one_line(line)}\n")
    answer = typed_line(say("Number: "))
    if not answer.isdecimal() or not 0 < int(answer) <= len(offered):
        raise typer.BadParameter(
            say(
                "{answer!r} is none of them: give a number from 1 to {found}",
                answer=answer,
                found=len(offered),
            )
        )
    return offered[int(answer) - 1][1]()


def _checked(
    choice: Choice, settings: Settings, environ: Mapping[str, str], given: Given
) -> Choice:
    """Ask the provider for its models; let the user choose one where there is none yet."""
    resolved = resolve(f"{choice.provider}/{choice.model or '-'}", settings, environ)
    if resolved.sdk:
        return choice
    try:
        listed = asyncio.run(list_models(resolved.endpoint, resolved.codec, _PATIENCE))
    except ProviderError as error:
        if error.fault is Fault.AUTHENTICATION:
            sys.stderr.write(visible(say("the key was refused: {why}", why=error)) + "\n")
            raise typer.Exit(EXIT_STATUS[Verdict.AUTHENTICATION]) from error
        sys.stderr.write(visible(say("its models could not be listed: {why}", why=error)) + "\n")
        return choice
    names = [model.id for model in listed]
    sys.stdout.write(say("it answers; models: {count}", count=len(names)) + "\n")
    if choice.model and choice.model not in names:
        unlisted = say("it does not list {model!r}", model=choice.model)
        sys.stderr.write(visible(unlisted) + "\n")
    if choice.model or not names or given.yes or not sys.stdin.isatty():
        return choice if choice.model or not names else choice.with_model(names[0])
    for name in names[:20]:
        sys.stdout.write(f"  {in_one_line(name)}\n")
    return choice.with_model(typed_line(say("Model [{first}]: ", first=names[0])) or names[0])


def _agreed(choice: Choice) -> bool:
    if not sys.stdin.isatty():
        return True
    sys.stdout.write("\n" + say("This will be written to {path}:", path=_settings()) + "\n")
    for keys, value in choice.settings().items():
        sys.stdout.write(f"  {in_one_line('.'.join(keys))} = {in_one_line(repr(value))}\n")
    if choice.key:
        place = credentials_file(os.environ)
        kept = say("{variable}: in the keyring, or in {path}", variable=choice.variable, path=place)
        sys.stdout.write(f"  {kept}\n")
    return typed_line(say("Write it? [Y]es, [n]o: ")).lower() in _YES


def _write(choice: Choice) -> None:
    put(config_file(os.environ), choice.settings())
    sys.stdout.write(say("written: {path}", path=_settings()) + "\n")
    if choice.key:
        keyring = store_key(os.environ, choice.variable, choice.key)
        place = keyring or str(credentials_file(os.environ))
        sys.stdout.write(say("the key is kept in {place}", place=place) + "\n")


def _settings() -> str:
    return str(config_file(os.environ))

"""Finds the command and runs it; only that command's module is imported.

The bare command starts a session, so its first word may be a prompt: a word is a command only
if it is one of ours and comes before any prompt.
"""

import os
import sys
import traceback
from collections.abc import Callable
from importlib import import_module

import typer

from agent_cli.cli.arguments import wants_json, with_resume_value, with_sentences_last
from agent_cli.cli.spoken_help import command_of
from agent_cli.cli.standard_streams import prepare
from agent_cli.cli.typer_start import skip_pydantic
from agent_cli.engine.outcomes import EXIT_STATUS, Verdict
from agent_cli.frontends.sanitiser import visible
from agent_cli.i18n.catalog import prefer, say
from agent_cli.settings.load import own_language
from agent_cli.settings.secrets import MissingKeyError
from agent_cli.types.errors import ConfigurationError, JournalError

COMMANDS = {
    "completion": "print what a shell needs to complete commands",
    "config": "show what is set, and which layer wins",
    "demo": "watch a session without a key",
    "doctor": "check keys, servers and tools",
    "import": "bring over what Roo Code was set up with",
    "mcp": "add, list, remove and test servers of tools",
    "models": "list the models that are known",
    "policy": "judge commands, and try rules on past sessions",
    "proxy": "give any client managed tools, between it and its model",
    "replay": "play a session again, and compare",
    "run": "do one task and exit (also: exec, -p)",
    "sessions": "list, search, name, fork, export and delete sessions",
    "setup": "choose a model, and keep its key",
    "stats": "count sessions, tools, tokens and cost",
    "tool": "run one tool, for scripts and tests",
    "tools": "show what tools do, take and fail for",
    "trust": "look at what a folder would change, and trust it",
    "undo": "take back what a session changed",
    "verify": "check that a session adds up",
}
_ALIASES = {"exec": "run"}
_MODULES = {"import": "importing"}
_BARE = {"sessions": "list"}
"""What is meant where none of several commands is named."""


def run(arguments: list[str]) -> int:
    """Run the command line; return the exit status."""
    prepare()
    name, rest = route(arguments)
    skip_pydantic()
    prefer(own_language(os.environ))
    command = command_of(app_of(name))
    ended, message = Verdict.BUG, ""
    try:
        command(rest, prog_name="agent" if name == "start" else f"agent {name}")
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else 1
        if status != EXIT_STATUS[Verdict.USAGE]:
            return status
        ended = Verdict.USAGE
    except MissingKeyError as error:
        ended, message = Verdict.AUTHENTICATION, str(error)
    except (ConfigurationError, JournalError) as error:
        ended, message = Verdict.CONFIGURATION, str(error)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads any more
        return 128 + 13
    except Exception:  # noqa: BLE001 - the last resort: say that it is our fault
        sys.stderr.write(_without_secrets(traceback.format_exc()))
        message = say("This is a bug in agent; please report it.")
    else:
        return 0
    return _refuse(ended, message, as_json=name == "start" and wants_json(rest))


def _without_secrets(text: str) -> str:
    from agent_cli.runtime.redaction import secrets  # noqa: PLC0415 - a crash is rare
    from agent_cli.settings.schema import Settings  # noqa: PLC0415 - as above
    from agent_cli.types.redaction import Redactor  # noqa: PLC0415 - as above

    return Redactor(secrets(Settings(), os.environ)).text(text)


def app_of(name: str) -> typer.Typer:
    """Return the parser of one command, or of the several that its module has."""
    module = import_module(f"agent_cli.cli.{_MODULES.get(name, name)}")
    app = typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
    if register := getattr(module, "register", None):
        register(app)
        return app
    commands: dict[str, Callable[..., None]] = getattr(module, "COMMANDS", None) or {
        name: module.command
    }
    for word, command in commands.items():
        app.command(word, epilog=_epilog() if name == "start" else None)(command)
    return app


def route(arguments: list[str]) -> tuple[str, list[str]]:
    """Return the command's module and its arguments."""
    arguments = with_sentences_last(with_resume_value(arguments))
    if not arguments or arguments[0].startswith("-"):
        return "start", arguments
    name = _ALIASES.get(arguments[0], arguments[0])
    if name == "run":
        return "start", ["--print", *arguments[1:]]
    if name in COMMANDS:
        rest = arguments[1:]
        bare = not rest or (rest[0].startswith("-") and rest[0] != "--help")
        return name, [_BARE[name], *rest] if bare and name in _BARE else rest
    return "start", arguments


def _refuse(verdict: Verdict, message: str, *, as_json: bool) -> int:
    """Say why nothing came of it; a program that reads JSON gets its result line."""
    if message:
        sys.stderr.write(f"agent: {visible(message)}\n")
    if as_json:
        from agent_cli.frontends.headless.json_result import refused  # noqa: PLC0415 - rare

        refused(verdict, message)
    return EXIT_STATUS[verdict]


def _epilog() -> str:
    lines = [f"agent {name}: {say(text)}." for name, text in COMMANDS.items()]
    return "\n\n".join([say("Commands:"), *lines])

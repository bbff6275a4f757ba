"""Finds the command and runs it; only that command's module is imported.

The bare command starts a session, so its first word may be a prompt: a word is a command only
if it is one of ours and comes before any prompt.
"""

import os
import sys
import traceback
from importlib import import_module

import typer

from agent_cli.cli.resume import PICK
from agent_cli.cli.typer_start import skip_pydantic
from agent_cli.engine.outcomes import EXIT_STATUS, Verdict
from agent_cli.frontends.sanitiser import visible
from agent_cli.i18n.catalog import say
from agent_cli.settings.secrets import MissingKeyError
from agent_cli.types.errors import ConfigurationError, JournalError

COMMANDS = {
    "demo": "watch a session without a key",
    "doctor": "check keys, servers and tools",
    "models": "list the models that are known",
    "run": "do one task and exit (also: exec, -p)",
    "sessions": "list the sessions",
    "tool": "run one tool, for scripts and tests",
    "trust": "look at what a folder would change, and trust it",
    "verify": "check that a session adds up",
}
_ALIASES = {"exec": "run"}


def run(arguments: list[str]) -> int:
    """Run the command line; return the exit status."""
    name, rest = route(arguments)
    skip_pydantic()
    module = import_module(f"agent_cli.cli.{name}")
    app = typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
    app.command(name, epilog=None if name != "start" else _epilog())(module.command)
    try:
        app(rest, prog_name="agent" if name == "start" else f"agent {name}")
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 1
    except MissingKeyError as error:
        return _refuse(error, Verdict.AUTHENTICATION)
    except (ConfigurationError, JournalError) as error:
        return _refuse(error, Verdict.CONFIGURATION)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads any more
        return 128 + 13
    except Exception:  # noqa: BLE001 - the last resort: say that it is our fault
        traceback.print_exc()
        sys.stderr.write(say("This is a bug in agent; please report it.") + "\n")
        return EXIT_STATUS[Verdict.BUG]
    return 0


def route(arguments: list[str]) -> tuple[str, list[str]]:
    """Return the command's module and its arguments."""
    arguments = with_resume_value(arguments)
    if not arguments or arguments[0].startswith("-"):
        return "start", arguments
    name = _ALIASES.get(arguments[0], arguments[0])
    if name == "run":
        return "start", ["--print", *arguments[1:]]
    if name in COMMANDS:
        return name, arguments[1:]
    return "start", arguments


def with_resume_value(arguments: list[str]) -> list[str]:
    """Give `--resume` without an id the value that asks for a choice."""
    made: list[str] = []
    for position, argument in enumerate(arguments):
        made.append(argument)
        following = arguments[position + 1 : position + 2]
        if argument in ("-r", "--resume") and (not following or following[0].startswith("-")):
            made.append(PICK)
    return made


def _refuse(error: Exception, verdict: Verdict) -> int:
    sys.stderr.write(f"agent: {visible(str(error))}\n")
    return EXIT_STATUS[verdict]


def _epilog() -> str:
    lines = [f"agent {name}: {say(text)}." for name, text in COMMANDS.items()]
    return "\n\n".join([say("Commands:"), *lines])

"""`agent policy`: what the rules say of commands, and what new rules would have changed."""

import os
import signal
import sys
from typing import Annotated, TypeAlias

import typer

from agent_cli.frontends.sanitiser import visible

Against: TypeAlias = Annotated[
    str, typer.Option("--against", metavar="SESSIONS", help="A session's file or id, or a folder.")
]
Rules: TypeAlias = Annotated[list[str] | None, typer.Option(help="A rule as in the settings.")]


def check() -> None:
    """Judge commands, executing nothing: one JSON line each on standard input.

    A line is {"cmd": text, "allow": [rules], "deny": [rules], "cwd": directory}, a rule bare
    words such as "git diff". For each, and in order, comes a line {"verdict": "allow", "ask" or
    "deny", "reason": text, "part": text}. The user's settings hold as well. Exit status 2 when a
    line was none of this: it is denied.
    """
    from agent_cli.cli.policy_check import answers  # noqa: PLC0415 - the grammar, for this only
    from agent_cli.settings.load import load  # noqa: PLC0415 - as above

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # there is nothing to tidy up
    understood = True
    for answer in answers(sys.stdin.buffer, load(os.environ).approval):
        sys.stdout.write(answer.line + "\n")
        sys.stdout.flush()
        if answer.error:
            sys.stderr.write(visible(answer.error) + "\n")
            understood = False
    raise typer.Exit(0 if understood else 2)


def try_rules(against: Against, allow: Rules = None, ask: Rules = None, deny: Rules = None) -> None:
    """Say which calls of past sessions the settings with these rules would decide otherwise.

    Rules are written as in the settings: execute_command(git diff), write_to_file(docs/**).
    """
    from agent_cli.cli.policy_against import report  # noqa: PLC0415 - for this only

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # as above
    new = (tuple(allow or ()), tuple(ask or ()), tuple(deny or ()))
    for line in report(os.environ, against, *new):
        sys.stdout.write(line + "\n")


COMMANDS = {"check": check, "test": try_rules}

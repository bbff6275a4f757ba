"""The output formats there are: every module of this package that defines `OUTPUT`."""

from importlib import import_module
from typing import Protocol

from msgspec import Struct

from agent_cli.engine.outcomes import Verdict
from agent_cli.engine.task import State
from agent_cli.i18n.catalog import say
from agent_cli.runtime.frontend import Frontend
from agent_cli.types.errors import ConfigurationError

FORMATS = {"text": "text", "json": "json_result", "stream-json": "json_lines"}
"""Name on the command line to module."""


class Ending(Struct, frozen=True):
    """How a one-shot run ended."""

    verdict: Verdict
    exit_status: int
    message: str = ""
    """What a person should know of it; empty for a completion."""


class Output(Frontend, Protocol):
    """A frontend that closes with the verdict."""

    def finish(self, state: State, ending: Ending) -> None: ...


def output(name: str) -> Output:
    """Return a fresh output of this format; raises ConfigurationError."""
    module = FORMATS.get(name)
    if module is None:
        known = ", ".join(FORMATS)
        raise ConfigurationError(
            say("unknown output format {name!r}: use one of {known}", name=name, known=known)
        )
    made: Output = import_module(f"agent_cli.frontends.headless.{module}").OUTPUT()
    return made

"""Which model to ask when nobody said: a key in the environment, a local server, or nothing."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from agent_cli.i18n.catalog import say
from agent_cli.sessions.catalog import last_model
from agent_cli.settings.schema import Settings
from agent_cli.settings.secrets import MissingKeyError

if TYPE_CHECKING:
    from agent_cli.cli.local_servers import LocalServer


class Candidate(Struct, frozen=True):
    variable: str
    model: str


KEYS = (
    Candidate("ANTHROPIC_API_KEY", "anthropic/claude-sonnet-5-5"),
    Candidate("OPENAI_API_KEY", "openai/gpt-6.2-sol"),
    Candidate("OPENROUTER_API_KEY", "openrouter/anthropic/claude-sonnet-4.5"),
)


class NoModelError(MissingKeyError):
    """Nothing was found to ask; the message is the whole screen."""

    def __init__(self, found: "tuple[LocalServer, ...]") -> None:
        super().__init__("any provider", tuple(candidate.variable for candidate in KEYS))
        self.args = (_screen(found),)


def choose_model(
    said: str, settings: Settings, environ: Mapping[str, str], resumed: Path | None
) -> str:
    """Return `provider/name`: the one said, or of the session that is gone on with, or set.

    Raises NoModelError when there is none.
    """
    if said:
        return said
    if resumed is not None:
        return last_model(resumed)
    if settings.model:
        return settings.model
    for candidate in KEYS:
        if environ.get(candidate.variable):
            sys.stderr.write(
                say(
                    "model: {model}, because {variable} is set; -m chooses another",
                    model=candidate.model,
                    variable=candidate.variable,
                )
                + "\n"
            )
            return candidate.model
    from agent_cli.cli.local_servers import local_servers  # noqa: PLC0415 - asyncio, rarely

    servers = local_servers(environ)
    for server in servers:
        if server.models:
            model = f"{server.name}/{server.models[0]}"
            sys.stderr.write(say("model: {model}, found on this machine", model=model) + "\n")
            return model
    raise NoModelError(servers)


def _screen(servers: "tuple[LocalServer, ...]") -> str:
    from agent_cli.cli.local_servers import PORTS  # noqa: PLC0415 - as above

    names = ", ".join(candidate.variable for candidate in KEYS)
    found = ", ".join(f"{server.name} {server.place}" for server in servers)
    ports = ", ".join(f"{name} :{port}" for name, port in PORTS.items())
    lines = [
        say("there is no model to ask."),
        "",
        say("  looked for keys:     {names}", names=names),
        say("  looked for servers:  {ports}", ports=ports),
        say("  listening:           {found}", found=found or say("none")),
        "",
        say("Three ways on:"),
        say("  1. agent demo                       watch a real session, no key needed"),
        say("  2. agent setup                      paste a key, or choose a server"),
        say("  3. export ANTHROPIC_API_KEY=…       or one of the keys above, then: agent"),
    ]
    return "\n".join(lines)

"""Which model to ask when nobody said: a key in the environment, a local server, or nothing."""

import socket
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from agent_cli.i18n.catalog import say
from agent_cli.sessions.catalog import last_model
from agent_cli.settings.schema import Settings
from agent_cli.settings.secrets import MissingKeyError


class Candidate(Struct, frozen=True):
    variable: str
    model: str


KEYS = (
    Candidate("ANTHROPIC_API_KEY", "anthropic/claude-sonnet-5-5"),
    Candidate("OPENAI_API_KEY", "openai/gpt-6.2-sol"),
    Candidate("OPENROUTER_API_KEY", "openrouter/anthropic/claude-sonnet-4.5"),
)

LOCAL = {"ollama": 11434, "lmstudio": 1234, "llamacpp": 8080, "vllm": 8000}
"""Servers that are looked for on the loopback address, with their usual ports."""

_PROBE = 0.15
"""Seconds that a local server has to answer the connection."""

_ANSWER = 1.0
"""Seconds that it has to list its models."""

_LISTING = 1024 * 1024
"""Bytes of the list that are read."""


class NoModelError(MissingKeyError):
    """Nothing was found to ask; the message is the whole screen."""

    def __init__(self) -> None:
        super().__init__("any provider", tuple(candidate.variable for candidate in KEYS))
        self.args = (_screen(),)


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
    for name in local_servers():
        found = _local_model(name)
        if found is not None:
            sys.stderr.write(say("model: {model}, found on this machine", model=found) + "\n")
            return found
    raise NoModelError


def local_servers() -> list[str]:
    """Return the local servers that accept a connection."""
    return [name for name, port in LOCAL.items() if _listens(port)]


def _listens(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=_PROBE):
            return True
    except OSError:
        return False


def _local_model(server: str) -> str | None:
    """Return the first model that the server lists; it is told nothing."""
    import http.client  # noqa: PLC0415 - only where nobody chose a model

    connection = http.client.HTTPConnection("127.0.0.1", LOCAL[server], timeout=_ANSWER)
    try:
        connection.request("GET", "/v1/models")
        listed = msgspec.json.decode(connection.getresponse().read(_LISTING), type=_Models)
    except (OSError, http.client.HTTPException, msgspec.DecodeError):
        return None  # something else listens there
    finally:
        connection.close()
    return f"{server}/{listed.data[0].id}" if listed.data else None


class _Model(Struct):
    id: str


class _Models(Struct):
    data: list[_Model]


def _screen() -> str:
    names = ", ".join(candidate.variable for candidate in KEYS)
    found = local_servers()
    ports = ", ".join(f"{name} :{port}" for name, port in LOCAL.items())
    lines = [
        say("there is no model to ask."),
        "",
        say("  looked for keys:     {names}", names=names),
        say("  looked for servers:  {ports}", ports=ports),
        say("  listening:           {found}", found=", ".join(found) or say("none")),
        "",
        say("Three ways on:"),
        say("  1. agent demo                       watch a real session, no key needed"),
        say("  2. export ANTHROPIC_API_KEY=…       or one of the keys above, then: agent"),
        say("  3. agent -m ollama/NAME             or lmstudio/, llamacpp/, vllm/ on this machine"),
    ]
    return "\n".join(lines)

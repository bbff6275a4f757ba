"""`agent doctor`: what is there, what is missing, and one next step."""

import asyncio
import os
import platform
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import typer

from agent_cli import __version__
from agent_cli.cli.local_servers import SMALL_WINDOW, LocalServer, local_servers
from agent_cli.cli.model_choice import KEYS
from agent_cli.cli.trust_view import state
from agent_cli.cli.trusting import store_for
from agent_cli.frontends.sanitiser import in_one_line
from agent_cli.frontends.terminal.columns import left
from agent_cli.i18n.catalog import say
from agent_cli.processes.run import Processes
from agent_cli.processes.sandbox import Confinement, Wall
from agent_cli.resources.prompts import prompts
from agent_cli.settings.credentials import bring_keys
from agent_cli.settings.load import load
from agent_cli.settings.places import config_file, data_directory
from agent_cli.settings.schema import SandboxSettings
from agent_cli.trust.standing import of
from agent_cli.types.errors import ConfigurationError


def command() -> None:
    """Check the installation; exit 0 if a model can be asked."""
    told, ready = report()
    sys.stdout.write(f"{told}\n")
    raise typer.Exit(0 if ready else 1)


def report() -> tuple[str, bool]:
    """Return what was found, and whether a model can be asked."""
    problem = ""
    try:
        bring_keys(os.environ, Path.cwd())
    except ConfigurationError as error:
        problem = str(error)
    keys = [candidate.variable for candidate in KEYS if os.environ.get(candidate.variable)]
    servers = local_servers(os.environ)
    settings, sandbox = say("none, defaults hold"), SandboxSettings()
    otel = False
    try:
        loaded = load(os.environ)
        sandbox, otel = loaded.sandbox, loaded.telemetry.otel
        if config_file(os.environ).exists():
            settings = str(config_file(os.environ))
    except ConfigurationError as error:
        settings = problem = str(error)
    rows = [
        ("agent", f"{__version__}, Python {platform.python_version()}, {sys.platform}"),
        (say("prompts"), str(prompts())),
        (say("settings"), settings),
        (say("trust"), _trust()),
        (say("sessions"), str(data_directory(os.environ) / "sessions")),
        (say("keys"), ", ".join(keys) or say("none")),
        (say("local servers"), ", ".join(map(_described, servers)) or say("none")),
        ("MCP", _servers()),
        ("ripgrep", shutil.which("rg") or say("not found: searching falls back to Python, slower")),
        ("git", shutil.which("git") or say("not found")),
        (say("sandbox"), _sandbox(sandbox)),
        (say("telemetry"), _telemetry(otel=otel)),
    ]
    lines = [f"{left(name, 14)} {value}" for name, value in rows]
    lines += ["", say("Next: ") + _next_step(keys, servers, problem)]
    return "\n".join(lines), bool(keys or servers) and not problem


def _servers() -> str:
    try:
        names = in_one_line(", ".join(sorted(load(os.environ).mcp.servers)))
    except ConfigurationError:
        names = ""
    if names and find_spec("mcp") is None:
        return say("{names}; install agent-cli[mcp] to use them", names=names)
    return names or say("none")


def _trust() -> str:
    try:
        return state(of(Path.cwd(), store_for(Path.cwd(), os.environ)))
    except ConfigurationError as error:
        return str(error)


def _sandbox(settings: SandboxSettings) -> str:
    """Say what confines commands here, after having tried it."""

    async def wall() -> Wall | None:
        here = Confinement((str(Path.cwd()),))
        async with Processes(os.environ, confinement=lambda: here) as processes:
            try:
                await processes.ready()
            except OSError:
                return None
            return processes.wall

    found = asyncio.run(wall())
    if found is None:
        return say("none works here (bubblewrap is one): commands run with your own rights")
    if settings.mode == "off":
        return say("off: commands run with your own rights; {wall} would work", wall=found.value)
    return say("{mode}, by {wall}", mode=settings.mode, wall=found.value)


def _telemetry(*, otel: bool) -> str:
    if not otel:
        return say("off: nothing is sent")
    if find_spec("opentelemetry.sdk") is None:
        return say("on, but it needs agent-cli[otel]")
    place = os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") or "http://localhost:4318"
    try:
        host = urlsplit(place).netloc.rpartition("@")[2]  # without what authenticates
    except ValueError:  # nothing goes there
        host = "?"
    return say("on: numbers and names of tools go to {host}", host=in_one_line(host))


def _described(server: LocalServer) -> str:
    shown = f"{server.name} {server.place}"
    if server.window is not None and server.window < SMALL_WINDOW:
        small = say("its window of {window:,} tokens is small", window=server.window)
        return f"{shown} ({small})"
    return in_one_line(shown)


def _next_step(keys: list[str], servers: tuple[LocalServer, ...], problem: str) -> str:
    if problem:
        return say("repair the settings file")
    return "agent" if keys or any(server.models for server in servers) else "agent setup"

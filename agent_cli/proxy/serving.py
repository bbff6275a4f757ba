"""Starts the proxy with all that belongs to it, and ends it in good order."""

import asyncio
import os
import re
import secrets
import signal
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

from agent_cli.network.serving import Bounds, Headers, HttpServer
from agent_cli.processes.run import Processes
from agent_cli.proxy.access import Access
from agent_cli.proxy.accounts import Accounts
from agent_cli.proxy.app import App, refused
from agent_cli.proxy.audit import Audit
from agent_cli.proxy.config import Config
from agent_cli.proxy.continuity import Continuity
from agent_cli.proxy.dialects.base import fresh_id
from agent_cli.proxy.envelopes import ProxyError
from agent_cli.proxy.executing import Executor
from agent_cli.proxy.kept import remembering
from agent_cli.proxy.listening import listener
from agent_cli.proxy.managed import ManagedTools
from agent_cli.proxy.request import Services
from agent_cli.proxy.upstreams import Upstreams
from agent_cli.settings.places import state_directory
from agent_cli.types.errors import ConfigurationError
from agent_cli.types.redaction import SHORTEST, Redactor

_START = 5.0
"""Seconds that the start waits for servers of tools."""
_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)")
_CODES = {413: "request_too_large", 431: "headers_too_large", 503: "overloaded"}


def audit_path(config: Config, environ: Mapping[str, str]) -> Path:
    written = config.audit.path
    return Path(written) if written else state_directory(environ) / "proxy" / "audit.jsonl"


def secrets_of(config: Config, environ: Mapping[str, str]) -> frozenset[str]:
    """Return the values that are never written anywhere."""
    upstreams = [config.upstream, *config.fallback.values()]
    names = [one.api_key_env for one in upstreams] + [
        config.continuity.postgres_env,
        config.continuity.key_env,
    ]
    names += [token.env for token in config.tokens.values()]
    values = [environ.get(name, "") for name in names if name]
    headers = [one.headers for one in upstreams]
    headers += [tool.headers for tool in config.http.values()]
    headers += [some for token in config.tokens.values() for some in token.mcp.values()]
    values += [value for some in headers for value in some.values()]
    for server in config.mcp.values():
        values += [str(value) for value in (*server.env.values(), *server.headers.values())]
    words = {word for value in values for word in value.split()}
    filled = {environ.get(name, "") for value in values for name in _VARIABLE.findall(value)}
    return frozenset(word for word in words | filled if len(word) >= SHORTEST)


@asynccontextmanager
async def running(
    config: Config, environ: Mapping[str, str], notice: Callable[[str], None]
) -> AsyncGenerator[int]:
    """Serve, and yield the port. Raises ConfigurationError if that cannot be begun."""
    async with AsyncExitStack() as stack:
        listens = listener(config.telemetry)
        stack.push_async_callback(asyncio.to_thread, listens.close)
        audit = Audit(
            audit_path(config, environ),
            config.audit.max_bytes,
            Redactor(secrets_of(config, environ)),
            listens,
        )
        stack.callback(audit.close)
        owner = f"{os.getpid()}-{secrets.token_hex(8)}"
        store = await stack.enter_async_context(remembering(config, environ, owner))
        processes = await stack.enter_async_context(Processes(environ))
        tools = ManagedTools(config, environ, processes, notice)
        stack.push_async_callback(tools.close)
        await tools.start(_START)
        upstream = Upstreams(config.upstream, config.fallback, environ)
        stack.push_async_callback(upstream.close)
        executor = Executor(tools, store, audit, config, owner)
        stack.push_async_callback(executor.background.drain, config.server.drain)
        accounts = Accounts(config, store, audit)
        stack.push_async_callback(accounts.background.drain, config.server.drain)
        services = Services(
            config, upstream, tools, executor, store, Continuity(store), audit, accounts
        )
        app = App(services, Access(config, environ), listens)
        bounds = Bounds(config.server.max_body, config.server.max_requests)
        server = HttpServer(app.handle, partial(_refusal, audit), bounds)
        try:
            port = await server.start(config.server.host, config.server.port)
        except OSError as error:
            raise ConfigurationError(
                f"cannot listen on {config.server.host}:{config.server.port}: {error}"
            ) from error
        stack.push_async_callback(server.drain, config.server.drain)
        yield port


async def serve(config: Config, environ: Mapping[str, str], notice: Callable[[str], None]) -> None:
    """Serve until a signal says that it is enough; then let everything end."""
    enough = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, enough.set)
    try:
        async with running(config, environ, notice) as port:
            notice(f"http://{config.server.host}:{port}")
            await enough.wait()
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


def _refusal(audit: Audit, status: int, why: str, headers: Headers) -> tuple[bytes, Headers]:
    """Refuse what is not even read."""
    error = ProxyError(status, _CODES.get(status, "bad_request"), why)
    id_ = fresh_id("req_")
    audit.write("response", id_, status=status, reason=error.code)
    return refused(error, headers, "", id_)

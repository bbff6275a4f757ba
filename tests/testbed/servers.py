"""Servers of tools to connect to, and a hub that is."""

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from agent_cli.mcp.config import Known, Server
from agent_cli.mcp.hub import Hub
from agent_cli.processes.run import Processes
from agent_cli.settings.schema import McpServer

HERE = Path(__file__).parent
BARE = McpServer(command="python3", args=("-I", str(HERE / "bare_server.py")))
"""The server that needs no SDK, as settings name it."""
ENVIRON = {"PATH": os.environ["PATH"], "OPENAI_API_KEY": "not for servers"}


def bare(*does: str, name: str = "bare", timeout: float = 20.0) -> Server:
    """A server that needs no SDK and starts at once."""
    words = (sys.executable, "-I", str(HERE / "bare_server.py"), *does)
    return Server(name, words, cwd=Path("/"), timeout=timeout)


def made_with_the_sdk(timeout: float = 60.0) -> Server:
    words = (sys.executable, str(HERE / "tool_server.py"), "stdio")
    return Server("tested", words, cwd=Path("/"), timeout=timeout)


@contextmanager
def over_http() -> Generator[tuple[str, Callable[[], None]]]:
    """Serve on loopback; yield the address and what ends the server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, str(HERE / "tool_server.py"), "streamable-http", str(port)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:

        def end() -> None:
            running.kill()
            running.wait()

        try:
            _await_port(port)
            yield f"http://127.0.0.1:{port}/mcp", end
        finally:
            end()


def _await_port(port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with socket.socket() as trying:
            if trying.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise TimeoutError(port)


class Heard(list[str]):
    """What the user was told."""


def with_hub(
    about: Callable[[Hub, Heard], Awaitable[None]],
    *servers: Server,
    problems: tuple[str, ...] = (),
    wait: float = 60.0,
) -> None:
    """Run `about` with a hub of these servers, and end it."""

    async def whole() -> None:
        heard = Heard()
        async with Processes(ENVIRON) as processes:
            hub = Hub(Known(servers, problems), processes, heard.append, wait)
            try:
                await about(hub, heard)
            finally:
                await hub.close()

    asyncio.run(whole())

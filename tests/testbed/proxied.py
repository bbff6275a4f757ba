"""A proxy in a thread of its own, between a scripted upstream and a service with tools."""

import asyncio
import http.client
import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace
from testbed import proxy_rules
from testbed.managed_service import ToolService
from testbed.proxy_rules import Heard
from testbed.server import ModelServer, Script

from agent_cli.proxy.config import (
    Audit,
    Config,
    Continuity,
    HttpTool,
    Server,
    Upstream,
)
from agent_cli.proxy.serving import running

QUERY: dict[str, Any] = {
    "type": "object",
    "properties": {"q": {"type": "string"}, "n": {"type": "integer"}},
}
KEY = "sk-upstream-0123456789"
ENVIRON = {"PATH": "/usr/bin:/bin", "UPSTREAM_KEY": KEY}


class Got(NamedTuple):
    """What a client was answered."""

    status: int
    headers: dict[str, str]
    body: bytes
    pieces: list[tuple[float, bytes]]

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def disposition(self) -> str:
        return self.headers["x-agent-proxy-disposition"]


def tools_of(service: ToolService) -> dict[str, HttpTool]:
    """`docs_search` reads; `crm_update` has a side effect."""
    search = HttpTool(
        f"{service.url}/docs_search", "Search the docs.", parameters=QUERY, read_only=True
    )
    update = HttpTool(f"{service.url}/crm_update", "Update the CRM.", parameters=QUERY)
    return {"docs.search": search, "crm.update": update}


class Proxied:
    """Everything that a test looks at."""

    def __init__(self, upstream: Any, service: ToolService, folder: Path) -> None:
        self.upstream = upstream
        self.service = service
        self.folder = folder
        self.port = 0
        self.stop: Callable[[], None] = lambda: None
        self.notices: list[str] = []
        self.heard: list[Heard] = []
        self.distinct = True
        """The test's managed calls can be told from all others by their arguments."""

    def ask(
        self, path: str, body: Any, headers: dict[str, str] | None = None, method: str = "POST"
    ) -> Got:
        """Ask, and read the answer to its end."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        data = body if isinstance(body, bytes) else msgspec.json.encode(body)
        try:
            about = {"content-type": "application/json", **(headers or {})}
            connection.request(method, path, data, about)
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            whole = response.read()
        finally:
            connection.close()
        heard = Heard(data, response.status, found, whole)
        proxy_rules.check_frame(heard)
        self.heard.append(heard)
        return Got(response.status, found, whole, [])

    def listen(self, path: str, body: Any, hear: Callable[[bytes], object]) -> bytes:
        """Ask for a stream; go away as soon as `hear` has enough of all that has come so far."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            about = {"content-type": "application/json"}
            connection.request("POST", path, msgspec.json.encode(body), about)
            response = connection.getresponse()
            assert response.status == 200
            heard = b""
            while piece := response.read1(65_536):
                heard += piece
                if hear(heard):
                    break
        finally:
            connection.close()
        return heard

    def check(self) -> None:
        """Assert what holds for all that clients were told; the proxy has ended by now."""
        if self.distinct:
            asked = [one.raw for one in getattr(self.upstream, "requests", ())]
            proxy_rules.check(self.heard, self.audit(), asked)

    def audit(self, event: str = "") -> list[dict[str, Any]]:
        """End the proxy, and return what it has written."""
        self.stop()
        lines = (self.folder / "audit.jsonl").read_text().splitlines()
        events = [json.loads(line) for line in lines]
        return [one for one in events if event in ("", one["event"])]


def history_of(proxy: Proxied, number: int) -> list[dict[str, Any]]:
    """The history in the upstream's request of that number."""
    body = proxy.upstream.requests[number].body
    return body.get("messages") or body["input"]


def said(proxy: Proxied, number: int) -> str:
    """That history as text."""
    return json.dumps(history_of(proxy, number))


def configured(address: str, service: ToolService, folder: Path, **parts: Any) -> Config:
    config = Config(
        upstream=Upstream(url=address, api_key_env="UPSTREAM_KEY"),
        server=Server(port=0, auth="none", drain=5.0),
        http=tools_of(service),
        continuity=Continuity(path=str(folder / "continuity.db")),
        audit=Audit(path=str(folder / "audit.jsonl")),
    )
    sections: dict[str, Any] = {}
    for name, part in parts.items():
        known = getattr(config, name)
        sections[name] = _changed(known, part) if name in _SECTIONS else part
    return replace(config, **sections)


def _changed(section: Any, part: dict[str, Any]) -> Any:
    return msgspec.convert({**msgspec.to_builtins(section), **part}, type(section))


_SECTIONS = ("upstream", "server", "limits", "mediation", "continuity", "audit")


class Serving:
    """Serves in a thread until it is stopped."""

    def __init__(self, proxied: Proxied, config: Config) -> None:
        self._proxied = proxied
        self._config = config
        self._started = threading.Event()
        self._enough = asyncio.Event()
        self._failed: list[Exception] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run)

    def start(self) -> None:
        self._thread.start()
        self._started.wait()
        if self._failed:
            self.stop()

    def stop(self) -> None:
        """End it in good order; may be called again."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._enough.set)
        self._thread.join()
        self._loop.close()
        if self._failed:
            raise self._failed.pop()

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._whole())
        except Exception as error:  # noqa: BLE001 - raised in the test's own thread
            self._failed.append(error)
        finally:
            self._started.set()

    async def _whole(self) -> None:
        notices = self._proxied.notices
        async with running(self._config, ENVIRON, notices.append) as port:
            self._proxied.port = port
            self._started.set()
            await self._enough.wait()


@contextmanager
def serving(proxied: Proxied, config: Config) -> Generator[Proxied]:
    """Serve until the test has what it wants."""
    server = Serving(proxied, config)
    proxied.stop = server.stop
    server.start()
    try:
        yield proxied
    finally:
        server.stop()
    proxied.check()


@contextmanager
def proxied(
    script: Script, folder: Path, service: ToolService | None = None, **parts: Any
) -> Generator[Proxied]:
    """A proxy before a scripted upstream; `parts` change sections of the configuration."""
    with ModelServer(script) as upstream, service or ToolService() as tools:
        known = Proxied(upstream, tools, folder)
        config = configured(f"http://127.0.0.1:{upstream.port}", tools, folder, **parts)
        with serving(known, config):
            yield known
        assert upstream.violations == []

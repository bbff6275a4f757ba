"""A service with tools over HTTP, whose own log says what was really executed."""

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple

from testbed.listening import Listening


class Executed(NamedTuple):
    tool: str
    arguments: dict[str, Any]
    key: str
    began: float
    ended: float


class Answered(NamedTuple):
    status: int = 200
    body: bytes = b'{"found":"it"}'
    headers: tuple[tuple[str, str], ...] = (("content-type", "application/json"),)


Behaviour = Callable[[str, dict[str, Any]], Answered]


def found(tool: str, arguments: dict[str, Any]) -> Answered:
    return Answered(body=json.dumps({"tool": tool, "got": arguments}).encode())


def failing(tool: str, arguments: dict[str, Any]) -> Answered:
    """Answer, unless it is the tool with a side effect."""
    return Answered(500, b'{"error": "broken"}') if tool == "crm_update" else found(tool, arguments)


class Held:
    """A behaviour: calls wait until the test lets them go on."""

    def __init__(self) -> None:
        self._let = threading.Event()

    def __call__(self, tool: str, arguments: dict[str, Any]) -> Answered:
        self._let.wait(60)
        return found(tool, arguments)

    def go_on(self) -> None:
        self._let.set()

    @property
    def goes_on(self) -> bool:
        return self._let.is_set()


class ToolService(Listening):
    """Answers `/TOOL`; a context manager. `behaviour` may block."""

    def __init__(self, behaviour: Behaviour = found) -> None:
        self.behaviour = behaviour
        self.executed: list[Executed] = []
        self.begun: list[str] = []
        self.traces: list[str] = []
        """Where each call stands in its client's trace."""
        self._changed = threading.Condition()
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers.get("content-length", "0"))
                arguments = json.loads(self.rfile.read(length) or b"{}")
                service._answer(self, arguments)

            do_GET = do_POST  # noqa: N815 - as above

            def log_message(self, format: str, *args: Any) -> None:
                return

        super().__init__(Handler)

    @property
    def url(self) -> str:
        return self.address

    @property
    def tools(self) -> list[str]:
        return [one.tool for one in self.executed]

    def wait_for(self, count: int) -> None:
        """Wait until so many calls have begun."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.begun) >= count, 20)

    def wait_until_done(self, count: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.executed) >= count, 20)

    def _answer(self, handler: BaseHTTPRequestHandler, arguments: dict[str, Any]) -> None:
        began = time.monotonic()
        tool = handler.path.strip("/").partition("?")[0]
        with self._changed:
            self.begun.append(tool)
            if trace := handler.headers.get("traceparent"):
                self.traces.append(trace)
            self._changed.notify_all()
        answer = self.behaviour(tool, arguments)
        key = handler.headers.get("idempotency-key", "")
        with self._changed:
            self.executed.append(Executed(tool, arguments, key, began, time.monotonic()))
            self._changed.notify_all()
        handler.send_response(answer.status)
        for name, value in answer.headers:
            handler.send_header(name, value)
        handler.send_header("content-length", str(len(answer.body)))
        handler.end_headers()
        handler.wfile.write(answer.body)

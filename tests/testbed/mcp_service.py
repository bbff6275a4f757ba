"""An MCP server at an address, with sessions; its own log says who asked it for what.

It is made without the SDK, for it forgets sessions, and forgets them too late, as it is told.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler
from types import TracebackType
from typing import Any, NamedTuple

from testbed.listening import Listening

_NOTHING: dict[str, Any] = {"type": "object"}
_TEXT: dict[str, Any] = {"type": "object", "properties": {"text": {"type": "string"}}}
_PATIENCE = 30.0


class Asked(NamedTuple):
    """One message, as it arrived."""

    method: str
    session: str
    authorization: str
    params: dict[str, Any]
    id: object

    @property
    def tool(self) -> str:
        return str(self.params.get("name", ""))


class Reply(NamedTuple):
    status: int
    body: dict[str, Any] | None = None
    session: str = ""


class McpService(Listening):
    """Tools that read (`read`), change something (`write`), never end (`wait`); a context manager.

    `forgets` says how many calls are answered with 404 as if their session were unknown; with
    `late`, only after the tool has run.
    """

    def __init__(self, *, forgets: int = 0, late: bool = False) -> None:
        self.asked: list[Asked] = []
        self.executed: list[Asked] = []
        self.description = "Read it."
        self._forgets = forgets
        self._late = late
        self._sessions: set[str] = set()
        self._changed = threading.Condition()
        self._closing = threading.Event()
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                message = json.loads(self.rfile.read(int(self.headers["content-length"])))
                service._hear(self, message)

            def do_GET(self) -> None:
                _send(self, Reply(405))

            do_DELETE = do_GET  # noqa: N815 - as above

            def log_message(self, format: str, *args: Any) -> None:
                return

        super().__init__(Handler)

    @property
    def url(self) -> str:
        return self.address + "/mcp"

    def of(self, method: str) -> list[Asked]:
        return [one for one in self.asked if one.method == method]

    def await_of(self, method: str) -> list[Asked]:
        """Return what came by this method; waits for the first."""
        with self._changed:
            assert self._changed.wait_for(lambda: self.of(method), _PATIENCE)
            return self.of(method)

    def forget(self, calls: int = 0) -> None:
        """Know none of the sessions any more, and no session of the next `calls`."""
        with self._changed:
            self._sessions.clear()
            self._forgets = calls

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        self._closing.set()
        super().__exit__(exc_type, exc_val, exc_tb)

    def _hear(self, handler: BaseHTTPRequestHandler, message: dict[str, Any]) -> None:
        about = handler.headers
        asked = Asked(
            message["method"],
            about.get("mcp-session-id", ""),
            about.get("authorization", ""),
            message.get("params", {}),
            message.get("id"),
        )
        with self._changed:
            self.asked.append(asked)
            self._changed.notify_all()
            reply = self._answer(asked)
        if reply is None:
            self._closing.wait()
            handler.close_connection = True
        else:
            _send(handler, reply)

    def _answer(self, asked: Asked) -> Reply | None:
        if asked.method == "initialize":
            session = f"session-{len(self.of('initialize'))}"
            self._sessions.add(session)
            able = {"tools": {"listChanged": True}}
            about = {"name": "service", "version": "1"}
            body = {"protocolVersion": "2025-06-18", "capabilities": able, "serverInfo": about}
            return Reply(200, _result(asked, body), session)
        if not asked.session:
            return Reply(400)
        if asked.session not in self._sessions:
            return Reply(404)
        if asked.id is None:
            return Reply(202)
        if asked.method == "tools/list":
            return Reply(200, _result(asked, {"tools": self._tools()}))
        return self._call(asked)

    def _call(self, asked: Asked) -> Reply | None:
        forgets, self._forgets = self._forgets > 0, max(self._forgets - 1, 0)
        if forgets and not self._late:
            self._sessions.discard(asked.session)
            return Reply(404)
        self.executed.append(asked)
        if forgets:
            self._sessions.discard(asked.session)
            return Reply(404)
        if asked.tool == "wait":
            return None
        text = {"type": "text", "text": f"{asked.tool} for {asked.authorization or 'all'}"}
        return Reply(200, _result(asked, {"content": [text]}))

    def _tools(self) -> list[dict[str, Any]]:
        reads = {"annotations": {"readOnlyHint": True}}
        return [
            {"name": "read", "description": self.description, "inputSchema": _TEXT, **reads},
            {"name": "write", "description": "Write it.", "inputSchema": _TEXT},
            {"name": "wait", "description": "Never end.", "inputSchema": _NOTHING},
        ]


def _result(asked: Asked, result: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": asked.id, "result": result}


def _send(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
    data = b"" if reply.body is None else json.dumps(reply.body).encode()
    handler.send_response(reply.status)
    if reply.session:
        handler.send_header("mcp-session-id", reply.session)
    if data:
        handler.send_header("content-type", "application/json")
    handler.send_header("content-length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)

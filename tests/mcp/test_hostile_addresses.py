"""Addresses that answer with more than anybody can bear."""

import gzip
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from testbed.servers import Heard, with_hub

from agent_cli.mcp.config import Server
from agent_cli.mcp.hub import Hub
from agent_cli.processes.dialogue import LONGEST
from agent_cli.types.errors import ToolError

HUGE = b'{"jsonrpc": "2.0", "id": 1, "result": "' + b"x" * (LONGEST + 1) + b'"}'


@contextmanager
def answering(body: bytes, **headers: str) -> Generator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            try:
                self.wfile.write(body)
            except OSError:
                self.close_connection = True

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/mcp"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        pytest.param(HUGE, {"Content_Type": "application/json"}, id="huge"),
        pytest.param(
            gzip.compress(HUGE),
            {"Content_Type": "application/json", "Content_Encoding": "gzip"},
            id="compressed",
        ),
        pytest.param(
            b"data: " + b"x" * (LONGEST + 1), {"Content_Type": "text/event-stream"}, id="an event"
        ),
        pytest.param(b"<html>", {"Content_Type": "text/html"}, id="a page"),
        pytest.param(b"{", {"Content_Type": "application/json"}, id="no JSON"),
        pytest.param(b"", {}, id="nothing"),
    ],
)
def test_an_answer_that_is_none_is_refused(body: bytes, headers: dict[str, str]):
    async def about(hub: Hub, heard: Heard) -> None:
        with pytest.raises(ToolError, match="cannot be used"):
            await hub.connect("far")

    with answering(body, **headers) as url:
        with_hub(about, Server("far", url=url, timeout=5))

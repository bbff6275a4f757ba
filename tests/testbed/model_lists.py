"""A provider that lists its models to whoever has the key, and does nothing else."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

KEY = "sk-right-0123456789"


class _Lister(BaseHTTPRequestHandler):
    models: tuple[str, ...] = ()
    wants_key = True

    def do_GET(self) -> None:
        shown = f"{self.headers.get('authorization')} {self.headers.get('x-api-key')}"
        allowed = not self.wants_key or KEY in shown
        if not self.path.endswith("/v1/models"):
            allowed, status = False, 404
        else:
            status = 200 if allowed else 401
        listed = {"object": "list", "data": [{"id": name} for name in self.models]}
        body = json.dumps(listed if allowed else {"error": {"message": "wrong key"}}).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def listing(*models: str, wants_key: bool = True) -> Generator[str]:
    """Serve the list; yield the base URL."""
    kind = type("Lister", (_Lister,), {"models": models, "wants_key": wants_key})
    server = ThreadingHTTPServer(("127.0.0.1", 0), kind)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

"""A model server on loopback: scripted answers out, strict validation in.

It speaks Chat Completions, Responses and Messages over real HTTP/1.1, one thread a connection. A
request that breaks a rule is answered with status 400 in the vendor's shape at once, is recorded in
`violations`, and takes nothing from the script. So is a request the script has no answer for.
"""

import socket
import time
from collections.abc import Callable, Mapping, Sequence
from threading import Condition, Thread
from types import TracebackType
from typing import Any, Self, TypeAlias

import msgspec
from testbed.connection import Connection
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES, Exchange
from testbed.incoming import Incoming
from testbed.issued import Issued
from testbed.replies import Reply, Say, Status
from testbed.validators import anthropic_messages, openai_chat, openai_responses

Script: TypeAlias = Sequence[Reply] | Callable[[Exchange], Reply]
PATHS = {
    "/v1/messages": ANTHROPIC_MESSAGES,
    "/chat/completions": OPENAI_CHAT,
    "/v1/chat/completions": OPENAI_CHAT,
    "/responses": OPENAI_RESPONSES,
    "/v1/responses": OPENAI_RESPONSES,
}
Validate: TypeAlias = Callable[[dict[str, Any]], list[str]]
VALIDATORS: dict[str, Validate] = {
    ANTHROPIC_MESSAGES: anthropic_messages.violations,
    OPENAI_CHAT: openai_chat.violations,
    OPENAI_RESPONSES: openai_responses.violations,
}
REQUEST_DECODER = msgspec.json.Decoder(dict[str, Any])  # refuses lone surrogates, as vendors do


class ModelServer:
    """Serves a script; a context manager. A callable script may block: others are still served."""

    validators = VALIDATORS
    first_number = 0
    """Of its exchanges: ids and seals are made from the numbers, and servers differ in them."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._listener = socket.socket()
        self._connections: list[Connection] = []
        self._threads: list[Thread] = []
        self._issued = Issued()
        self._changed = Condition()
        self.requests: list[Exchange] = []
        self.violations: list[str] = []
        self.port = 0

    def url(self, wire: str = OPENAI_CHAT) -> str:
        """The base URL to configure a client of the wire with."""
        root = f"http://127.0.0.1:{self.port}"
        return root if wire == ANTHROPIC_MESSAGES else f"{root}/v1"

    def wait_for(self, count: int, seconds: float = 30) -> Exchange:
        """Wait until so many valid requests have arrived; return the last of them."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self.requests) >= count, seconds):
                raise TimeoutError(f"{len(self.requests)} of {count} requests after {seconds} s")
            return self.requests[count - 1]

    def __enter__(self) -> Self:
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen(128)
        self.port = self._listener.getsockname()[1]
        self._start(Thread(target=self._accept, daemon=True))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._threads[0].join()
        self._listener.close()
        for connection in self._connections:
            connection.close()
        for thread in self._threads:
            thread.join()

    def _start(self, thread: Thread) -> None:
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _address = self._listener.accept()
            except OSError:  # the listener was shut down: the test is over
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = Connection(client, self.answer)
            self._connections.append(connection)
            self._start(Thread(target=connection.serve, daemon=True))

    def answer(self, incoming: Incoming) -> tuple[Exchange, Reply]:
        """Judge a request, and say what it gets; called from each connection's thread."""
        wire = PATHS.get(incoming.path, "")
        body, wrong = _judge(wire, incoming, self.validators)
        with self._changed:
            wrong += self._issued.violations(wire, body) if not wrong else []
            place = len(self.requests)
            if not wrong and not callable(self._script) and place >= len(self._script):
                wrong = [f"the script has no answer for request {place}"]
            exchange = Exchange(
                number=self.first_number + place,
                wire=wire or OPENAI_CHAT,
                path=incoming.path,
                headers=incoming.headers,
                body=body,
                raw=incoming.body,
                at=time.monotonic(),
            )
            if wrong:
                self.violations += wrong
                code = 400 if wire else 404
                return exchange, Status(code, wrong[0], kind="" if wire else "not_found")
            self.requests.append(exchange)
            self._changed.notify_all()
        reply = self._script(exchange) if callable(self._script) else self._script[place]
        if isinstance(reply, Say):
            self._issued.remember(exchange, reply)
        return exchange, reply


def _judge(
    wire: str, incoming: Incoming, validators: Mapping[str, Validate]
) -> tuple[dict[str, Any], list[str]]:
    """The parsed body and what is wrong with it."""
    if not wire or incoming.method != "POST":
        return {}, [f"{incoming.method} {incoming.path} is no endpoint of this server"]
    try:
        body = REQUEST_DECODER.decode(incoming.body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return {}, [f"The request body is not valid JSON: {error}"]
    return body, validators[wire](body)

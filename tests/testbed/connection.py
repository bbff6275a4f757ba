"""One client's connection: requests in, answers out, until either has enough."""

import socket
from collections.abc import Callable, Iterable
from contextlib import suppress

from testbed import delivery as how
from testbed import incoming
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES, Exchange
from testbed.incoming import Incoming
from testbed.outgoing import Outgoing
from testbed.replies import Close, Delivery, Hang, Raw, Reply, Say, Status
from testbed.wires import anthropic_messages, openai_chat, openai_responses
from testbed.wires.event import Wire, encode

RENDERERS: dict[str, Wire] = {
    ANTHROPIC_MESSAGES: anthropic_messages,
    OPENAI_CHAT: openai_chat,
    OPENAI_RESPONSES: openai_responses,
}
GATEWAY_PAGE = (
    "<html><head><title>{0}</title></head><body><center><h1>{0}</h1></center></body></html>"
)
SSE = "text/event-stream; charset=utf-8"


class Connection:
    """Serves one socket in its own thread."""

    def __init__(
        self, client: socket.socket, answer: Callable[[Incoming], tuple[Exchange, Reply]]
    ) -> None:
        self._client = client
        self._answer = answer
        self._out = Outgoing(client)

    def close(self) -> None:
        """End it from another thread: whoever waits for the client sees it gone."""
        with suppress(OSError):  # it may be closed already
            self._client.shutdown(socket.SHUT_RDWR)

    def serve(self) -> None:
        with self._client, self._client.makefile("rb") as source, suppress(OSError):
            while request := incoming.read(source):
                exchange, reply = self._answer(request)
                if not self._send(exchange, reply) or not request.keeps_alive:
                    return

    def _send(self, exchange: Exchange, reply: Reply) -> bool:
        """Answer; return whether the connection can be used again."""
        try:
            kept = self._reply(exchange, reply)
        except OSError:
            exchange.gone.set()
            raise
        exchange.answered.set()
        return kept

    def _reply(self, exchange: Exchange, reply: Reply) -> bool:
        match reply:
            case Status():
                self._refuse(exchange, reply)
                return True
            case Close():
                self._out.abort(reset=reply.reset)
                return False
            case Hang():
                return self._hang(exchange)
            case Raw():
                body, kind = reply.body.encode(), reply.content_type
                return self._deliver(exchange, [body], kind, reply.code, reply.delivery)
            case Say():
                return self._say(exchange, reply)

    def _say(self, exchange: Exchange, say: Say) -> bool:
        wire = RENDERERS[exchange.wire]
        if not exchange.streams:
            body = [encode(wire.whole(say, exchange))]
            return self._deliver(exchange, body, "application/json", 200, say.delivery)
        events = how.damaged(wire.stream(say, exchange), say.delivery, wire)
        frames = how.framed(events, say.delivery, wire)
        return self._deliver(exchange, frames, SSE, 200, say.delivery)

    def _deliver(
        self,
        exchange: Exchange,
        body: Iterable[bytes],
        content_type: str,
        code: int,
        delivery: Delivery,
    ) -> bool:
        if delivery.before and self._out.waited_in_vain(delivery.before):
            exchange.gone.set()
            return False
        parts = how.writes(body, delivery)
        stop = delivery.cut_at if delivery.cut_at is not None else delivery.stall_at
        if stop is not None:
            parts = how.limited(parts, stop)
        self._out.begin(code, content_type)
        if not self._out.chunks(parts, delivery.between, exchange):
            return False
        if delivery.cut_at is not None:
            self._out.abort(reset=delivery.reset)
            return False
        if delivery.stall_at is not None:
            return self._hang(exchange)
        self._out.end()
        return True

    def _hang(self, exchange: Exchange) -> bool:
        self._out.waited_in_vain(None)
        exchange.gone.set()
        return False

    def _refuse(self, exchange: Exchange, status: Status) -> None:
        headers = dict(status.headers)
        if status.retry_after is not None:
            headers["retry-after"] = f"{status.retry_after:g}"
        if status.html:
            page = GATEWAY_PAGE.format(status.message or f"{status.code} Bad Gateway")
            self._out.whole(status.code, "text/html", page.encode(), headers)
            return
        body = encode(RENDERERS[exchange.wire].failure(status))
        self._out.whole(status.code, "application/json", body, headers)

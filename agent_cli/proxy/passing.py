"""Requests that are passed on as they are, and answers that come back as they are."""

from collections.abc import Mapping

import msgspec

from agent_cli.network.serving import Reply
from agent_cli.proxy.delivery import EVENTS
from agent_cli.proxy.dialects.base import Choice, Fields
from agent_cli.proxy.dialects.dialect import Dialect
from agent_cli.proxy.envelopes import ProxyError
from agent_cli.proxy.failover import Line, failing, line_of
from agent_cli.proxy.injection import Injection
from agent_cli.proxy.request import Asked, Services, asked
from agent_cli.proxy.upstream import Answer, Upstream

_LARGEST_ERROR = 1024 * 1024


async def pass_on(answer: Answer, reply: Reply, headers: Mapping[str, str]) -> None:
    """Give the client the upstream's answer, byte for byte and as it comes."""
    returned = {**answer.returned_headers, **headers}
    if answer.streams:
        returned |= {name: value for name, value in EVENTS.items() if name != "content-type"}
    try:
        await reply.begin(answer.status, returned)
        async for piece in answer.pieces():
            await reply.write(piece)
        await reply.end()
    except ProxyError:
        reply.abort()  # the client has to see that it is not whole
    finally:
        answer.close()


def alone(answer: Answer, *, with_tools: bool) -> dict[str, str]:
    """Return what is said of an answer that the proxy had no part in."""
    disposition = "native_only" if with_tools else "final"
    return {
        "x-agent-proxy-rounds": "1",
        "x-agent-proxy-managed-calls": "0",
        "x-agent-proxy-disposition": disposition if answer.ok else "error",
        "x-agent-proxy-continuity": "none",
    }


async def known_to(
    upstream: Upstream, dialect: str, path: str, headers: Mapping[str, str], body: bytes | None
) -> Answer | None:
    """Ask for something that not every upstream has; None if this one has not.

    Without a body it is asked for with GET.
    """
    method = "GET" if body is None else "POST"
    answer = await upstream.ask(dialect, path, headers, body or b"", method)
    if answer.status in (404, 405, 501):
        answer.close()
        return None
    return answer


def plainly(
    services: Services,
    who: tuple[str, str, str],
    dialect: Dialect,
    headers: Mapping[str, str],
    fields: Fields,
) -> Asked:
    """Return a request to which nothing is added; it is looked into only to choose an upstream."""
    nothing = Injection(fields, {}, frozenset(), Choice.AUTO)
    if services.upstream.several:
        return asked(who, dialect, headers, fields, nothing)
    return Asked(*who, dialect, headers, fields, (), ("",), "", nothing)


async def first_answer(services: Services, request: Asked, target: str, body: bytes) -> Answer:
    """Return what the first upstream that is able to answers. Raises ProxyError."""
    line = await line_of(services, request)
    *others, last = line.upstreams
    for upstream in others:
        try:
            answer = await _sent(line, upstream, request, target, body)
        except ProxyError as error:
            line.failed(upstream, error.code, 1)
            continue
        if not failing(answer.status):
            return answer
        await answer.body(_LARGEST_ERROR)
        line.failed(upstream, f"status_{answer.status}", 1, answer.wait)
    return await _sent(line, last, request, target, body)


async def _sent(line: Line, upstream: Upstream, request: Asked, target: str, body: bytes) -> Answer:
    fitted = await line.fitted(upstream, request.fields, 1)
    if fitted is not request.fields:
        body = msgspec.json.encode(fitted)
    return await upstream.ask(request.dialect.NAME, target, request.headers, body)

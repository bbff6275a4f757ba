"""Requests that are passed on as they are, and answers that come back as they are."""

import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TypeAlias

import msgspec
from msgspec import Struct

from agent_cli.network.serving import Reply
from agent_cli.proxy.accounts import Called, Outcome
from agent_cli.proxy.delivery import EVENTS
from agent_cli.proxy.dialects import responses
from agent_cli.proxy.dialects.base import Choice, Fields
from agent_cli.proxy.dialects.dialect import Dialect
from agent_cli.proxy.envelopes import ProxyError, upstream_message
from agent_cli.proxy.failover import Line, failing, line_of
from agent_cli.proxy.injection import Injection
from agent_cli.proxy.overheard import Overheard
from agent_cli.proxy.request import Asked, Services, asked
from agent_cli.proxy.store import PASSED
from agent_cli.proxy.upstream import Answer, Upstream

_LARGEST_ERROR = 1024 * 1024

Answered: TypeAlias = tuple[Answer, Upstream, float]
"""An answer, whose it is, and when it was asked for."""


class Passed(Struct, frozen=True):
    """What of a request is passed on as it is."""

    target: str
    body: bytes
    with_tools: bool = False


async def _unheard(_: bytes) -> None:
    """Let it pass."""


async def pass_on(
    answer: Answer,
    reply: Reply,
    headers: Mapping[str, str],
    hear: Callable[[bytes], Awaitable[None]] = _unheard,
) -> None:
    """Give the client the upstream's answer, byte for byte and as it comes.

    `hear` gets each piece before the client does, and an empty one before the end.
    """
    returned = {**answer.returned_headers, **headers}
    if answer.streams:
        returned |= {name: value for name, value in EVENTS.items() if name != "content-type"}
    try:
        await reply.begin(answer.status, returned)
        async for piece in answer.pieces():
            await hear(piece)
            await reply.write(piece)
        await hear(b"")
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


async def pass_conversation(
    services: Services, request: Asked, passed: Passed, reply: Reply, headers: Mapping[str, str]
) -> None:
    """Pass on what nothing is added to; write down what it has cost. Raises ProxyError."""
    line = await line_of(services, request)
    answered = await _first_answer(services, line, request, passed)
    answer, upstream, _ = answered
    wanted = not answer.streams or line.leaves_traces(upstream)
    limit = services.config.limits.upstream_body if wanted else 0
    overheard = Overheard(streams=answer.streams, limit=limit)
    stores = request.dialect.NAME == responses.NAME and services.tools.some

    async def hear(piece: bytes) -> None:
        known = overheard.response
        overheard.hear(piece)
        if stores and overheard.response != known:
            with suppress(ProxyError):  # then nobody is shown it later
                await services.store.put(PASSED, request.principal, overheard.response, b"1")

    try:
        about = alone(answer, with_tools=passed.with_tools)
        await pass_on(answer, reply, {**headers, **about}, hear)
    finally:
        remembered = _remembered(services, line, answered, passed, overheard)
        await services.accounts.background.end(remembered)


async def _remembered(
    services: Services,
    line: Line,
    answered: Answered,
    passed: Passed,
    overheard: Overheard,
) -> None:
    """Write down what was heard of an answer."""
    answer, upstream, began = answered
    request = line.request
    sizes = (len(passed.body), overheard.size) if answer.ok else (0, 0)
    outcome = Outcome(answer.status, overheard.usage, "", *sizes)
    await services.accounts.enter(_called(request, began), upstream, outcome)
    if answer.ok and line.leaves_traces(upstream):
        turn = overheard.turn(request.dialect, request.fields)
        if turn is not None:
            await line.answered(upstream, turn)


async def _first_answer(services: Services, line: Line, request: Asked, passed: Passed) -> Answered:
    """Return what the first upstream that is able to answers. Raises ProxyError."""
    *others, last = line.upstreams
    for upstream in others:
        began = time.monotonic()
        wait = None
        try:
            answer = await _sent(line, upstream, request, passed)
            if not failing(answer.status):
                return answer, upstream, began
            reason, wait = f"status_{answer.status}", answer.wait
            said = await answer.body(_LARGEST_ERROR)
            outcome = Outcome(answer.status, error=upstream_message(said))
        except ProxyError as error:
            reason, outcome = error.code, Outcome(error.status, error=error.code)
        line.failed(upstream, reason, 1, wait)
        await services.accounts.enter(_called(request, began), upstream, outcome)
    began = time.monotonic()
    try:
        return await _sent(line, last, request, passed), last, began
    except ProxyError as error:
        outcome = Outcome(error.status, error=error.code)
        await services.accounts.enter(_called(request, began), last, outcome)
        raise


async def _sent(line: Line, upstream: Upstream, request: Asked, passed: Passed) -> Answer:
    fitted = await line.fitted(upstream, request.fields, 1)
    body = passed.body if fitted is request.fields else msgspec.json.encode(fitted)
    return await upstream.ask(request.dialect.NAME, passed.target, request.headers, body)


def _called(request: Asked, began: float) -> Called:
    about = (request.id, request.principal, request.conversation)
    return Called(*about, 1, request.model, began)

"""From a client's request to its answer, where managed tools have been added to it."""

import asyncio
import time
from collections.abc import Mapping, Sequence

from msgspec import Raw
from msgspec.structs import replace

from agent_cli.network.serving import Reply
from agent_cli.proxy.asking import Asking, UpstreamRefusedError, chained
from agent_cli.proxy.continuity import Recalled
from agent_cli.proxy.course import Course
from agent_cli.proxy.delivery import Delivery, Streamed, Whole
from agent_cli.proxy.envelopes import ProxyError
from agent_cli.proxy.exchange import mediate
from agent_cli.proxy.request import Asked, Services, known
from agent_cli.proxy.store import Checkpoint


async def answer(
    services: Services, request: Asked, reply: Reply, headers: Mapping[str, str]
) -> None:
    """Answer a request; what goes wrong is told in the client's dialect."""
    delivery = _delivery(services, request, reply, headers)
    began = time.monotonic()
    course = None
    status = "internal_error"
    try:
        course, guided, resumed = await _begun(services, request, delivery, headers)
        await mediate(course, guided, resumed)
        status = "ok"
    except ProxyError as error:
        status = error.code
        await delivery.fail(error, {**headers, **_told(course)})
    except UpstreamRefusedError as refused:
        status = f"upstream_{refused.status}"
        returned = {**refused.headers, **headers, **_told(course)}
        await delivery.refuse(refused.status, returned, refused.body, refused.error)
    except (ConnectionError, asyncio.CancelledError):
        status = "client_disconnect"
        services.audit.write("client_disconnect", request.id, status=499)
        raise
    finally:
        delivery.close()
        _record(services, request, course, status, time.monotonic() - began)


def _delivery(
    services: Services, request: Asked, reply: Reply, headers: Mapping[str, str]
) -> Delivery:
    config, dialect = services.config, request.dialect
    whole = Whole(reply, dialect, request.fields, request.id, config.limits.upstream_body)
    if not request.streams:
        return whole
    view = config.mediation.view(dialect.NAME)
    streamed = Streamed(whole, headers, view)
    streamed.beat(config.limits.heartbeat, config.mediation.keepalive_chat)
    return streamed


async def _begun(
    services: Services, request: Asked, delivery: Delivery, headers: Mapping[str, str]
) -> tuple[Course, Sequence[Raw], Checkpoint]:
    """Return the request with what is remembered of its conversation, and of equal requests."""
    guides, resumed, hides = await known(services, request)
    place = len(request.history)
    inserted = {at: told for at, told in guides.items() if at < place}
    recalled, base = await history_of(services, request, inserted)
    if hides and not (recalled.injected or recalled.missed or resumed.rounds):
        recalled = replace(recalled, missed=("compacted",))  # there is no place for them any more
        services.audit.write("continuity_miss", request.id, reason="compacted")
    fields, outputs = await chained(services, request)
    injection = replace(request.injection, fields=fields)
    asking = Asking(
        services,
        replace(request, injection=injection),
        delivery,
        recalled,
        [*outputs, *base],
    )
    asking.headers = dict(headers)
    delivery.owns(asking.owned)

    async def again() -> Sequence[Raw]:
        _, later = await history_of(services, request, inserted)
        return [*outputs, *later]

    course = Course(services, request, delivery, asking, again)
    return course, guides.get(place, ()), resumed


async def history_of(
    services: Services, request: Asked, inserted: Mapping[int, Sequence[Raw]]
) -> tuple[Recalled, tuple[Raw, ...]]:
    """Return the client's history with the hidden rounds in it."""
    recalled = await services.continuity.recall(
        request.dialect,
        request.history,
        (request.principal, request.conversation),
        inserted,
    )
    if recalled.injected:
        services.audit.write("continuity_inject", request.id, segments=recalled.injected)
    for reason in recalled.missed:
        services.audit.write("continuity_miss", request.id, reason=reason)
    return recalled, recalled.history


def _told(course: Course | None) -> dict[str, str]:
    """Return the headers of an answer that is an error."""
    if course is None:
        return {"x-agent-proxy-disposition": "error"}
    headers = {**course.headers(), "x-agent-proxy-disposition": "error"}
    if course.ledger.executed and not course.request.unlike_any:
        headers["x-should-retry"] = "true"  # it is all written down: nothing happens twice
    elif course.ledger.effects:
        headers["x-should-retry"] = "false"
    return headers


def _record(
    services: Services, request: Asked, course: Course | None, status: str, seconds: float
) -> None:
    """Write the entry that says what has become of the request."""
    report = course.report if course else None
    services.audit.write(
        "history",
        request.id,
        principal=request.principal,
        conversation=request.conversation,
        path=request.dialect.PATH,
        stream=request.streams,
        status="ok" if status == "ok" else "error",
        reason=None if status == "ok" else status,
        seconds=round(seconds, 3),
        rounds=course.asking.count if course else 0,
        usage=[one.turn.usage for one in course.rounds] if course else [],
        tool_trace=course.ledger.trace if course else [],
        mediation={
            "policy": services.config.mediation.rules,
            "class_per_round": report.classes if report else [],
            "disposition": report.disposition if report else "error",
            "native_forwarded": report.forwarded if report else [],
        },
    )

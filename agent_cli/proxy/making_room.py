"""Asks for the next reply; once more, after room was made, if the conversation is too long."""

from agent_cli.proxy.asking import UpstreamRefusedError
from agent_cli.proxy.course import Course
from agent_cli.proxy.dialects.turns import Turn
from agent_cli.proxy.eliding import of_segments, too_long
from agent_cli.proxy.envelopes import ProxyError

_TOO_LONG = "context_length_exceeded"


async def next_reply(course: Course) -> Turn:
    """Return it. Raises ProxyError and UpstreamRefusedError."""
    finalizing = bool(course.finalizing)
    try:
        return await course.asking.ask(course.memory.hidden, finalizing=finalizing)
    except UpstreamRefusedError as refused:
        if not too_long(refused.status, refused.body) or not await _elide(course):
            raise
    except ProxyError as error:
        if error.code != _TOO_LONG or not course.delivery.again() or not await _elide(course):
            raise
    return await course.asking.ask(course.memory.hidden, finalizing=finalizing)


async def _elide(course: Course) -> bool:
    """Leave out what the oldest hidden calls have found; return whether there was anything."""
    if course.elided:
        return False
    course.elided = True
    services, request = course.services, course.request
    shorter = of_segments(request.dialect, course.asking.recalled.segments)
    for segment in shorter:
        await services.store.remember(segment)
    rounds = await course.memory.elide()
    if not (shorter or rounds):
        return False
    services.audit.write("elided", request.id, segments=len(shorter), rounds=rounds)
    if shorter:
        course.asking.rebase(await course.base())
    return True

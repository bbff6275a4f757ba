"""Leaves out what old hidden calls have found, when a conversation is too long for its model.

What is left out is left out for good, so that the beginning of later requests stays the same.
"""

from collections.abc import Sequence

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from agent_cli.proxy.dialects.dialect import Dialect
from agent_cli.proxy.envelopes import Envelope
from agent_cli.proxy.sentences import sentence
from agent_cli.proxy.store import Kept, Segment
from agent_cli.types.errors import Fault
from agent_cli.wire.errors import http_error


def too_long(status: int, body: bytes) -> bool:
    """Whether an upstream says that the conversation does not fit its model."""
    return http_error(status, body, {}, now=0.0).fault is Fault.CONTEXT_WINDOW


def notice() -> str:
    """Return what stands in place of a result."""
    return msgspec.json.encode({"ok": True, "elided": True, "data": sentence("elided")}).decode()


def of_segments(dialect: Dialect, segments: Sequence[Segment]) -> list[Segment]:
    """Return those that became shorter: all but the last, or that one if it is alone."""
    older = segments[:-1] if len(segments) > 1 else segments
    made = [shortened(dialect, one) for one in older]
    pairs = zip(made, older, strict=True)
    return [new for new, old in pairs if not same(new.full, old.full) or new.results != old.results]


def shortened(dialect: Dialect, segment: Segment) -> Segment:
    said = notice()
    short = Envelope(said, ok=True)
    results = tuple(
        (call, short if len(envelope.text) > len(said) else envelope)
        for call, envelope in segment.results
    )
    full = tuple(dialect.elided(segment.full, said))
    return replace(segment, full=full, results=results)


def of_rounds(dialect: Dialect, rounds: Sequence[Kept]) -> list[Kept]:
    """Return the rounds of a request, those before the last with short results."""
    said = notice()
    older = rounds[:-1]
    short = [tuple(dialect.elided(one.messages, said)) for one in older]
    pairs = zip(older, short, strict=True)
    return [*(replace(one, messages=messages) for one, messages in pairs), *rounds[-1:]]


def same(one: Sequence[Raw], other: Sequence[Raw]) -> bool:
    return [bytes(raw) for raw in one] == [bytes(raw) for raw in other]

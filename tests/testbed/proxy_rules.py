"""What holds for every answer of the proxy, whatever a test is about.

The lengths are right, the audit knows the request, and of what is managed nothing is in any byte
that a client gets, unless the answer is a refusal that names the calls.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from agent_cli.proxy.dialects.shapes import mapping, mappings, words

_NAMES_THEM = (b"mixed_tool_order", b"terminal_on_success_order")
_LEAST = 8
"""Characters of arguments or results below which they could be anybody's."""


class Heard(NamedTuple):
    """A request and its answer, as they went over the wire."""

    asked: bytes
    status: int
    headers: Mapping[str, str]
    body: bytes


def check_frame(heard: Heard) -> None:
    """Assert what can be seen of the answer alone."""
    length = heard.headers.get("content-length")
    assert (length is None) is ("transfer-encoding" in heard.headers), heard.headers
    assert length is None or int(length) == len(heard.body) or not heard.body
    assert heard.headers["x-request-id"] == heard.headers["x-agent-proxy-request-id"]
    if heard.headers.get("content-type", "").startswith("text/event-stream"):
        assert length is None


def check(answers: Iterable[Heard], events: list[Any], upstream: list[Any]) -> None:
    """Assert that the audit knows each answer, and that none has anything of what is managed."""
    ids = {event["request_id"] for event in events}
    told = {one["request_id"]: one["status"] for one in events if one["event"] == "response"}
    secrets = set(_secrets(events))
    for heard in answers:
        id_ = heard.headers["x-request-id"]
        assert id_ in ids
        assert told.get(id_, heard.status) == heard.status
        if any(code in heard.body for code in _NAMES_THEM):
            continue
        theirs = _names(heard.asked)
        offered = {name for asked in upstream for name in _names(asked)} - theirs
        known = heard.asked.decode("utf-8", "replace")
        said = heard.body.decode("utf-8", "replace").replace("\\\\", "\\").replace('\\"', '"')
        for hidden in sorted(offered | secrets):
            assert not hidden or hidden in known or hidden not in said, f"{hidden!r} is in {said!r}"


def _secrets(events: list[Any]) -> Iterator[str]:
    """Yield what is known of the managed calls that were made."""
    native = {
        one["id"]
        for event in events
        if event["event"] == "history"
        for one in event["mediation"]["native_forwarded"]
    }
    for event in events:
        for call in event.get("tool_trace") or ():
            yield call["name"]
            if call["call_id"] not in native and len(call["call_id"]) >= _LEAST:
                yield call["call_id"]
            if len(call["arguments"]) >= _LEAST:
                yield call["arguments"]
            if not call["truncated"]:
                yield call["result"]


def _names(asked: bytes) -> set[str]:
    """Return the names of the tools in a request; none of what is no request."""
    try:
        body = mapping(json.loads(asked))
    except ValueError:
        return set()
    tools = mappings(body.get("tools"))
    return {words(one.get("name") or mapping(one.get("function")).get("name")) for one in tools}

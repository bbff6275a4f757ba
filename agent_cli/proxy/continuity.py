"""Puts hidden rounds back where they belong, in every later request that holds their place.

A place is a visible turn of ours: known by the ids of its calls, or by its words together with
what came before it. Where more than one segment could be meant, none is: what one conversation
was told is never shown to another.
"""

from collections.abc import Mapping, Sequence

from msgspec import Raw, Struct

from agent_cli.proxy.dialects.base import Fields, value_of
from agent_cli.proxy.dialects.canonical import arguments_value, digest, tidy
from agent_cli.proxy.dialects.dialect import Dialect
from agent_cli.proxy.dialects.shapes import mapping, words
from agent_cli.proxy.dialects.turns import Stretch
from agent_cli.proxy.store import Segment, Store

_KEYS = (
    "x-claude-code-session-id",
    "session_id",
    "x-session-id",
    "x-session-affinity",
    "x-opencode-session",
)
THOUGHT = "thought"
"""Of records: reasoning of a hidden round that the client has seen, by its seal."""
_SUBAGENT = "x-claude-code-agent-id"


class Place(Struct, frozen=True):
    """What tells a place in a history from all others."""

    anchors: tuple[str, ...]
    calls: str
    prefix: str
    previous: str


class Recalled(Struct, frozen=True):
    """A history with the hidden rounds in it."""

    history: tuple[Raw, ...]
    injected: int = 0
    missed: tuple[str, ...] = ()
    """Why, for each place that is not filled though it may have been one."""
    tools: frozenset[str] = frozenset()
    """Names of managed tools that stand in it."""
    segments: tuple[Segment, ...] = ()
    """What was put in, in the order of the history."""


def conversation_of(headers: Mapping[str, str], fields: Fields) -> str:
    """Return the client's own key of the conversation; empty if it has none."""
    keys = [headers[name] for name in _KEYS if headers.get(name)]
    key = keys[0] if keys else words(value_of(fields, "prompt_cache_key"))
    if not key:
        user = words(mapping(value_of(fields, "metadata")).get("user_id"))
        key = user.partition("session_")[2]
    agent = headers.get(_SUBAGENT, "")
    return f"{key}/{agent}" if key and agent else key


def prefixes(dialect: Dialect, history: Sequence[Raw]) -> list[str]:
    """Return the fingerprint of each beginning of the history, the whole one last."""
    found = [digest("")]
    for message in history:
        meant = dialect.canonical(message)
        found.append(found[-1] if meant is None else digest([found[-1], meant]))
    return found


def place_of(
    dialect: Dialect, history: Sequence[Raw], stretch: Stretch, before: Sequence[str]
) -> Place:
    """Return what the place of a visible turn is known by."""
    previous = ""
    for message in reversed(history[: stretch.start]):
        meant = dialect.canonical(message)
        if meant is not None:
            previous = digest(meant)
            break
    calls = [[call.id, call.shown_name, arguments_value(call.arguments)] for call in stretch.calls]
    anchors = [f"call:{call.id}" for call in stretch.calls if call.id]
    text = tidy(stretch.text)
    if not anchors and text:
        anchors = [f"text:{digest(''.join(text.split()))}"]
    return Place(tuple(anchors), digest(calls) if calls else "", before[stretch.start], previous)


class Continuity:
    """Remembers segments, and fills histories with them."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def recall(
        self,
        dialect: Dialect,
        history: Sequence[Raw],
        who: tuple[str, str],
        inserted: Mapping[int, Sequence[Raw]],
    ) -> Recalled:
        """Return the history with what is remembered; `who` are principal and conversation.

        `inserted` are messages to be put at places of the history besides.
        """
        principal, conversation = who
        before = prefixes(dialect, history)
        filled: list[tuple[Stretch, Segment]] = []
        missed: list[str] = []
        unknown: list[tuple[str, ...]] = []
        stretches = dialect.stretches(history)
        places = [place_of(dialect, history, stretch, before) for stretch in stretches]
        found = await self._store.find(principal, [one for it in places for one in it.anchors])
        mine = _by_anchor([one for one in found if one.dialect == dialect.NAME])
        for stretch, place in zip(stretches, places, strict=True):
            here = {one.id: one for anchor in place.anchors for one in mine.get(anchor, ())}
            if not here:
                unknown.append(place.anchors)
                continue
            segment, why = meant(place, list(here.values()), conversation)
            if segment is None:
                missed.append(why)
            else:
                filled.append((stretch, segment))
        missed += ["foreign"] * await self._foreign(principal, unknown)
        changes = [_Change(one.start, one.end, segment.full, segment) for one, segment in filled]
        changes += await self._freed(dialect, principal, _left(history, stretches, filled))
        changes += [_Change(place, place, tuple(more)) for place, more in inserted.items()]
        put = tuple(segment for _, segment in filled)
        names = frozenset(name for segment in put for name in segment.tools)
        made = tuple(_filled(dialect, history, changes))
        return Recalled(made, len(filled), tuple(missed), names, put)

    async def _freed(
        self, dialect: Dialect, principal: str, told: Sequence[tuple[Stretch, Sequence[Raw]]]
    ) -> list["_Change"]:
        """Take out reasoning that hidden rounds have left, where the rounds are not put back."""
        seals = sorted({seal for _, run in told for raw in run for seal in dialect.seals(raw)})
        if not seals:
            return []
        wanted = [(THOUGHT, seal, float("inf")) for seal in seals]
        kept = await self._store.get_each(principal, wanted)
        hidden = {seal for seal, body in zip(seals, kept, strict=True) if body is not None}
        return [
            _Change(one.start, one.end, tuple(dialect.without(run, hidden)))
            for one, run in told
            if any(seal in hidden for raw in run for seal in dialect.seals(raw))
        ]

    async def _foreign(self, principal: str, places: Sequence[tuple[str, ...]]) -> int:
        """Return how many of the places others have something for; mostly none has."""
        anchors = [anchor for place in places for anchor in place]
        if not anchors or not await self._store.foreign(principal, anchors):
            return 0
        return sum([await self._store.foreign(principal, place) for place in places if place])


def _left(
    history: Sequence[Raw],
    stretches: Sequence[Stretch],
    filled: Sequence[tuple[Stretch, Segment]],
) -> list[tuple[Stretch, Sequence[Raw]]]:
    """Return the turns that stay as the client has written them."""
    places = {one.start for one, _ in filled}
    return [(one, history[one.start : one.end]) for one in stretches if one.start not in places]


def _by_anchor(segments: Sequence[Segment]) -> dict[str, list[Segment]]:
    found: dict[str, list[Segment]] = {}
    for segment in segments:
        for anchor in segment.anchors:
            found.setdefault(anchor, []).append(segment)
    return found


def meant(
    place: Place, segments: Sequence[Segment], conversation: str
) -> tuple[Segment | None, str]:
    """Return the one segment that belongs here, or why there is none."""
    candidates = [one for one in segments if one.calls == place.calls]
    if conversation:
        candidates = [one for one in candidates if one.conversation in ("", conversation)]
        candidates = [one for one in candidates if one.conversation] or candidates
    else:
        candidates = [one for one in candidates if not one.conversation] or candidates
    if not candidates:
        return None, "edited"
    exact = [one for one in candidates if one.prefix == place.prefix]
    if exact:
        return _only(exact)
    if place.calls:  # ids of calls are made to differ
        return _only(candidates)
    near = [one for one in candidates if one.previous == place.previous]
    return _only(near) if near else (None, "ambiguous" if len(candidates) > 1 else "edited")


def _only(segments: Sequence[Segment]) -> tuple[Segment | None, str]:
    """Return the segment that all of these are; none if they differ in what they would add."""
    last = segments[-1]
    same = all(
        [bytes(raw) for raw in one.full] == [bytes(raw) for raw in last.full] for one in segments
    )
    return (last, "") if same else (None, "ambiguous")


class _Change(Struct, frozen=True):
    """What takes the place of a part of the history."""

    start: int
    end: int
    full: tuple[Raw, ...]
    segment: Segment | None = None


def _filled(dialect: Dialect, history: Sequence[Raw], changes: Sequence[_Change]) -> list[Raw]:
    made = list(history)
    for change in sorted(changes, key=lambda one: one.start, reverse=True):
        after = made[change.end :]
        full: Sequence[Raw] = change.full
        if change.segment is not None:
            full = dialect.marked(full, history[change.start : change.end])
        if change.segment is not None and change.segment.order:
            after = dialect.merged_results(after, change.segment.results, change.segment.order)
        made = dialect.joined(dialect.joined(made[: change.start], full), after)
    return made


def report(recalled: Recalled) -> str:
    """Return what the header says of it."""
    if recalled.injected:
        return f"injected:{recalled.injected}"
    return f"miss:{len(recalled.missed)}" if recalled.missed else "none"

"""Writes down what a request has done: its rounds as they come, and the segment at the end."""

import secrets
import time
from collections.abc import Container, Sequence

import msgspec
from msgspec import Raw

from agent_cli.proxy.continuity import THOUGHT
from agent_cli.proxy.dialects.turns import Call, Round, Turn
from agent_cli.proxy.eliding import of_rounds, same, shortened
from agent_cli.proxy.envelopes import Envelope
from agent_cli.proxy.request import (
    CHECKPOINT,
    HIDDEN,
    RESPONSE,
    Asked,
    Services,
    anchors,
    hidden_key,
)
from agent_cli.proxy.store import Checkpoint, Kept, Segment

Results = Sequence[tuple[Call, Envelope]]


class Memory:
    """What one request leaves behind."""

    def __init__(self, services: Services, request: Asked, owned: Container[str]) -> None:
        self._services = services
        self.request = request
        self._owned = owned
        self.kept: list[Kept] = []
        self.hidden: list[Raw] = []
        """What the model has been shown beyond the client's history."""

    async def keep(self, kept: Kept) -> None:
        """Keep a round, so that an equal request can go on from here."""
        self.hidden += kept.messages
        self.kept.append(kept)
        await self._checkpoint()

    async def _checkpoint(self) -> None:
        if any(one.executed for one in self.kept):
            body = msgspec.json.encode(Checkpoint(tuple(self.kept)))
            request = self.request
            await self._services.store.put(CHECKPOINT, request.principal, request.digest, body)

    async def elide(self) -> bool:
        """Leave out what earlier rounds of this request have found; whether that is anything."""
        made = of_rounds(self.request.dialect, self.kept)
        before = [raw for one in self.kept for raw in one.messages]
        after = [raw for one in made for raw in one.messages]
        if same(before, after):
            return False
        first = len(self.hidden) - len(before)
        self.hidden[first:] = after
        self.kept = made
        await self._checkpoint()
        return True

    async def note_thoughts(self, turn: Turn) -> None:
        """Note which reasoning of a hidden round the client has seen, and will repeat."""
        dialect, principal = self.request.dialect, self.request.principal
        for message in dialect.said(turn, ()):
            for seal in dialect.seals(message):
                await self._services.store.put(THOUGHT, principal, seal, b"1")

    async def remember(self, rounds: Sequence[Round], results: Results) -> bool:
        """Keep what later requests need; return whether a segment was kept.

        `results` are those of the last turn, whose other calls go to the client.
        """
        if not self.hidden and not results:
            return False
        request, last = self.request, rounds[-1]
        merges = bool(results) and self._merges(last.turn)
        found, calls, prefix, previous = anchors(request, rounds)
        names = {call.name for one in rounds for call in one.turn.calls}
        segment = Segment(
            secrets.token_hex(8),
            request.principal,
            request.dialect.NAME,
            request.conversation,
            found,
            calls,
            prefix,
            previous,
            tuple(request.dialect.joined(self.hidden, self._ending(last, results))),
            tuple(results) if merges else (),
            tuple(call.id for call in last.turn.calls) if merges else (),
            tuple(sorted(name for name in names if name in self._owned)),
            time.time(),
        )
        store = self._services.store
        stored = await store.remember(segment) or await store.remember(
            shortened(request.dialect, segment)
        )
        if key := hidden_key(request):
            await store.put(HIDDEN, request.principal, key, b"1")
        await self._remember_response(rounds[0].turn, last.turn, results)
        if stored:
            about = {"segment": segment.id, "layout": segment.layout}
            self._services.audit.write("continuity_store", request.id, **about)
        return stored

    def _ending(self, last: Round, results: Results) -> list[Raw]:
        """Return the last turn as later requests will show it to the model.

        Whole, if reasoning binds its calls together; otherwise in two, so that the managed calls
        have their results right after them.
        """
        dialect, turn = self.request.dialect, last.turn
        if not results:
            return dialect.said(turn, last.release)
        if self._merges(turn):
            return dialect.said(turn, tuple(range(len(turn.calls))))
        places = enumerate(turn.calls)
        executed = tuple(place for place, _ in places if place not in last.release)
        first = [*dialect.said(turn, executed), *dialect.answered(results)]
        return [*first, *dialect.said(turn, last.release, only_calls=True)]

    def _merges(self, turn: Turn) -> bool:
        layout = self._services.config.mediation.mixed_layout
        return turn.bound if layout == "auto" else layout == "merged"

    async def _remember_response(self, first: Turn, last: Turn, results: Results) -> None:
        """Keep what the upstream itself does not know of a response that it stores."""
        shown = first.head.get("id")
        if self.request.dialect.NAME != "openai_responses" or not isinstance(shown, str):
            return
        outputs = self.request.dialect.answered(results) if results else []
        body = msgspec.json.encode({"id": last.head.get("id"), "outputs": outputs})
        await self._services.store.put(RESPONSE, self.request.principal, shown, body)

"""Makes the entry by which the older part of a conversation is replaced.

Rule 1: the model is asked for a summary, with the very beginning of the conversation as it was, so
that a cache of it is used. Whatever is wrong with its answer, the text is made without it.
Rule 2: when nobody answers at all, nothing is replaced: the next request would fail as well.
"""

import time
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from agent_cli.context.compaction import instruction, replacement, summary_in
from agent_cli.context.tokens import message_size
from agent_cli.engine.window import compacted, cuts
from agent_cli.i18n.catalog import say
from agent_cli.runtime.asking import Model
from agent_cli.runtime.gauge import with_task
from agent_cli.runtime.session import Session
from agent_cli.types.entries import HistoryCompacted
from agent_cli.types.errors import Fault, ProviderError
from agent_cli.types.events import Event, Notice
from agent_cli.types.messages import AssistantMessage, Recorded, StopReason, UserMessage
from agent_cli.types.requests import ModelRequest, Protocol

KEPT = 0.25
"""Part of what may be filled that the messages which are kept may have."""

LEAST_GAIN = 0.1
"""Part of a request that must become free; less would soon have to be done again."""

LONGEST_SUMMARY = 16_384
"""Tokens, what the model thinks before it included."""

NOBODY_ANSWERS = frozenset(
    {
        Fault.AUTHENTICATION,
        Fault.BUDGET,
        Fault.OVERLOADED,
        Fault.RATE_LIMITED,
        Fault.UNREACHABLE,
    }
)
"""Faults that the next request would meet as well."""


class Aim(Struct, frozen=True):
    """Why there must be room, and how much."""

    by: str
    """As in the entry."""
    full: int
    """Tokens that a request may have afterwards."""
    limit: int | None = None
    """Tokens that the model takes in; None if nobody knows."""
    hint: str = ""
    """What the user wants to see in the summary."""


class Replacing:
    """Makes entries for the conversation of one session; records nothing itself."""

    def __init__(self, session: Session, model: Model, emit: Callable[[Event], None]) -> None:
        self._session = session
        self._model = model
        self._emit = emit

    def tokens(self) -> int:
        """Return about how many tokens the next request has."""
        return self._model.gauge.tokens(self.request())

    def request(self) -> ModelRequest:
        """Return what the model would be asked now."""
        state = self._session.state
        self._model.gauge.recall(state, self._model.request)
        return self._model.request(state)

    async def entry(self, aim: Aim) -> HistoryCompacted | None:
        """Return the entry, or None if it would gain nothing worth it.

        Raises ProviderError when nobody answers.
        """
        before = self.tokens()
        task = self._session.state.task
        kept = None if task.compacted else self._kept(aim, before)
        if kept is None:
            return None
        bare = self._draft(aim.by, kept, task.summary)
        urgent = aim.by == "user" or (aim.limit is not None and before > aim.limit)
        if bare.tokens_after > (before - 1 if urgent else round(before * (1 - LEAST_GAIN))):
            return None
        return replace(await self._summarised(bare, aim), tokens_before=before)

    def _kept(self, aim: Aim, before: int) -> int | None:
        """Return how many messages to keep: a share, or the last turn, or if need be nothing."""
        task = self._session.state.task
        possible = cuts(task.messages)
        room = min(aim.full, before) * KEPT
        candidates = [kept for kept in possible if self._tokens_of_last(kept) <= room][:1]
        candidates += possible[-1:]
        if not isinstance(task.messages[-1], AssistantMessage):
            candidates.append(0)
        for kept in candidates:
            after = self._draft(aim.by, kept, task.summary).tokens_after
            if after <= aim.full * (1 - LEAST_GAIN):
                return kept
        return candidates[-1] if candidates else None

    def _tokens_of_last(self, kept: int) -> int:
        messages = self._session.state.task.messages
        size = sum(map(message_size, messages[len(messages) - kept :]))
        return self._model.gauge.of_size(size)

    def _draft(self, by: str, kept: int, summary: str) -> HistoryCompacted:
        """Return the entry that keeps so many messages, and how large a request is after it."""
        state = self._session.state
        text = replacement(state.task, kept, summary)
        entry = HistoryCompacted(text, kept, by, summary=summary)
        after = self._model.request(with_task(state, compacted(state.task, entry)))
        return replace(entry, tokens_after=self._model.gauge.tokens(after))

    async def _summarised(self, bare: HistoryCompacted, aim: Aim) -> HistoryCompacted:
        """Return the entry with what the model summarises; as it is, if that is of no use."""
        messages = self._session.state.task.messages
        left_out = messages[: len(messages) - bare.kept]
        request = self._summary_request(left_out, aim.hint)
        if not any(isinstance(one, AssistantMessage) for one in left_out):
            return bare
        if aim.limit is not None:
            answer_room = min(request.max_output or LONGEST_SUMMARY, aim.limit // 4)
            if self._model.gauge.tokens(request) + answer_room > aim.limit:
                return bare
        self._emit(Notice(say("the conversation is being summarised, to make room")))
        bare, began = replace(bare, asked=True, fell_back=True), time.monotonic()
        try:
            answer = await self._model.aside(self._session, request)
        except ProviderError as error:
            if error.fault in NOBODY_ANSWERS:
                raise
            return bare
        seconds = round(time.monotonic() - began, 3)
        bare = replace(bare, usage=answer.usage, seconds=seconds)
        summary = _summary(answer)
        if not summary or len(summary) >= sum(map(message_size, left_out)):
            return bare
        entry = self._draft(bare.by, bare.kept, summary)
        if entry.tokens_after > aim.full:
            return bare
        return replace(entry, asked=True, usage=answer.usage, seconds=seconds)

    def _summary_request(self, left_out: tuple[Recorded, ...], hint: str) -> ModelRequest:
        state = self._session.state
        request = self._model.request(with_task(state, replace(state.task, messages=left_out)))
        return replace(
            request,
            messages=(*request.messages, UserMessage(instruction(hint))),
            max_output=min(request.max_output, LONGEST_SUMMARY),
            # off the wire they are in any case, and text that looks like a call must stay text
            tools=() if self._model.protocol is Protocol.XML else request.tools,
        )


def _summary(answer: AssistantMessage) -> str:
    cut = answer.stop_reason in {StopReason.LENGTH, StopReason.REFUSAL}
    return "" if cut else summary_in(answer)

"""Keeps a conversation within the model's window: when its older part is replaced.

Before a request that would fill the window, after one that was too long, and when the user asks.
The model speaks before anything is replaced again, so there is an end to it.
"""

from collections.abc import Callable

from msgspec import Struct

from agent_cli.context.tokens import Sizes, Window
from agent_cli.i18n.catalog import say
from agent_cli.runtime.asking import Asking, Model
from agent_cli.runtime.replacement import Aim, Replacing
from agent_cli.runtime.session import Session
from agent_cli.types.entries import AssistantSaid, Nudged
from agent_cli.types.errors import Fault, ProviderError
from agent_cli.types.events import Event


class Filling(Struct, frozen=True):
    """How full the window is, in tokens."""

    parts: Sizes
    window: int | None


class Compaction:
    """Compacts the conversation of one session."""

    def __init__(
        self, session: Session, asking: Asking, model: Model, emit: Callable[[Event], None]
    ) -> None:
        self._session = session
        self._asking = asking
        self._model = model
        self._replacing = Replacing(session, model, emit)

    @property
    def _window(self) -> Window:
        return self._asking.models.current.window

    def filling(self) -> Filling | None:
        """Return what the next request would consist of; None before the first words."""
        if not self._session.state.task.messages:
            return None
        return Filling(self._model.gauge.parts(self._replacing.request()), self._window.tokens)

    async def if_full(self) -> None:
        """Compact before the next request, if it is time for it.

        Raises ProviderError when nobody answers, or the request cannot fit.
        """
        window = self._window
        if window.tokens is None or window.full is None:
            return
        tokens = self._replacing.tokens()
        if tokens <= window.full:
            return
        if window.automatic and await self._compact(Aim("window", window.full, window.tokens)):
            tokens = self._replacing.tokens()
        if tokens > window.tokens and self._model.gauge.observed:
            raise self._too_long(
                say(
                    "about {tokens} of {window} tokens",
                    tokens=f"{tokens:,}",
                    window=f"{window.tokens:,}",
                )
            )

    async def answer(self) -> AssistantSaid | Nudged:
        """Return what the model says next; if it cannot take the conversation, compact it first.

        Raises ProviderError.
        """
        try:
            return await self._model.answer(self._session)
        except ProviderError as error:
            if error.fault is not Fault.CONTEXT_WINDOW:
                raise
            if not await self._after_refusal():
                raise self._too_long(str(error)) from error
        try:
            return await self._model.answer(self._session)
        except ProviderError as error:
            if error.fault is not Fault.CONTEXT_WINDOW:
                raise
            raise self._too_long(str(error)) from error

    async def asked(self, hint: str = "") -> bool:
        """Compact because the user wants it; return whether there was anything to gain.

        Raises ProviderError when nobody answers.
        """
        state = self._session.state
        if not state.task.messages or state.task.open_calls:
            return False
        await self._asking.ready(state)
        full = self._window.full or self._replacing.tokens()
        return await self._compact(Aim("user", full, self._window.tokens, hint))

    async def _after_refusal(self) -> bool:
        """Compact what was refused; whatever the window is, it is smaller than that."""
        if not self._window.automatic:
            return False
        refused = self._replacing.tokens()
        limit = min(self._window.tokens or refused, refused)
        return await self._compact(Aim("window", round(limit * self._window.compact_at), limit))

    async def _compact(self, aim: Aim) -> bool:
        entry = await self._replacing.entry(aim)
        if entry is None:
            return False
        self._session.append(entry)
        self._session.sync()
        return True

    def _too_long(self, detail: str) -> ProviderError:
        advice = say(
            "the conversation does not fit into the model's window; /compact makes room, or"
            " auto_compact under [context] in the settings: {detail}",
            detail=detail,
        )
        if self._window.automatic:
            advice = say(
                "the conversation does not fit into the model's window, however much of it is left"
                " out; go on with a model that takes in more (-m), or begin a new session:"
                " {detail}",
                detail=detail,
            )
        return ProviderError(advice, Fault.CONTEXT_WINDOW)

"""What the user says becomes a message: hooks see it first, and what it mentions goes along."""

from collections.abc import Callable

from agent_cli.i18n.catalog import say
from agent_cli.runtime.asking import Asking
from agent_cli.runtime.hooked import Hooked
from agent_cli.runtime.mentions import Along
from agent_cli.runtime.session import Session
from agent_cli.types.entries import ModeSwitched, UserSaid
from agent_cli.types.errors import HookError
from agent_cli.types.events import Event, Notice
from agent_cli.types.messages import Image
from agent_cli.types.queued_input import InputUnqueued


class Saying:
    """Takes the user's words into one session."""

    def __init__(
        self, session: Session, asking: Asking, hooked: Hooked, emit: Callable[[Event], None]
    ) -> None:
        self._session = session
        self._asking = asking
        self._hooked = hooked
        self._emit = emit

    async def say(self, text: str, images: tuple[Image, ...], typed: str) -> None:
        """Record the text, with what `typed` of it mentions; raises HookError."""
        along = await self._heard(text, typed)
        self._record(text, images, along)

    async def deliver_all(self) -> None:
        """Say what was queued, in order."""
        while self._session.state.queued:
            await self.deliver(self._session.state.queued[0])

    async def deliver(self, text: str) -> None:
        """Say what was queued first; where a hook forbids it, it is taken off and told of.

        Who took it back meanwhile has not said it.
        """
        try:
            along = await self._heard(text, text)
        except HookError as error:
            if self._is_next(text):
                self._session.append(InputUnqueued(text))
                forbidden = say("a hook forbids {text!r}: {reason}", text=text, reason=str(error))
                self._emit(Notice(forbidden))
            return
        if self._is_next(text):
            self._record(text, (), along, queued=True)

    async def _heard(self, text: str, typed: str) -> Along:
        await self._hooked.submit(text)
        return await self._asking.along(typed)

    def _is_next(self, text: str) -> bool:
        return self._session.state.queued[:1] == (text,)

    def _record(
        self, text: str, images: tuple[Image, ...], along: Along, *, queued: bool = False
    ) -> None:
        if along.mode not in ("", self._session.state.task.mode):
            self._session.append(ModeSwitched(along.mode))
        environment = self._asking.environment(self._session.state)
        below = "\n\n".join(filter(None, (along.text, environment)))
        self._session.append(UserSaid(text, (*images, *along.images), below, queued=queued))

"""What the user says becomes a message: hooks see it first, and what it mentions goes along."""

from collections.abc import Callable

from agent_cli.i18n.catalog import say
from agent_cli.runtime.asking import Asking
from agent_cli.runtime.hooked import Hooked
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

    async def say(
        self, text: str, images: tuple[Image, ...], typed: str, *, queued: bool = False
    ) -> None:
        """Record the text, with what `typed` of it mentions; raises HookError."""
        await self._hooked.submit(text)
        along = await self._asking.along(typed)
        if along.mode not in ("", self._session.state.task.mode):
            self._session.append(ModeSwitched(along.mode))
        environment = self._asking.environment(self._session.state)
        below = "\n\n".join(filter(None, (along.text, environment)))
        self._session.append(UserSaid(text, (*images, *along.images), below, queued=queued))

    async def deliver(self, text: str) -> None:
        """Say what was queued first; where a hook forbids it, it is taken off and told of."""
        try:
            await self.say(text, (), text, queued=True)
        except HookError as error:
            self._session.append(InputUnqueued(text))
            forbidden = say("a hook forbids {text!r}: {reason}", text=text, reason=str(error))
            self._emit(Notice(forbidden))

"""Queued words are said once, in order; who takes them back in time has not said them."""

import asyncio
from pathlib import Path

from msgspec.structs import replace
from testbed.scripted import Conversation, Scripted
from testbed.story import BEGINNING, entries_of

from agent_cli.hooks.runner import Hooks
from agent_cli.processes.run import Processes
from agent_cli.runtime.hooked import Hooked
from agent_cli.runtime.mentions import Along
from agent_cli.runtime.saying import Saying
from agent_cli.runtime.session_care import unqueue
from agent_cli.settings.schema import Hook
from agent_cli.types.entries import UserSaid
from agent_cli.types.events import Notice
from agent_cli.types.queued_input import InputQueued

NO_SECRETS = Hook("! grep -q secret || exit 2")


class Words:
    """What was queued in one session, and a hook that looks at it."""

    def __init__(self, root: Path, *queued: str) -> None:
        told = entries_of([*BEGINNING, *map(InputQueued, queued)])
        self.conversation = Conversation(told, Scripted(lambda _: "well"))
        self.session = self.conversation.session
        self._processes = Processes({"PATH": "/usr/bin:/bin"})
        hooks = Hooks({"UserPromptSubmit": (NO_SECRETS,)}, self._processes, root)
        self._hooked = Hooked(self.session, hooks)

    def deliver(self, *, taken_back: bool = False) -> list[str]:
        """Deliver all that waits; return what was said of it."""

        async def along(text: str) -> Along:
            if taken_back:
                unqueue(self.session)
            return Along()

        async def work() -> None:
            asking = replace(self.conversation.asking, along=along)
            events = self.conversation.events.append
            saying = Saying(self.session, asking, self._hooked, events)
            await saying.deliver_all()
            await self._processes.close()

        asyncio.run(work())
        return [
            one.text
            for one in self.conversation.entries
            if isinstance(one, UserSaid) and one.queued
        ]


def test_what_a_hook_forbids_twice_is_not_said_before_what_it_does_not(tmp_path: Path):
    words = Words(tmp_path, "a secret", "hello", "a secret")
    assert words.deliver() == ["hello"]
    told = [one.message for one in words.conversation.events if isinstance(one, Notice)]
    assert len(told) == 2


def test_words_that_are_taken_back_while_they_are_looked_at_are_not_said(tmp_path: Path):
    assert Words(tmp_path, "hello").deliver(taken_back=True) == []


def test_of_two_equal_ones_the_other_is_said(tmp_path: Path):
    words = Words(tmp_path, "hello", "hello")
    assert words.deliver(taken_back=True) == ["hello"]

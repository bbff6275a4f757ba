"""The questions of an approval card, and what the answers mean.

A no is what everything means that is no other choice: a text is the reason for it. Words along
with a yes come after a comma or a colon, or after "but": "yes, but mind the tests".
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace
from rich.console import RenderableType
from rich.text import Text

from agent_cli.frontends.sanitiser import in_one_line
from agent_cli.frontends.terminal.approval_card import approval_card, meaning
from agent_cli.frontends.terminal.theme import Theme
from agent_cli.i18n.catalog import say
from agent_cli.types.approval import Remember, Request, Verdict

ESCAPED = "\x1b"
"""What a reader returns for Esc in an empty line."""

_ALONG = re.compile(r"y(?:es)?(?:\s*[,:;]\s*|\s+(?=but\b))(\S.*)", re.DOTALL | re.IGNORECASE)


class Choice(StrEnum):
    YES = "y"
    SESSION = "s"
    ALWAYS = "a"
    EACH = "e"
    NO = "n"


_WORDS = {
    **{choice.value: choice for choice in Choice},
    "yes": Choice.YES,
    "session": Choice.SESSION,
    "always": Choice.ALWAYS,
    "each": Choice.EACH,
    "no": Choice.NO,
    "": Choice.NO,
}
_REMEMBER = {Choice.SESSION: Remember.SESSION, Choice.ALWAYS: Remember.ALWAYS}
_SKIPPED = Verdict(approved=False)
"""Of calls behind one that was rejected: they do not come up."""


class Answer(Struct, frozen=True):
    choice: Choice
    said: str = ""


def read_answer(text: str, choices: Sequence[Choice]) -> Answer | None:
    """Return what was chosen; None if it is a choice that there is not."""
    answer = text.strip()
    if answer.isascii() and answer.isdecimal():
        place = int(answer) - 1
        return Answer(choices[place]) if 0 <= place < len(choices) else None
    chosen = _WORDS.get(answer.lower())
    if chosen is not None:
        return Answer(chosen) if chosen in choices else None
    if along := _ALONG.fullmatch(answer):
        return Answer(Choice.YES, along[1])
    return Answer(Choice.NO, answer)


class Approving:
    """Asks about cards on a terminal."""

    def __init__(
        self,
        show: Callable[[RenderableType], None],
        line: Callable[[str], Awaitable[str]],
        theme: Theme,
    ) -> None:
        self._show = show
        self._line = line
        self._theme = theme

    async def verdicts(self, requests: Sequence[Request]) -> list[Verdict]:
        """Show the card and return one verdict per request."""
        self._show(approval_card(requests, self._theme))
        if len(requests) == 1:
            return [await self._one(requests[0])]
        choices = (Choice.YES, Choice.EACH, Choice.NO)
        question = say("[y]es to all, [e]ach by itself, [n]o to all, or say why not: ")
        answer = await self._ask(question, choices)
        if answer.choice is Choice.EACH:
            return await self._each(requests)
        given = Verdict(answer.choice is Choice.YES, answer.said)
        # what was said is said once, with the first call
        return [given, *[replace(given, feedback="")] * (len(requests) - 1)]

    async def _each(self, requests: Sequence[Request]) -> list[Verdict]:
        given: list[Verdict] = []
        for number, request in enumerate(requests, 1):
            head = say("{number} of {count}", number=number, count=len(requests))
            tool = in_one_line(request.tool)
            self._show(Text(f"{head}: {tool}", style=self._theme.accent))
            given.append(await self._one(request))
            if not given[-1].approved:
                break
        return [*given, *[_SKIPPED] * (len(requests) - len(given))]

    async def _one(self, request: Request) -> Verdict:
        choices: tuple[Choice, ...] = (Choice.YES, Choice.NO)
        question = say("[y]es, [n]o, or say why not: ")
        if request.rule:
            rule = say("session and always allow {what}", what=meaning(request.rule))
            self._show(Text(rule, style=self._theme.dim))
            choices = (Choice.YES, Choice.SESSION, Choice.ALWAYS, Choice.NO)
            question = say("[y]es, in this [s]ession, [a]lways, [n]o, or say why not: ")
        answer = await self._ask(question, choices)
        if answer.choice is Choice.NO:
            return Verdict(approved=False, feedback=answer.said)
        remember = _REMEMBER.get(answer.choice, Remember.ONCE)
        return Verdict(approved=True, feedback=answer.said, remember=remember)

    async def _ask(self, question: str, choices: Sequence[Choice]) -> Answer:
        while True:
            text = await self._line(question)
            if text == ESCAPED:
                why = await self._line(say("no, because (Enter for no reason): "))
                return Answer(Choice.NO, why.strip().strip(ESCAPED))
            answer = read_answer(text, choices)
            if answer is not None:
                return answer

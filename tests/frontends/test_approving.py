"""Approval cards: what stands on them, and what answers mean."""

import asyncio
from collections.abc import Sequence
from io import StringIO

import pytest
from msgspec.structs import replace
from rich.console import Console, RenderableType

from agent_cli.frontends.terminal.approval_card import approval_card, summary
from agent_cli.frontends.terminal.approving import ESCAPED, Answer, Approving, Choice, read_answer
from agent_cli.frontends.terminal.theme import THEMES
from agent_cli.types.approval import CommandLine, Diff, Remember, Request, Verdict, Words
from agent_cli.types.effects import Effect, Kind

YES, SESSION, ALWAYS, EACH, NO = Choice
ONE = (YES, SESSION, ALWAYS, NO)
SEVERAL = (YES, EACH, NO)
ANSWERS = [
    ("y", ONE, Answer(YES)), ("yes", ONE, Answer(YES)), ("Y ", ONE, Answer(YES)),
    ("1", ONE, Answer(YES)), ("2", ONE, Answer(SESSION)), ("3", ONE, Answer(ALWAYS)),
    ("4", ONE, Answer(NO)), ("5", ONE, None), ("0", ONE, None), ("9" * 99, ONE, None),
    ("s", ONE, Answer(SESSION)), ("always", ONE, Answer(ALWAYS)), ("e", ONE, None),
    ("n", ONE, Answer(NO)), ("", ONE, Answer(NO)), ("  ", ONE, Answer(NO)),
    ("yes, but mind it", ONE, Answer(YES, "but mind it")),
    ("y: use tabs", ONE, Answer(YES, "use tabs")),
    ("yes but not so", ONE, Answer(YES, "but not so")),
    ("yes please", ONE, Answer(NO, "yes please")), ("yesterday", ONE, Answer(NO, "yesterday")),
    ("2, 3 are wrong", ONE, Answer(NO, "2, 3 are wrong")), ("a, b", ONE, Answer(NO, "a, b")),
    ("no, never", ONE, Answer(NO, "no, never")), ("why?", ONE, Answer(NO, "why?")),
    ("2", SEVERAL, Answer(EACH)), ("3", SEVERAL, Answer(NO)), ("a", SEVERAL, None),
    ("each", SEVERAL, Answer(EACH)), ("٣", ONE, Answer(NO, "٣")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "choices", "expected"), ANSWERS)
def test_what_an_answer_means(text: str, choices: Sequence[Choice], expected: Answer | None):
    assert read_answer(text, choices) == expected


DIFF = Diff("a.py", "--- a.py\n+++ a.py\n@@ -1,2 +1,3 @@\n-old\n+new\n+more\n same\n")
EDIT = Request("1", "apply_diff", (Effect(Kind.WRITE, "a.py"),), DIFF, "write = ask",
               rule="apply_diff(/a.py)", unasked=(Kind.READ, Kind.READ))  # fmt: skip
RUN = Request("2", "execute_command", (Effect(Kind.EXECUTE, "ls | rm \u202ex"),),
              CommandLine("ls | rm \u202ex", "/work"), "no rule allows 'rm'", part="rm \u202ex",
              following=("attempt_completion",))  # fmt: skip


class Person:
    """Answers one question after the other."""

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)
        self.questions: list[str] = []
        self.shown = ""

    def show(self, renderable: RenderableType) -> None:
        console = Console(file=StringIO(), width=80)
        console.print(renderable)
        self.shown += console.file.getvalue()  # type: ignore[attr-defined]

    async def line(self, question: str) -> str:
        self.questions.append(question)
        return self._answers.pop(0)

    def asked(self, *requests: Request) -> list[Verdict]:
        asking = Approving(self.show, self.line, THEMES["none"])
        given = asyncio.run(asking.verdicts(requests))
        assert self._answers == []
        return given


GOOD, BAD = Verdict(approved=True), Verdict(approved=False)


def good(said: str = "", remember: Remember = Remember.ONCE) -> Verdict:
    return Verdict(approved=True, feedback=said, remember=remember)


def bad(said: str) -> Verdict:
    return Verdict(approved=False, feedback=said)


DIALOGUES = [
    pytest.param(("y",), (EDIT, RUN), [GOOD, GOOD], id="all"),
    pytest.param(("n",), (EDIT, RUN), [BAD, BAD], id="none"),
    pytest.param(("",), (EDIT, RUN), [BAD, BAD], id="no is the default"),
    pytest.param(("e", "y", "n"), (EDIT, RUN), [GOOD, BAD], id="each"),
    pytest.param(("e", "n"), (EDIT, RUN), [BAD, BAD], id="a no ends it"),
    pytest.param(("y, but mind",), (EDIT, RUN), [good("but mind"), GOOD], id="words once"),
    pytest.param(("because",), (EDIT, RUN), [bad("because"), BAD], id="a reason"),
    pytest.param(
        ("e", "a", "y: x"),
        (EDIT, RUN),
        [good("", Remember.ALWAYS), good("x")],
        id="each in its own way",
    ),
    pytest.param(("s",), (EDIT,), [good("", Remember.SESSION)], id="session"),
    pytest.param(("s", "y"), (RUN,), [GOOD], id="no rule, no session"),
    pytest.param((ESCAPED, "too much"), (RUN,), [bad("too much")], id="escape"),
    pytest.param((ESCAPED, ""), (RUN,), [BAD], id="escape, no reason"),
]


@pytest.mark.parametrize(("typed", "requests", "expected"), DIALOGUES)
def test_what_is_asked_and_answered(typed, requests, expected: list[Verdict]):
    assert Person(*typed).asked(*requests) == expected


def test_a_card_says_all_that_would_be_done():
    person = Person("n")
    person.asked(EDIT, RUN)
    for text in (
        "2 reads, 1 edit +2 \N{MINUS SIGN}1, 1 command",
        "a.py", "old", "new", "more", "$ ls | rm <U+202E>x",
        "/work, no sandbox", "because of: rm <U+202E>x", "then: attempt_completion",
    ):  # fmt: skip
        assert text in person.shown


def test_what_a_rule_would_let_go_is_said_before_it_is_chosen():
    person = Person("n")
    person.asked(EDIT)
    assert "apply_diff of /a.py" in person.shown
    assert "a]lways" in person.questions[0]
    other = Person("n")
    other.asked(RUN)
    assert "a]lways" not in other.questions[0]


def test_without_boxes_the_card_is_lines_of_text():
    console = Console(file=StringIO(), width=60)
    console.print(approval_card([EDIT, RUN], replace(THEMES["none"], plain=True)))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert not set(shown) & set("╭│╰─")
    assert "2. execute_command" in shown


KINDS = [
    ((Kind.NETWORK,), "1 call to the network"),
    ((Kind.MCP, Kind.MCP), "2 calls to servers"),
    ((Kind.ASK,), "1 other call"),
    ((Kind.READ, Kind.EXECUTE), "1 read, 1 command"),
]


@pytest.mark.parametrize(("kinds", "expected"), KINDS)
def test_calls_are_counted_by_what_they_do(kinds: tuple[Kind, ...], expected: str):
    requests = [Request("c", "t", (Effect(kind, "x"),), Words("x")) for kind in kinds]
    assert summary(requests) == expected

"""A session as Markdown.

What people and models wrote stands in block quotes, what tools took and gave in fences longer
than any within: nothing in them can end what they stand in.
"""

import re
from collections.abc import Iterator

from agent_cli.frontends.exports import labels
from agent_cli.frontends.sanitiser import in_one_line, visible
from agent_cli.i18n.catalog import say
from agent_cli.sessions.told import Answer, Call, Event, Export, Task

_TICKS = re.compile("`+")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#+!|~&])")


def markdown(export: Export) -> str:
    """Return the document; nothing in it moves a terminal's cursor."""
    lines = [f"# {plain(labels.title(export))}", ""]
    lines += [f"- {name}: {code(value)}" for name, value in labels.facts(export)]
    return "\n".join([*lines, "", *_task(export.task)]).rstrip() + "\n"


def _task(task: Task) -> Iterator[str]:
    for turn in task.turns:
        if turn.at:
            yield from (f"## {plain(labels.heading(turn))}", "", *quoted(visible(turn.text)), "")
        if turn.images:
            yield from (say("images: {count}", count=turn.images), "")
        for step in turn.steps:
            yield from _answer(step) if isinstance(step, Answer) else _event(step)


def _answer(answer: Answer) -> Iterator[str]:
    yield from (f"### {plain(labels.by_model(answer))}", "")
    if answer.reasoning.strip():
        yield from (f"*{say('thinking')}*", "", *fenced(visible(answer.reasoning)), "")
    if answer.text.strip():
        yield from (*quoted(visible(answer.text)), "")
    for call in answer.calls:
        yield from _call(call)


def _call(call: Call) -> Iterator[str]:
    yield from (f"#### {plain(in_one_line(call.name))} {plain(labels.ended(call))}", "")
    for name, value in labels.parameters(call):
        yield from ([code(name), ""] if name else [])
        yield from (*fenced(value), "")
    if call.task is not None:
        inner = "\n".join(_task(call.task)).rstrip()
        yield from (f"*{say('subtask')}: {code(in_one_line(call.task.mode))}*", "")
        yield from (*quoted(inner), "")
    said = call.completion if call.completion is not None else call.content
    if said.strip():
        yield from (f"*{say('result')}*", "", *fenced(visible(said)), "")
    for line in labels.after(call):
        yield from (plain(line), "")


def _event(event: Event) -> Iterator[str]:
    if not (label := labels.event(event)):
        return
    text = visible(event.text).strip()
    if "\n" in text:
        yield from (f"*{plain(label)}*", "", *fenced(text), "")
    else:
        yield from (f"*{plain(label)}* {code(text) if text else ''}".rstrip(), "")


def quoted(text: str) -> Iterator[str]:
    """Put every line of the text into a block quote."""
    yield from (f"> {line}".rstrip() for line in text.split("\n"))


def fenced(text: str) -> Iterator[str]:
    """Put the text between fences that are longer than any in it."""
    fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(text)), default=0))
    yield from (fence, *text.removesuffix("\n").split("\n"), fence)


def code(text: str) -> str:
    """Return the text of one line as code within a line."""
    ticks = "`" * (1 + max(map(len, _TICKS.findall(text)), default=0))
    return f"{ticks} {text} {ticks}" if "`" in text or not text.strip() else f"`{text}`"


def plain(text: str) -> str:
    """Return the text of one line so that it means nothing but itself."""
    return _SPECIAL.sub(r"\\\1", text)

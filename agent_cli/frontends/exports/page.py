"""A session as one page for the browser: no script, nothing from elsewhere, light and dark.

Every text that is not ours passes `_shown`, once, on its way in.
"""

import html
import re
from collections.abc import Iterator

from agent_cli.frontends.exports import labels
from agent_cli.frontends.exports.style import STYLE
from agent_cli.frontends.sanitiser import in_one_line, visible
from agent_cli.i18n.catalog import say
from agent_cli.sessions.told import Answer, Call, Event, Export, Task, Turn

_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*\n?", re.MULTILINE)
_CODE = re.compile("`([^`\n]+)`")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(export: Export) -> str:
    """Return the document; whatever the session holds, it is text there."""
    title = _escaped(labels.title(export))
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{title}</title><style>{STYLE}</style></head><body><main>",
            f"<header><h1>{title}</h1><dl>",
            *(
                f"<div><dt>{_escaped(name)}</dt><dd>{_escaped(value)}</dd></div>"
                for name, value in labels.facts(export)
            ),
            "</dl></header>",
            *_task(export.task),
            "</main></body></html>\n",
        ]
    )


def _task(task: Task) -> Iterator[str]:
    for turn in task.turns:
        yield f'<section class="turn{_undone(turn)}">'
        if turn.at:
            yield f'<div class="said"><h2>{_escaped(labels.heading(turn))}</h2>'
            yield f"{_prose(turn.text)}{_images(turn.images)}</div>"
        for step in turn.steps:
            yield from _answer(step) if isinstance(step, Answer) else _event(step)
        yield "</section>"


def _answer(answer: Answer) -> Iterator[str]:
    yield f'<article class="answer{_undone(answer)}"><h3>{_escaped(labels.by_model(answer))}</h3>'
    if answer.reasoning.strip():
        yield f"<details><summary>{_escaped(say('thinking'))}</summary>"
        yield f"{_prose(answer.reasoning)}</details>"
    if answer.text.strip():
        yield _prose(answer.text)
    for call in answer.calls:
        yield from _call(call)
    yield "</article>"


def _call(call: Call) -> Iterator[str]:
    ended = labels.ended(call)
    kind = "fine" if ended == "✓" else "wrong"
    first = next(iter(labels.parameters(call)), ("", ""))[1].partition("\n")[0]
    yield f'<details class="call {kind}"{" open" if call.task else ""}><summary>'
    yield f"<b>{_escaped(in_one_line(call.name))}</b> <code>{_escaped(first)}</code>"
    yield f" <i>{_escaped(ended)}</i></summary>"
    for name, value in labels.parameters(call):
        yield f"<h4>{_escaped(name)}</h4>" if name else ""
        yield f"<pre>{_escaped(value)}</pre>"
    if call.task is not None:
        mode = in_one_line(call.task.mode)
        yield f'<div class="task"><h4>{_escaped(say("subtask"))}: {_escaped(mode)}</h4>'
        yield from _task(call.task)
        yield "</div>"
    said = call.completion if call.completion is not None else call.content
    if said.strip():
        yield f"<h4>{_escaped(say('result'))}</h4><pre>{_shown(said)}</pre>"
    for line in labels.after(call):
        yield f"<p>{_escaped(line)}</p>"
    yield "</details>"
    if call.completion is not None:
        yield f'<div class="done">{_prose(call.completion)}</div>'


def _event(event: Event) -> Iterator[str]:
    if not (label := labels.event(event)):
        return
    text = event.text.strip()
    if "\n" in text:
        told = f"<h4>{_escaped(label)}</h4><pre>{_shown(text)}</pre>"
    else:
        told = f"<b>{_escaped(label)}</b> <code>{_shown(text)}</code>"
    yield f'<div class="event{_undone(event)}">{told}</div>'


def _prose(text: str) -> str:
    """Return the text as it was written, what stands between fences as code."""
    return f'<div class="prose">{"".join(_parts(text))}</div>'


def _parts(text: str) -> Iterator[str]:
    for place, part in enumerate(_FENCE.split(text.replace("\r\n", "\n"))):
        if part.strip():
            shown = _shown(part.strip("\n"))
            prose = _CODE.sub(r"<code>\1</code>", shown)
            yield f"<pre>{shown}</pre>" if place % 2 else f"<div>{prose}</div>"


def _images(count: int) -> str:
    return f"<p>{_escaped(say('images: {count}', count=count))}</p>" if count else ""


def _undone(what: Turn | Answer | Event) -> str:
    return " undone" if what.undone else ""


def _shown(text: str) -> str:
    return _escaped(visible(text))


def _escaped(text: str) -> str:
    return html.escape(text)

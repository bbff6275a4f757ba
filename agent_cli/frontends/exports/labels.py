"""What an exported session is told with, in the user's language and safe to show."""

from collections.abc import Iterator

import msgspec

from agent_cli.frontends.reasons import reason
from agent_cli.frontends.sanitiser import in_one_line, visible
from agent_cli.i18n.catalog import say
from agent_cli.sessions.told import Answer, Call, Event, Export, Turn
from agent_cli.types.messages import ToolResult
from agent_cli.types.outcomes import Code, Outcome

_TITLE = 80
DAY = 16
"""Characters of a time that are shown, up to the minute."""


def title(export: Export) -> str:
    """Return the session's name, the beginning of what was said first, or its id."""
    said = (turn.text for turn in export.task.turns if turn.number)
    found = " ".join((export.session.title or next(said, "")).split()) or export.session.id
    return in_one_line(found if len(found) <= _TITLE else f"{found[: _TITLE - 1]}…")


def facts(export: Export) -> Iterator[tuple[str, str]]:
    """Yield what is known of the session, name and value."""
    session = export.session
    yield say("session"), in_one_line(session.id)
    if session.forked_from:
        yield say("forked from"), in_one_line(session.forked_from)
    yield say("directory"), in_one_line(session.cwd)
    yield say("model"), in_one_line(session.model)
    yield say("mode"), in_one_line(export.task.mode)
    times = say("{begin} to {end} UTC", begin=moment(session.started), end=moment(session.ended))
    yield say("time"), times
    used = session.usage
    counts = say(
        "in: {input}, out: {output}, responses: {responses}",
        input=used.input_tokens,
        output=used.output_tokens,
        responses=session.responses,
    )
    yield say("tokens"), counts
    if used.cost is not None:
        yield say("cost"), f"${used.cost:.4f}"
    if session.damage:
        lost = say("the file is damaged: {damage}", damage=session.damage)
        yield say("missing"), in_one_line(lost)


def moment(at: str) -> str:
    return in_one_line(at[:DAY].replace("T", " "))


def heading(turn: Turn) -> str:
    """Say whose message it is."""
    whose = say("task") if not turn.number else say("you")
    number = f"{turn.number} · " if turn.number else ""
    unsaid = f" · {say('unsaid')}" if turn.undone else ""
    return f"{number}{whose} · {moment(turn.at)}{unsaid}"


def by_model(answer: Answer) -> str:
    unsaid = f" · {say('unsaid')}" if answer.undone else ""
    return f"{say('model')} · {moment(answer.at)}{unsaid}"


def ended(call: Call) -> str:
    """Say what became of the call."""
    if not call.outcome:
        return say("no result")
    if call.outcome == Outcome.OK:
        return "✓" if call.exit_code in (None, 0) else say("exit {code}", code=call.exit_code)
    code = Code(call.code) if call.code else None
    sentence = reason(ToolResult(call.id, Outcome(call.outcome), code))
    return f"✗ {in_one_line(sentence)}"


def parameters(call: Call) -> list[tuple[str, str]]:
    """Return names and values, texts as they are; without a name what is no object."""
    try:
        values = msgspec.json.decode(call.arguments, type=dict[str, msgspec.Raw])
        return [(in_one_line(name), _text(raw)) for name, raw in values.items()]
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return [("", visible(call.arguments))]


def _text(raw: msgspec.Raw) -> str:
    value = bytes(raw)
    if value.startswith(b'"'):
        return visible(msgspec.json.decode(value, type=str))
    return visible(value.decode())


def after(call: Call) -> Iterator[str]:
    """Yield what else the call left: files, checks, images."""
    if call.changed:
        yield say("changed: {paths}", paths=in_one_line(", ".join(call.changed)))
    for check in call.checks:
        passed = say("passed") if check.passed else say("did not pass")
        yield in_one_line(f"{check.command}: {passed}")
    if call.images:
        yield say("images: {count}", count=call.images)


def event(one: Event) -> str:
    """Say what kind of event it is; empty for one that repeats what is told elsewhere."""
    if one.kind in ("task_finished", "session_renamed"):
        return ""
    return _events().get(one.kind, in_one_line(one.kind))


def _events() -> dict[str, str]:
    return {
        "history_compacted": say("the history was compacted"),
        "interrupted": say("interrupted"),
        "files_restored": say("files were restored"),
        "todos_updated": say("to do"),
        "nudged": say("the model was told to go on"),
        "budget_stopped": say("a budget was used up"),
        "input_queued": say("said meanwhile"),
        "input_unqueued": say("taken back before it was heard"),
        "mode_switched": say("mode"),
        "model_switched": say("model"),
        "rule_granted": say("allowed for the session"),
        "rewound": say("messages were unsaid; kept:"),
        "parallel_switched": say("several calls per message"),
        "turn_rules_set": say("rules for failures"),
        "failures_waived": say("failures were waived"),
    }

"""The text that stands in place of messages that no longer fit.

It holds the user's own words, all of them; what a model has summarised, if one has; and a ledger of
what the task can show, made from its evidence. The same task always gives the same text.
"""

from collections.abc import Iterable

from agent_cli.context._texts import document, fill, table
from agent_cli.engine.task import Task
from agent_cli.types.evidence import CommandRun, FileChange, FileRead
from agent_cli.types.messages import AssistantMessage, Recorded, ToolResult, UserMessage

MOST_CHANGES = 200
LONGEST_LINE = 300
HASH = 12
"""Characters of a hash that are shown."""

_OPENING, _CLOSING = "<summary>", "</summary>"


def instruction(hint: str = "") -> str:
    """Return how the model is asked for a summary; `hint` is what the user wants to see in it."""
    asked = document("replies/compaction.md")
    return f"{asked}\n\n{_words('hint', text=hint)}" if hint.strip() else asked


def summary_in(answer: AssistantMessage) -> str:
    """Return the summary that the answer holds; empty if it holds none.

    An answer that calls tools and has no tags is no summary, but the beginning of more work.
    """
    _, opened, inside = answer.text.partition(_OPENING)
    if not opened:
        return "" if answer.calls else answer.text.strip()
    inside, closed, _ = inside.rpartition(_CLOSING)
    return inside.strip() if closed else ""


def replacement(task: Task, kept: int, summary: str) -> str:
    """Return the text for all but the last `kept` messages of the task."""
    left = task.messages[len(task.messages) - kept :]
    still_there = sum(isinstance(message, UserMessage) for message in left)
    said = task.said[: len(task.said) - still_there]
    parts = [_words("intro")]
    if any(text.strip() for text in said):
        parts.append(_words("said"))
        parts += [_words("said_one", text=text) for text in said if text.strip()]
    parts += _answers(task, left)
    if summary:
        parts += [_words("summary"), summary]
    parts += [_words("ledger"), ledger(task)]
    if _lost_results(task.messages, kept):
        parts.append(_words("too_large"))
    return "\n\n".join(parts)


def _answers(task: Task, left: tuple[Recorded, ...]) -> list[str]:
    still_there = {message.call_id for message in left if isinstance(message, ToolResult)}
    said = [one.text for one in task.answers if one.call_id not in still_there]
    if not said:
        return []
    return [_words("answers"), *(_words("said_one", text=text) for text in said)]


def ledger(task: Task) -> str:
    """Return what the task can show, in lines."""
    shown = task.evidence
    now = {one.path: one.after.hash if one.after else "" for one in shown.changed}
    sections = [
        _section("read", (_read(one, now) for one in shown.read)),
        _section("changed", map(_change, shown.changed[-MOST_CHANGES:]), len(shown.changed)),
        _section("commands", map(_command, shown.commands)),
        _section(
            "todos",
            (
                _words("todo", text=_line(todo.text), status=todo.status)
                for todo in task.todos
                if todo.status != "completed"
            ),
        ),
        _section("failures", (_line(f"{name} {target}") for name, target in task.unresolved)),
    ]
    return "\n\n".join(filter(None, sections)) or _words("nothing")


def _section(name: str, lines: Iterable[str], count: int = 0) -> str:
    listed = [f"- {line}" for line in lines]
    if not listed:
        return ""
    if count > len(listed):
        listed.insert(0, f"- {_words('earlier', count=str(count - len(listed)))}")
    return "\n".join((_words(name), *listed))


def _read(one: FileRead, now: dict[str, str]) -> str:
    line = f"{_line(one.path)} ({one.hash[:HASH]})"
    if now.get(one.path, one.hash) == one.hash:
        return line
    return _words("changed_since", line=line)


def _change(one: FileChange) -> str:
    if one.after is None:
        return f"{_line(one.path)}: {_words('deleted')}"
    done = _words("created" if one.before is None else "edited")
    return f"{_line(one.path)}: {done} ({one.after.hash[:HASH]})"


def _command(one: CommandRun) -> str:
    if one.exit_code is None:
        end = _words("no_exit_code", outcome=one.outcome.value)
    else:
        end = _words("exit_code", code=str(one.exit_code))
    return f"{_line(one.command)}: {end}"


def _lost_results(messages: tuple[Recorded, ...], kept: int) -> bool:
    """Whether results are left out that the model has not seen."""
    return kept == 0 and bool(messages) and isinstance(messages[-1], ToolResult)


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…"


def _words(name: str, **values: str) -> str:
    return fill(table("replies/compacted.toml")[name], **values)

"""How counts are shown: plain text with bars for people, one object for programs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any

from msgspec.structs import asdict
from rich.cells import cell_len

from agent_cli.frontends.terminal.columns import left, right
from agent_cli.i18n.catalog import say, say_many
from agent_cli.telemetry.counters import Counters, Spent
from agent_cli.telemetry.facts import Model
from agent_cli.telemetry.statistics import Statistics
from agent_cli.types.usage import Usage

_BAR = 24
"""Characters of the longest one."""
_DAYS = 60
"""Columns of the plot."""
_EIGHTHS = " ▏▎▍▌▋▊▉"
_STEPS = "▁▂▃▄▅▆▇█"


def lines(found: Statistics, until: date, *, everywhere: bool) -> Iterator[str]:
    """Yield what people read, line by line."""
    place = say("every directory") if everywhere else say("this directory")
    yield say("{since} to {until}, {place}", since=found.since, until=until, place=place)
    if found.unread:
        yield say_many(
            "{count} session file could not be read",
            "{count} session files could not be read",
            count=found.unread,
        )
    total = found.total
    if not (total.sessions or total.prompts or total.responses):
        yield say("nothing happened here in this time")
        return
    yield ""
    yield from table(_summary(total))
    yield ""
    yield from _plot(found, until)
    if total.tools:
        yield ""
        yield from table(_tools(total))
    if total.models:
        yield ""
        yield from table(_models(total))


def _summary(total: Counters) -> list[tuple[str, ...]]:
    refused = sum(total.refused.values())
    completions = say(
        "{completed} accepted, {attempted} attempted, {refused} refused",
        completed=total.completed,
        attempted=total.attempted,
        refused=refused,
    )
    rows = [
        (say("sessions"), f"{total.sessions:,}"),
        (say("prompts"), f"{total.prompts:,}"),
        (say("subtasks"), f"{total.subtasks:,}"),
        (say("responses"), f"{total.responses:,}"),
        (say("retries"), f"{total.retries:,}"),
        (say("completions"), completions + _why(total.refused)),
        (say("interrupted"), f"{sum(total.stops.values()):,}{_why(total.stops)}"),
        (say("tokens"), _tokens(total.usage)),
        (say("cost"), _money(total.usage)),
    ]
    return [(name, "", value) for name, value in rows]


def _why(counts: dict[Any, int]) -> str:
    return f" ({', '.join(f'{why} {n:,}' for why, n in counts.items())})" if counts else ""


def _tokens(usage: Usage) -> str:
    cached = round(100 * usage.cache_read_tokens / usage.input_tokens) if usage.input_tokens else 0
    return say(
        "{read} in ({cached} % from a cache), {written} out",
        read=f"{usage.input_tokens:,}",
        cached=cached,
        written=f"{usage.output_tokens:,}",
    )


def _money(usage: Usage) -> str:
    return say("unknown") if usage.cost is None else f"${usage.cost:,.2f}"


def _plot(found: Statistics, until: date) -> Iterator[str]:
    """Draw responses by day, several days a column where there are many."""
    days = (until - found.since).days + 1
    wide = -(-days // _DAYS)
    counts = [
        sum(_responses(found, found.since + timedelta(day)) for day in range(at, at + wide))
        for at in range(0, days, wide)
    ]
    most = max(counts)
    title = say("responses, {days} days a column, {most} at most", days=wide, most=f"{most:,}")
    yield title if wide > 1 else say("responses by day, {most} at most", most=f"{most:,}")
    yield "".join(_STEPS[(count * 8 - 1) // most] if count else "·" for count in counts)


def _responses(found: Statistics, when: date) -> int:
    return found.days[when].responses if when in found.days else 0


def _tools(total: Counters) -> list[tuple[str, ...]]:
    calls, outcomes = Counter[str](), dict[str, Counter[str]]()
    for use, count in total.tools.items():
        calls[use.tool] += count
        outcomes.setdefault(use.tool, Counter())[use.outcome.value] += count
    most = max(calls.values())
    rows = [
        (tool, f"{count:,}", bar(count, most) + _outcomes(outcomes[tool]))
        for tool, count in calls.most_common()
    ]
    return [(say("tool"), say("calls"), ""), *rows]


def _outcomes(counts: Counter[str]) -> str:
    return "  " + ", ".join(f"{count:,} {outcome}" for outcome, count in counts.most_common())


def _models(total: Counters) -> list[tuple[str, ...]]:
    tokens = (say("tokens in"), say("tokens out"))
    titles = (say("model"), say("responses"), say("minutes"), *tokens, say("cost"))
    spent = sorted(total.models.items(), key=lambda one: -one[1].responses)
    return [(*titles, ""), *(_model(model, one) for model, one in spent)]


def _model(model: Model, spent: Spent) -> tuple[str, ...]:
    sums = (spent.responses, round(spent.seconds / 60), spent.usage.input_tokens)
    numbers = [f"{number:,}" for number in (*sums, spent.usage.output_tokens)]
    return (f"{model.provider}/{model.name}", *numbers, _money(spent.usage), "")


def bar(value: int, most: int) -> str:
    """Return a bar of at most 24 characters, filled up to that width."""
    eighths = max(1, value * _BAR * 8 // most)
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).ljust(_BAR)[:_BAR]


def table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Align the first and last column left, the others right."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    for first, *middle, last in rows:
        cells = [right(cell, width) for cell, width in zip(middle, widths[1:-1], strict=True)]
        yield "  ".join([left(first, widths[0]), *cells, last]).rstrip()


def as_json(found: Statistics, until: date) -> dict[str, Any]:
    """Return what programs read."""
    days = [{"date": when, **_counts(counters)} for when, counters in found.days.items()]
    span = {"v": 1, "since": found.since, "until": until, "unread": found.unread}
    return span | _counts(found.total) | {"days": days}


def _counts(counters: Counters) -> dict[str, Any]:
    tools = [asdict(use) | {"calls": n} for use, n in counters.tools.items()]
    models = [
        asdict(model) | asdict(spent) | {"usage": asdict(spent.usage)}
        for model, spent in counters.models.items()
    ]
    listed = {"usage": asdict(counters.usage), "tools": tools, "models": models}
    return asdict(counters) | listed

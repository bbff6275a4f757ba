"""Tokens of several rounds as one count, by either of two rules."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, cast

from agent_cli.proxy.dialects.turns import Round


class Report(StrEnum):
    """What a client is told of the tokens of hidden rounds."""

    SUM = "sum"
    CONTEXT = "context"
    """The input of the last round only: who derives from it how full the window is."""


EXTENSION = "agent_proxy"
"""The member of a usage that tells what each round has cost."""
_INPUT = ("prompt_", "input_", "cache_")


def merged(rounds: Sequence[dict[str, Any]], report: Report) -> dict[str, Any]:
    """Return the usage of all rounds; of one round it is what the upstream said."""
    known = [usage for usage in rounds if usage]
    if len(known) <= 1:
        return known[0] if known else {}
    total: dict[str, Any] = {}
    for usage in known:
        for name, value in usage.items():
            if report is Report.CONTEXT and name.startswith(_INPUT):
                total[name] = value
            else:
                total[name] = _sum(total.get(name), value)
    if "total_tokens" in total:
        sides = [total.get(name, 0) for name in ("prompt_tokens", "completion_tokens")]
        sides += [total.get(name, 0) for name in ("input_tokens", "output_tokens")]
        total["total_tokens"] = sum(sides)
    return total


def _sum(one: Any, other: Any) -> Any:
    if isinstance(other, dict):
        before = cast("dict[str, Any]", one) if isinstance(one, dict) else {}
        more = cast("dict[str, Any]", other)
        return {
            **before,
            **{name: _sum(before.get(name), value) for name, value in more.items()},
        }
    if _is_number(one) and _is_number(other):
        return one + other
    return one if other is None else other


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def untouched(rounds: Sequence[Round], begun: int, usage: Mapping[str, Any]) -> bool:
    """Whether an answer may end as its only round did, of so many that were begun."""
    last = rounds[-1]
    alone = len(rounds) == begun == 1 and EXTENSION not in usage
    return alone and len(last.release) == len(last.turn.calls)


class Counting:
    """Whatever reads a round as it comes; `_now` is what has come of it so far."""

    _now: Any

    @property
    def usage(self) -> dict[str, Any]:
        """What the present round was said to cost so far."""
        usage: dict[str, Any] = self._now.usage
        return usage

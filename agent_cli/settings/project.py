"""What a project's settings may say, even of a folder that is trusted; anything else is ignored.

Rule 1: what stands in no table is refused, so a new setting is the user's until somebody decides.
Rule 2: nothing here decides where requests go, which keys they carry, what runs unasked, what may
be spent, or what is trusted.
Rule 3: against the user's own word a project can only tighten.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, TypeAlias, cast

from msgspec import Struct

from agent_cli.settings.secrets import VARIABLES, find_key

Table: TypeAlias = dict[str, Any]
Keys: TypeAlias = tuple[str, ...]


class Manner(StrEnum):
    """How a setting that a project may make takes effect."""

    FREE = "free"
    STRICTER = "stricter"
    WIDER = "wider"
    """It holds all that the layers below hold, and perhaps more."""
    LOWER = "lower"
    KNOWN = "known provider"


class Reason(StrEnum):
    """Why something that was set has no effect."""

    ADDRESS = "address"
    LOOSENS = "loosens"
    LENIENT = "lenient"
    BUDGET = "budget"
    PROGRAM = "program"
    TRUST = "trust"
    MODEL = "model"
    NOT_OFFERED = "not offered"
    UNSAFE = "unsafe"
    """The managed file, where others than root could have written it."""
    INSIDE = "inside"
    """The user's file, where it lies in the folder that is worked in."""


class Ignored(Struct, frozen=True):
    """One setting, or one file, that has no effect."""

    place: str
    """The file, with the line where there is one."""
    key: str
    """Dotted; empty for the whole file."""
    reason: Reason


EVERY = "*"
"""Stands for any name in a path of keys."""

MAY: dict[Keys, Manner] = {
    ("model",): Manner.KNOWN,
    ("mode",): Manner.FREE,
    ("protocol",): Manner.FREE,
    ("parallel_tool_calls",): Manner.FREE,
    ("language",): Manner.FREE,
    ("command_timeout",): Manner.FREE,
    ("max_turns",): Manner.LOWER,
    ("max_tokens",): Manner.LOWER,
    ("max_seconds",): Manner.LOWER,
    ("max_cost",): Manner.LOWER,
    ("approval", "mode"): Manner.STRICTER,
    ("approval", "read"): Manner.STRICTER,
    ("approval", "write"): Manner.STRICTER,
    ("approval", "execute"): Manner.STRICTER,
    ("approval", "network"): Manner.STRICTER,
    ("approval", "mcp"): Manner.STRICTER,
    ("approval", "rules", "ask"): Manner.FREE,
    ("approval", "rules", "deny"): Manner.FREE,
    ("models", EVERY, "context_window"): Manner.FREE,
    ("models", EVERY, "max_output"): Manner.FREE,
    ("models", EVERY, "protocol"): Manner.FREE,
    ("models", EVERY, "vision"): Manner.FREE,
    ("models", EVERY, "parallel_tool_calls"): Manner.FREE,
    ("models", EVERY, "strict_tools"): Manner.FREE,
    ("turn", "on_failure"): Manner.STRICTER,
    ("completion", "block_on"): Manner.WIDER,
    ("completion", "open_todos"): Manner.STRICTER,
    ("completion", "scope"): Manner.STRICTER,
    ("completion", "verify"): Manner.FREE,
    ("hooks", EVERY): Manner.FREE,
}
"""Lists of rules, checks and hooks are added to the user's, see `merge.py`; none is replaced."""

MAY_NOT: dict[Keys, Reason] = {
    ("providers",): Reason.ADDRESS,
    ("provider",): Reason.ADDRESS,
    ("transport",): Reason.ADDRESS,
    ("base_url",): Reason.ADDRESS,
    ("api_key",): Reason.ADDRESS,
    ("api_key_env",): Reason.ADDRESS,
    ("headers",): Reason.ADDRESS,
    ("index",): Reason.ADDRESS,
    ("telemetry",): Reason.ADDRESS,
    ("proxy",): Reason.ADDRESS,
    ("approval", "rules", "allow"): Reason.LOOSENS,
    ("yolo",): Reason.LOOSENS,
    ("allowed_tools",): Reason.LOOSENS,
    ("auto_approve",): Reason.LOOSENS,
    ("web",): Reason.LOOSENS,
    ("images",): Reason.BUDGET,
    ("approval", "yolo"): Reason.LOOSENS,
    ("models", EVERY, "input_price"): Reason.BUDGET,
    ("models", EVERY, "output_price"): Reason.BUDGET,
    ("models", EVERY, "cache_read_price"): Reason.BUDGET,
    ("models", EVERY, "cache_write_price"): Reason.BUDGET,
    ("models", EVERY, "long_prompt"): Reason.BUDGET,
    ("models", EVERY, "long_input_factor"): Reason.BUDGET,
    ("models", EVERY, "long_output_factor"): Reason.BUDGET,
    ("retry",): Reason.BUDGET,
    ("mcp",): Reason.PROGRAM,
    ("shell",): Reason.PROGRAM,
    ("sandbox",): Reason.PROGRAM,
    ("env",): Reason.PROGRAM,
    ("environment",): Reason.PROGRAM,
    ("trust",): Reason.TRUST,
    ("trusted",): Reason.TRUST,
}
"""A price of zero would lift `max_cost`; the other names say their reason, whether we know a
setting of that name or not."""

_STRICTNESS = {
    word: rank
    for words in (
        ("allow", "auto", "accept-edits", "ask", "plan", "deny"),
        ("allow", "block"),
        ("turn", "resolved"),
        ("continue", "stop", "rollback"),
    )
    for rank, word in enumerate(words)
}


def permitted(table: Table) -> tuple[Table, tuple[tuple[Keys, Reason], ...]]:
    """Return what of a project's table is a project's to say, and what is not, and why."""
    refused: list[tuple[Keys, Reason]] = []
    kept = _permitted(table, (), refused)
    return kept, tuple(refused)


def tightening(
    table: Table, below: Table, environ: Mapping[str, str]
) -> tuple[Table, tuple[tuple[Keys, Reason], ...]]:
    """Return what of a permitted, checked table may stand over the layers below it."""
    refused: list[tuple[Keys, Reason]] = []

    def keep(keys: Keys, value: object) -> bool:
        reason = _objection(keys, value, below, environ)
        if reason is not None:
            refused.append((keys, reason))
        return reason is None

    return _filtered(table, (), keep), tuple(refused)


def _permitted(table: Table, above: Keys, refused: list[tuple[Keys, Reason]]) -> Table:
    kept: Table = {}
    for name, value in table.items():
        keys = (*above, name)
        if _find(MAY, keys) is not None:
            kept[name] = value
        elif isinstance(value, dict) and _leads_on(keys):
            inner = _permitted(cast("Table", value), keys, refused)
            if inner:
                kept[name] = inner
        else:
            refused.append((keys, _find(MAY_NOT, keys) or Reason.NOT_OFFERED))
    return kept


def _filtered(table: Table, above: Keys, keep: Callable[[Keys, object], bool]) -> Table:
    kept: Table = {}
    for name, value in table.items():
        keys = (*above, name)
        if _find(MAY, keys) is None:
            kept[name] = _filtered(value, keys, keep)
        elif keep(keys, value):
            kept[name] = value
    return kept


def _objection(keys: Keys, value: Any, below: Table, environ: Mapping[str, str]) -> Reason | None:
    held = _at(below, keys)
    match _find(MAY, keys):
        case Manner.STRICTER if _STRICTNESS[value] < _STRICTNESS[held]:
            return Reason.LOOSENS if keys[0] == "approval" else Reason.LENIENT
        case Manner.WIDER if not set(held).issubset(value):
            return Reason.LENIENT
        case Manner.LOWER if held is not None and value > held:
            return Reason.BUDGET
        case Manner.KNOWN if not _is_set_up(value, below, environ):
            return Reason.MODEL
        case _:
            return None


def _is_set_up(model: str, below: Table, environ: Mapping[str, str]) -> bool:
    """Whether the user has described the model's provider, or has a key for it."""
    provider = model.partition("/")[0]
    described = provider in below["providers"]
    return described or find_key(VARIABLES.get(provider, ()), environ) is not None


def _at(table: Table, keys: Keys) -> Any:
    """Return what the layers below say; None where they say nothing, as of a model of no entry."""
    value: Any = table
    for key in keys:
        value = value.get(key, {})
    return None if value == {} else value


def _find(patterns: Mapping[Keys, Any], keys: Keys) -> Any:
    return next((found for pattern, found in patterns.items() if _fits(pattern, keys)), None)


def _leads_on(keys: Keys) -> bool:
    return any(
        _fits(pattern[: len(keys)], keys)
        for pattern in (*MAY, *MAY_NOT)
        if len(pattern) > len(keys)
    )


def _fits(pattern: Keys, keys: Keys) -> bool:
    return len(pattern) == len(keys) and all(
        part in (EVERY, key) for part, key in zip(pattern, keys, strict=True)
    )

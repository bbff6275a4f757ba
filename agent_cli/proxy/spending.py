"""What replies cost: tokens as a dialect counts them, prices, and budgets."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from agent_cli.providers.known import Prices
from agent_cli.proxy.dialects.shapes import mapping
from agent_cli.types.errors import ConfigurationError
from agent_cli.types.usage import Usage

Amount = Annotated[float, Meta(ge=0)]


class Price(Struct, frozen=True, forbid_unknown_fields=True):
    """US dollars per million tokens; cached ones cost as much as others if nothing is said."""

    input: Amount
    output: Amount
    cache_read: Amount | None = None
    cache_write: Amount | None = None

    @property
    def prices(self) -> Prices:
        read = self.input if self.cache_read is None else self.cache_read
        write = self.input if self.cache_write is None else self.cache_write
        return Prices(self.input, self.output, read, write)


class Budget(Struct, frozen=True, forbid_unknown_fields=True):
    """What a token may spend; at least one of the two amounts is said."""

    usd: Amount | None = None
    tokens: Annotated[int, Meta(ge=0)] | None = None
    """Of prompts and replies, cached ones included."""
    per: Literal["day", "month", "total"] = "total"
    """Days and months are those of UTC."""

    def since(self, now: datetime) -> str:
        """Return the first day that counts."""
        first = {"day": now.date(), "month": now.date().replace(day=1), "total": None}[self.per]
        return first.isoformat() if first else ""


class Spent(Struct, frozen=True):
    """One call of an upstream, as the account book has it."""

    request: str
    principal: str
    conversation: str
    round: int
    provider: str
    model: str
    status: int
    error: str = ""
    input: int = 0
    """All tokens of the prompt, cached ones included."""
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0
    estimated: bool = False
    """The upstream did not say how many tokens they were."""
    usd: float | None = None
    """None if the prices are not known."""
    prices: Prices | None = None
    """At the time of the call."""

    @property
    def tokens(self) -> int:
        return self.input + self.output

    @property
    def columns(self) -> tuple[object, ...]:
        """Return it as a row of a table."""
        prices = msgspec.json.encode(self.prices).decode() if self.prices else None
        return (*msgspec.structs.astuple(self)[:-1], prices)

    @property
    def shown(self) -> dict[str, object]:
        """Return what a client is told of it."""
        return {
            "round": self.round,
            "status": self.status,
            "model": self.model,
            "input_tokens": self.input,
            "output_tokens": self.output,
            "cache_read_tokens": self.cache_read,
            "cache_write_tokens": self.cache_write,
            "reasoning_tokens": self.reasoning,
            "cost_usd": self.usd,
        }


class Account(Struct, frozen=True):
    """What somebody has spent."""

    usd: float = 0.0
    tokens: int = 0


class Line(Struct, frozen=True):
    """A line of `agent proxy spent`: one principal with one model, on one day."""

    day: str
    principal: str
    provider: str
    model: str
    calls: int
    input: int
    output: int
    cache_read: int
    cache_write: int
    reasoning: int
    usd: float
    unpriced: int
    """Calls whose prices were not known."""


def counted(usage: Mapping[str, Any]) -> tuple[Usage, int]:
    """Return the tokens that a reply has cost, and how many of them were reasoning.

    Messages counts cached tokens beside the input, the other dialects in it.
    """
    read = _number(usage.get("cache_read_input_tokens"))
    write = _number(usage.get("cache_creation_input_tokens"))
    beside = read + write
    said = mapping(usage.get("prompt_tokens_details") or usage.get("input_tokens_details"))
    made = mapping(usage.get("completion_tokens_details") or usage.get("output_tokens_details"))
    cost = usage.get("cost")
    counts = Usage(
        _number(usage.get("prompt_tokens")) + _number(usage.get("input_tokens")) + beside,
        _number(usage.get("completion_tokens")) + _number(usage.get("output_tokens")),
        read or _number(said.get("cached_tokens")),
        write or _number(said.get("cache_write_tokens")),
        float(cost) if isinstance(cost, int | float) else None,
    )
    return counts, _number(made.get("reasoning_tokens"))


def _number(value: object) -> int:
    return int(value) if isinstance(value, int | float) else 0


def told(paid: Sequence[Spent]) -> dict[str, object]:
    """Return what a client is told of the calls that its request has made of upstreams."""
    known = [one.usd for one in paid if one.usd is not None]
    return {
        "rounds": len(paid),
        "per_round": [one.shown for one in paid],
        "cost_usd": sum(known) if len(known) == len(paid) else None,
    }


def price_of(
    said: Mapping[str, Price], known: Mapping[str, Prices], names: Sequence[str]
) -> Prices | None:
    """Return the prices of a model by one of its names: as was said, or as is known to all."""
    for name in names:
        for pattern, price in said.items():
            if fnmatchcase(name, pattern):
                return price.prices
    return next((known[name] for name in names if name in known), None)


def today(now: float) -> str:
    return datetime.fromtimestamp(now, UTC).date().isoformat()


def check_budget(name: str, budget: Budget | None) -> None:
    """Raise ConfigurationError for one that limits nothing."""
    if budget is not None and budget.usd is None and budget.tokens is None:
        raise ConfigurationError(f"tokens.{name}.budget: say usd or tokens")

"""What is known of models: the table `models.toml`, with what the settings say standing over it."""

import re
from pathlib import Path

import msgspec
from msgspec import Struct

from agent_cli.settings.schema import ModelSettings, Settings
from agent_cli.types.requests import Protocol
from agent_cli.types.usage import Usage

_DATE = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2})$")
"""Ends the name of a model that never changes."""


class Prices(Struct, frozen=True):
    """US dollars per million tokens."""

    input: float
    output: float
    cache_read: float
    cache_write: float
    long_prompt: int | None = None
    """Input tokens beyond which the whole request costs the factors' multiple."""
    long_input: float = 1.0
    long_output: float = 1.0

    def cost(self, usage: Usage) -> float:
        """Return US dollars; what the provider billed, if it said so."""
        if usage.cost is not None:
            return usage.cost
        cached = usage.cache_read_tokens + usage.cache_write_tokens
        fresh = max(0, usage.input_tokens - cached)
        read = (
            fresh * self.input
            + usage.cache_read_tokens * self.cache_read
            + usage.cache_write_tokens * self.cache_write
        )
        written = usage.output_tokens * self.output
        if self.long_prompt is not None and usage.input_tokens > self.long_prompt:
            read, written = read * self.long_input, written * self.long_output
        return (read + written) / 1_000_000


class ModelInfo(Struct, frozen=True):
    """What is known of a model; None is unknown."""

    context_window: int | None = None
    max_output: int | None = None
    vision: bool = False
    protocol: Protocol = Protocol.NATIVE
    prices: Prices | None = None
    sends_parallel: bool = True
    """Whether a request may say if parallel calls are wanted."""
    strict_tools: bool = False
    """Whether the server holds the model to schemas that allow it."""


def known_models(settings: Settings) -> list[tuple[str, ModelSettings]]:
    """Return every model that is named, as `provider/name`, with what is known."""
    known = {
        f"{provider}/{name}": row
        for provider, rows in _table().items()
        for name, row in rows.items()
    }
    for name, said in settings.models.items():
        known[name] = _merged(known.get(name, ModelSettings()), said)
    return sorted(known.items())


def known_prices() -> dict[str, Prices]:
    """Return prices by the names of models, alone and after their provider's."""
    found: dict[str, Prices] = {}
    for provider, rows in _table().items():
        for name, row in rows.items():
            if (prices := _prices(row)) is not None:
                found.setdefault(name, prices)
                found[f"{provider}/{name}"] = prices
    return found


def undated(name: str) -> str:
    """Return the model's name without the day on which it was made."""
    return _DATE.sub("", name)


def model_info(
    section: str, name: str, said: ModelSettings, *, sends_parallel: bool, strict: bool = False
) -> ModelInfo:
    """Return what holds for the model; a dated name is its model's in the table."""
    rows = _table().get(section, {})
    known = rows.get(name) or rows.get(undated(name), ModelSettings())
    both = _merged(known, said)
    return ModelInfo(
        both.context_window,
        both.max_output,
        both.vision or False,
        both.protocol or Protocol.NATIVE,
        _prices(both),
        sends_parallel if both.parallel_tool_calls is None else both.parallel_tool_calls,
        strict if both.strict_tools is None else both.strict_tools,
    )


def _table() -> dict[str, dict[str, ModelSettings]]:
    import tomllib  # noqa: PLC0415 - only when a model is resolved

    text = Path(__file__).with_name("models.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, dict[str, ModelSettings]])


def _merged(known: ModelSettings, said: ModelSettings) -> ModelSettings:
    fields = msgspec.structs.asdict(said).items()
    return msgspec.structs.replace(
        known, **{name: value for name, value in fields if value is not None}
    )


def _prices(model: ModelSettings) -> Prices | None:
    """Return the prices, if those of input and output are known; cached tokens cost no less."""
    if model.input_price is None or model.output_price is None:
        return None
    read, write = model.cache_read_price, model.cache_write_price
    return Prices(
        model.input_price,
        model.output_price,
        model.input_price if read is None else read,
        model.input_price if write is None else write,
        model.long_prompt,
        1.0 if model.long_input_factor is None else model.long_input_factor,
        1.0 if model.long_output_factor is None else model.long_output_factor,
    )

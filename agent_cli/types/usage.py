"""What a request cost."""

from msgspec import Struct


class Usage(Struct, frozen=True, omit_defaults=True):
    """Tokens of one model response, or the sum of several."""

    input_tokens: int = 0
    """All tokens of the prompt, cached ones included."""
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost: float | None = None
    """US dollars as the provider billed them; None when it did not say."""
    estimated: bool = False
    """Whether the numbers are our estimate because the stream ended before they arrived."""

    def __add__(self, other: "Usage") -> "Usage":
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            cost=sum(costs) if costs else None,
            estimated=self.estimated or other.estimated,
        )

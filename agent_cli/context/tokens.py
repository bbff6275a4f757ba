"""How many tokens a text has: a rule of thumb, corrected by what providers report."""

from msgspec import Struct

from agent_cli.types.usage import Usage

BYTES_PER_TOKEN = 4

_LEAST, _MOST = 0.25, 4.0
"""A report further off than this measured something else, such as images."""


def estimate(size: int) -> int:
    """Return the tokens of `size` bytes of text, rounded up."""
    return -(-size // BYTES_PER_TOKEN)


class Calibration(Struct, frozen=True):
    """How far the rule of thumb is off for the model in use."""

    factor: float = 1.0
    observed: bool = False

    def tokens(self, size: int) -> int:
        """Return the tokens of `size` bytes, corrected."""
        return round(estimate(size) * self.factor)

    def after(self, size: int, usage: Usage) -> "Calibration":
        """Learn from a request of `size` bytes and what the provider counted.

        The first report counts in full, later ones by half, so that one odd request passes.
        """
        if size <= 0 or usage.estimated or usage.input_tokens <= 0:
            return self
        measured = min(max(usage.input_tokens / estimate(size), _LEAST), _MOST)
        factor = (self.factor + measured) / 2 if self.observed else measured
        return Calibration(factor, observed=True)

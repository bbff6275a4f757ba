"""Discounts for buying many of the same."""

STEPS = [(10, 15), (5, 10), (3, 5)]
"""From this many pieces on, this many per cent off; the largest number first."""


def percent(count: int) -> int:
    """Return the discount for this many pieces, in per cent."""
    for pieces, off in STEPS:
        if count > pieces:
            return off
    return 0


def discounted(cents: int, count: int) -> int:
    """Return the price of all pieces with the discount taken off, rounded down to a cent."""
    return cents * count * (100 - percent(count)) // 100

"""Money, in cents."""


def euros(cents: int) -> str:
    """Write an amount the way a receipt does."""
    sign = "-" if cents < 0 else ""
    whole, rest = divmod(abs(cents), 100)
    return f"{sign}{whole}.{rest:02d} EUR"

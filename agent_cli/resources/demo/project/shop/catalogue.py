"""What is for sale, in cents."""

PRICES = {
    "apple": 40,
    "bread": 320,
    "cheese": 745,
    "coffee": 899,
}


def price(name: str) -> int:
    """Return the price of one piece; raises KeyError for what is not for sale."""
    return PRICES[name]

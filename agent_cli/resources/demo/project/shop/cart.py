"""A cart: what somebody is about to buy."""

from shop.catalogue import price
from shop.discount import discounted


class Cart:
    def __init__(self) -> None:
        self.pieces: dict[str, int] = {}

    def add(self, name: str, count: int = 1) -> None:
        price(name)  # raises for what is not for sale
        self.pieces[name] = self.pieces.get(name, 0) + count

    def total(self) -> int:
        return sum(discounted(price(name), count) for name, count in self.pieces.items())

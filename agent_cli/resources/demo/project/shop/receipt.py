"""Receipts."""

from shop.cart import Cart
from shop.money import euros


def receipt(cart: Cart) -> str:
    lines = [f"{count} x {name}" for name, count in sorted(cart.pieces.items())]
    return "\n".join([*lines, f"total {euros(cart.total())}"])

"""What is said between us and the program that drives the browser: one JSON object a line."""

from typing import Literal, TypeAlias

from msgspec import Struct

Action: TypeAlias = Literal[
    "launch",
    "click",
    "hover",
    "type",
    "press",
    "resize",
    "scroll_down",
    "scroll_up",
    "screenshot",
    "close",
]
WIDTH, HEIGHT = 900, 600
"""Pixels of the page that are seen, until it is resized."""


class Order(Struct, frozen=True, omit_defaults=True):
    action: Action
    url: str = ""
    x: float = 0
    y: float = 0
    """Where, in parts of the page's width and height."""
    text: str = ""
    width: int = 0
    height: int = 0


class Seen(Struct, frozen=True, omit_defaults=True):
    """What there is to see after an action, or why it was not done."""

    url: str = ""
    width: int = 0
    height: int = 0
    image: str = ""
    """Base64."""
    logs: tuple[str, ...] = ()
    error: str = ""

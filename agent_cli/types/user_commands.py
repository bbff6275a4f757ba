"""Commands that the user runs themselves, beside the conversation."""

from msgspec import Struct


class UserRan(Struct, frozen=True, tag="user_ran", omit_defaults=True):
    """The user ran a command of their own; the model hears of it with their next words.

    What it changed is the user's doing, which no undo takes back.
    """

    command: str
    output: str = ""
    exit_code: int | None = None
    """None when it did not end by itself."""
    signal: int | None = None
    """Which ended it."""
    interrupted: bool = False
    """The user did."""

"""Entries about what the user said while the agent was at work."""

from msgspec import Struct


class InputQueued(Struct, frozen=True, tag="input_queued"):
    """The user said something while the agent was at work; it is delivered between turns."""

    text: str


class InputUnqueued(Struct, frozen=True, tag="input_unqueued"):
    """What was queued is not delivered: the user took it back, or a hook forbade it.

    Of several that are equal it is the last.
    """

    text: str

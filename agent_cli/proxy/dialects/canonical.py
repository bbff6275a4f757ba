"""What counts of a history, whatever a client's way of writing it.

Left out are cache marks, item ids, states, reasoning, and the reminders that some clients put
between the words of a person; blanks at the end and the spacing of arguments do not matter.
"""

import re
from hashlib import sha256
from typing import Any

import msgspec

_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)


def tidy(text: str) -> str:
    return _REMINDER.sub("", text).strip()


def arguments_value(arguments: object) -> object:
    """Return what the arguments mean, or their text where they mean nothing."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return msgspec.json.decode(arguments) if arguments.strip() else {}
    except (msgspec.DecodeError, RecursionError):
        return arguments


def digest_of_image(part: dict[str, Any]) -> str:
    """Return what stands for a part that is no text, its cache mark left out."""
    kept = {name: value for name, value in part.items() if name != "cache_control"}
    return digest(kept)


def digest(value: object) -> str:
    """Return a fingerprint that does not depend on the order of members."""
    return sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()[:32]

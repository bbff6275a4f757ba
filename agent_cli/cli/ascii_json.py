"""JSON of which every character is printable ASCII, whatever the values hold."""

import json
import re

_SHORT = re.compile(r'\\(["\\bfnrt])')
_CODES = {"b": "0008", "f": "000c", "n": "000a", "r": "000d", "t": "0009"}


def ascii_json(value: object) -> str:
    r"""Return the value in one line; what is not printable ASCII is written as `\u` and its code.

    A lone surrogate stands for a byte that is not text, and stays one.
    """
    return _SHORT.sub(_long, json.dumps(value)).replace("\x7f", "\\u007f")


def _long(found: re.Match[str]) -> str:
    code = _CODES.get(found[1])
    return found[0] if code is None else f"\\u{code}"

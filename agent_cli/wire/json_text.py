r"""Reading JSON from strangers: one decoder that never lets a lone surrogate break a stream.

A gateway that cuts text by UTF-16 units sends half a character as an escape such as `\ud83d` in
one delta and its other half in the next. JSON allows it and a strict reader refuses it, so `decode`
lets halves through as they are, and `well_formed` joins them once the pieces are together.
"""

import json
import re
from typing import TypeVar

import msgspec

from agent_cli.types.errors import WireError

T = TypeVar("T")

SURROGATE = re.compile(r"[\ud800-\udfff]")
ESCAPE = re.compile(
    r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)
"""A backslash, a pair of surrogates or a lone one, as JSON escapes."""


def well_formed(text: str) -> str:
    """Join surrogate halves that belong together and replace the others with U+FFFD."""
    if text.isascii() or not SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def decode(data: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    """Decode; strings may hold lone surrogates where the sender wrote them as escapes.

    Bytes that are not UTF-8 become U+FFFD. Raises WireError for anything that is not the JSON that
    `decoder` expects.
    """
    try:
        try:
            return decoder.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return _decode_leniently(data.decode("utf-8", "replace"), decoder)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        excerpt = data[:200].decode("utf-8", "replace")
        raise WireError(f"not the expected JSON ({error}): {excerpt!r}") from error


def _decode_leniently(text: str, decoder: msgspec.json.Decoder[T]) -> T:
    repaired = ESCAPE.sub(_without_halves, text)
    if repaired != text:
        try:
            return msgspec.convert(json.loads(text), decoder.type)
        except msgspec.ValidationError:
            pass  # raw fields cannot be converted to, only decoded: halves are lost there
    return decoder.decode(repaired)


def _without_halves(match: re.Match[str]) -> str:
    escape = match.group()
    return r"\ufffd" if len(escape) == len(r"\ud83d") else escape

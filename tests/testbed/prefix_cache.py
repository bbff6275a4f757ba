"""A provider that knows the beginning of a request again, as those do that keep prompts cached."""

from typing import Any

import msgspec
from msgspec import Raw
from msgspec.structs import replace
from testbed.replies import Say, Usage

_FIELDS = msgspec.json.Decoder(dict[str, Raw])
_MARK = b',"cache_control":{"type":"ephemeral"}'


def head(raw: bytes) -> bytes:
    """What stands before the history for every provider: tools and instructions."""
    fields = _FIELDS.decode(raw)
    return b"".join(bytes(fields.get(name, b"")) for name in ("tools", "system", "instructions"))


def history(raw: bytes) -> bytes:
    """The history's bytes, without the bracket that ends it."""
    fields = _FIELDS.decode(raw)
    return bytes(fields["messages"] if "messages" in fields else fields["input"])[:-1]


def unmarked(raw: bytes) -> bytes:
    """The same bytes without cache marks, which say where to keep and are not kept."""
    return raw.replace(_MARK, b"")


class PrefixCache:
    """Answers from a script, and says that each request has a hundred tokens more."""

    def __init__(self, script: list[Say]) -> None:
        self._script = list(script)
        self.kept: list[bytes] = []
        """The beginnings that it has seen."""

    def __call__(self, exchange: Any) -> Say:
        whole = unmarked(head(exchange.raw) + history(exchange.raw))
        known = [place for place, one in enumerate(self.kept, 1) if whole.startswith(one)]
        self.kept.append(whole)
        usage = Usage(100 * len(self.kept), 5, cache_read=100 * max(known, default=0))
        return replace(self._script.pop(0), usage=usage)

"""What of a request the next one has to repeat, for the caches of providers.

Everything from the first byte to the last block of the last message, but for the brackets that
close it, and for the cache marks, which move and are not part of what is cached.
"""

from agent_cli.wire.anthropic_messages.request import CACHE_MARK


def unmarked(raw: bytes) -> bytes:
    return raw.replace(CACHE_MARK, b"}")


def prefix(raw: bytes) -> bytes:
    return unmarked(raw).rstrip(b"]}")


def extends(later: bytes, earlier: bytes) -> bool:
    return unmarked(later).startswith(prefix(earlier))

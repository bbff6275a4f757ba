"""Ids in each vendor's style; the same script gives the same ids on every run."""

import base64
import hashlib

from testbed.exchange import ANTHROPIC_MESSAGES, Exchange
from testbed.replies import OMIT, Call, Say


def token(kind: str, number: int, index: int, length: int) -> str:
    seed = f"{kind}/{number}/{index}".encode()
    return hashlib.sha256(seed).hexdigest()[:length]


def message_id(exchange: Exchange, prefix: str) -> str:
    return prefix + token("message", exchange.number, 0, 24)


def item_id(exchange: Exchange, prefix: str, index: int) -> str:
    """The id of an output item of the Responses wire."""
    return prefix + token("item", exchange.number, index, 32)


def call_id(exchange: Exchange, call: Call, index: int) -> str | None:
    """The id the call goes out with; None leaves the field out."""
    if call.id == OMIT:
        return None
    if call.id is not None:
        return call.id
    prefix = "toolu_01" if exchange.wire == ANTHROPIC_MESSAGES else "call_"
    return prefix + token("call", exchange.number, index, 22)


def call_ids(exchange: Exchange, say: Say) -> list[str | None]:
    return [call_id(exchange, call, index) for index, call in enumerate(say.calls)]


def seal(exchange: Exchange) -> str:
    """The signature or encrypted content that must come back with the reasoning."""
    seed = hashlib.sha512(f"seal/{exchange.number}".encode()).digest()
    return base64.b64encode(seed * 3).decode()

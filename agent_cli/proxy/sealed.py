"""A store whose bodies nobody can read without the key: AES-256-GCM, each under its own nonce.

What is said is encrypted; keys, anchors and sizes are not, for by them things are found. Each body
is bound to its place, so that none can be put in another's.
"""

import base64
import secrets
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from string import hexdigits

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from agent_cli.proxy.dialects.turns import Call
from agent_cli.proxy.envelopes import Envelope, ProxyError
from agent_cli.proxy.spending import Account, Spent
from agent_cli.proxy.store import CHECK, Segment, Store, Wanted
from agent_cli.types.errors import ConfigurationError

_MARK = b"\x00aes1"
_NONCE = 12
_KEY = 32
_SAID = b"the key is right"


class _Body(msgspec.Struct, frozen=True):
    """What of a segment is encrypted."""

    full: tuple[Raw, ...]
    results: tuple[tuple[Call, Envelope], ...]


class Cipher:
    """Encrypts bodies with one key."""

    def __init__(self, key: bytes) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import (  # noqa: PLC0415 - it is optional
            AESGCM,
        )

        self._cipher: AESGCM = AESGCM(key)

    def sealed(self, body: bytes, place: str) -> bytes:
        nonce = secrets.token_bytes(_NONCE)
        return _MARK + nonce + self._cipher.encrypt(nonce, body, place.encode())

    def opened(self, body: bytes, place: str) -> bytes:
        """Return what was sealed for the place; what was never sealed is returned as it is."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - it is optional

        if not body.startswith(_MARK):
            return body
        nonce, rest = body[len(_MARK) :][:_NONCE], body[len(_MARK) + _NONCE :]
        try:
            return self._cipher.decrypt(nonce, rest, place.encode())
        except InvalidTag as error:
            raise ProxyError(
                503, "store_unavailable", "what is remembered was written with another key"
            ) from error

    def sealed_segment(self, segment: Segment) -> Segment:
        body = msgspec.json.encode(_Body(segment.full, segment.results))
        text = base64.b64encode(self.sealed(body, segment.id)).decode()
        return replace(segment, full=(Raw(msgspec.json.encode(text)),), results=())

    def opened_segment(self, segment: Segment) -> Segment:
        text = _text(segment)
        if not text:
            return segment
        body = msgspec.json.decode(self.opened(base64.b64decode(text), segment.id), type=_Body)
        return replace(segment, full=body.full, results=body.results)


def _text(segment: Segment) -> str:
    """Return what stands for the messages of a segment that is sealed; empty for another."""
    only = bytes(segment.full[0]) if len(segment.full) == 1 else b""
    return msgspec.json.decode(only, type=str) if only.startswith(b'"') else ""


def is_sealed(segment: Segment) -> bool:
    return bool(_text(segment))


class SealedStore:
    """See `Store`."""

    def __init__(self, inner: Store, cipher: Cipher) -> None:
        self._inner = inner
        self._cipher = cipher

    async def check(self) -> None:
        """Raise ConfigurationError if what is there was written with another key."""
        kept = await self._inner.get(CHECK, "", CHECK, float("inf"))
        if kept is not None:
            try:
                self._cipher.opened(kept, CHECK)
            except ProxyError as error:
                raise ConfigurationError(
                    "continuity.key_env holds another key than the one that what is remembered was "
                    "encrypted with: take that, or forget all with `agent proxy continuity purge`"
                ) from error
        await self._inner.put(CHECK, "", CHECK, self._cipher.sealed(_SAID, CHECK))

    async def get(self, kind: str, principal: str, key: str, age: float) -> bytes | None:
        return (await self.get_each(principal, [(kind, key, age)]))[0]

    async def get_each(self, principal: str, wanted: Sequence[Wanted]) -> list[bytes | None]:
        found = await self._inner.get_each(principal, wanted)
        return [
            None if body is None else self._cipher.opened(body, _place(kind, principal, key))
            for body, (kind, key, _) in zip(found, wanted, strict=True)
        ]

    async def put(self, kind: str, principal: str, key: str, body: bytes) -> None:
        sealed = self._cipher.sealed(body, _place(kind, principal, key))
        await self._inner.put(kind, principal, key, sealed)

    async def add(self, kind: str, principal: str, key: str, body: bytes, age: float) -> bool:
        sealed = self._cipher.sealed(body, _place(kind, principal, key))
        return await self._inner.add(kind, principal, key, sealed, age)

    async def remember(self, segment: Segment) -> bool:
        return await self._inner.remember(self._cipher.sealed_segment(segment))

    async def find(self, principal: str, anchors: Sequence[str]) -> list[Segment]:
        found = await self._inner.find(principal, anchors)
        return [self._cipher.opened_segment(segment) for segment in found]

    async def foreign(self, principal: str, anchors: Sequence[str]) -> bool:
        return await self._inner.foreign(principal, anchors)

    async def spend(self, spent: Spent) -> None:
        await self._inner.spend(spent)

    async def account(self, principal: str, since: str) -> Account:
        return await self._inner.account(principal, since)

    async def alive(self, owner: str) -> bool:
        return await self._inner.alive(owner)

    async def close(self) -> None:
        await self._inner.close()


def _place(kind: str, principal: str, key: str) -> str:
    return f"{kind}\0{principal}\0{key}"


async def check_plain(store: Store) -> None:
    """Raise ConfigurationError if what is there can only be read with a key, and there is none."""
    if await store.get(CHECK, "", CHECK, float("inf")) is not None:
        raise ConfigurationError(
            "what is remembered is encrypted: name the variable with its key in continuity.key_env"
        )


def cipher_of(name: str, environ: Mapping[str, str]) -> Cipher | None:
    """Return what the key in the variable encrypts with; None without a name.

    Raises ConfigurationError.
    """
    if not name:
        return None
    if find_spec("cryptography") is None:
        raise ConfigurationError(
            "continuity.key_env needs a package: pip install 'agent-cli[encryption]'"
        )
    key = _decoded(environ.get(name, "").strip())
    if len(key) != _KEY:
        raise ConfigurationError(
            f"continuity.key_env names {name!r}, which has to hold {_KEY} bytes in hexadecimal or "
            "base64, as `openssl rand -hex 32` makes them"
        )
    return Cipher(key)


def _decoded(text: str) -> bytes:
    if len(text) == 2 * _KEY and set(text) <= set(hexdigits):
        return bytes.fromhex(text)
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return b""

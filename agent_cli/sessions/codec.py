"""The journal's format: JSON Lines, each line sealed by a hash that chains it to the one before.

    {"hash":"<64 hex digits>","seq":0,"at":"2026-11-21T10:00:00.000000Z","entry":{...}}

A line proves itself and its place: a flipped bit, a torn tail or a removed line is found at
that line, and everything before it stands.
"""

from hashlib import sha256

import msgspec

from agent_cli.types.entries import Envelope

FORMAT = 1
SEED = "0" * 64

PREFIX = b'{"hash":"'
"""Begins every line."""

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Envelope)
_BODY = len(PREFIX) + 64 + 2


def seal(envelope: Envelope, previous: str) -> tuple[bytes, str]:
    """Return the line, LF included, and its hash."""
    body = _encoder.encode(envelope)
    digest = sha256(previous.encode() + body).hexdigest()
    return b'%b%b",%b\n' % (PREFIX, digest.encode(), body[1:]), digest


def open_line(line: bytes, previous: str) -> Envelope | None:
    """Return what a line without its LF holds, None if it does not fit the hash before it."""
    if not line.startswith(PREFIX):
        return None
    body = b"{" + line[_BODY:]
    digest = sha256(previous.encode() + body).hexdigest()
    if line[:_BODY] != b'%b%b",' % (PREFIX, digest.encode()):
        return None
    try:
        return _decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # whoever sealed it
        return None


def hash_of(line: bytes) -> str:
    """Return the hash that a line bears."""
    return line[len(PREFIX) : len(PREFIX) + 64].decode()

"""The journal's format: JSON Lines, each line sealed by a hash that chains it to the one before.

    {"hash":"<64 hex digits>","seq":0,"at":"2026-11-21T10:00:00.000000Z","entry":{...}}

A line proves itself and its place: a flipped bit, a torn tail or a removed line is found at
that line, and everything before it stands.
"""

from hashlib import sha256

import msgspec
from msgspec import Struct

from agent_cli.types.entries import Entry, Envelope

FORMAT = 1
SEED = "0" * 64

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Envelope)
_PREFIX = b'{"hash":"'
_BODY = len(_PREFIX) + 64 + 2


class Loaded(Struct, frozen=True):
    """The longest valid beginning of a journal."""

    envelopes: tuple[Envelope, ...]
    last_hash: str
    valid_bytes: int
    damage: str = ""
    """What is wrong behind the valid part; empty if nothing is."""


def seal(envelope: Envelope, previous: str) -> tuple[bytes, str]:
    """Return the line, LF included, and its hash."""
    body = _encoder.encode(envelope)
    digest = sha256(previous.encode() + body).hexdigest()
    return b'%b%b",%b\n' % (_PREFIX, digest.encode(), body[1:]), digest


def load(data: bytes) -> Loaded:
    """Read as many lines as hold; never raises."""
    envelopes: list[Envelope] = []
    previous, position = SEED, 0
    while position < len(data):
        end = data.find(b"\n", position)
        line = data[position:] if end < 0 else data[position:end]
        problem = "the last line is incomplete" if end < 0 else ""
        envelope = None if problem else open_line(line, previous)
        if envelope is None or envelope.seq != len(envelopes):
            where = f"line {len(envelopes) + 1}"
            problem = problem or f"{where} does not fit its hash or its place"
            return Loaded(tuple(envelopes), previous, position, problem)
        envelopes.append(envelope)
        previous = hash_of(line)
        position = end + 1
    return Loaded(tuple(envelopes), previous, position)


def open_line(line: bytes, previous: str) -> Envelope | None:
    """Return what a line without its LF holds, None if it does not fit the hash before it."""
    if not line.startswith(_PREFIX):
        return None
    body = b"{" + line[_BODY:]
    digest = sha256(previous.encode() + body).hexdigest()
    if line[:_BODY] != b'%b%b",' % (_PREFIX, digest.encode()):
        return None
    try:
        return _decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # whoever sealed it
        return None


def hash_of(line: bytes) -> str:
    """Return the hash that a line bears."""
    return line[len(_PREFIX) : len(_PREFIX) + 64].decode()


def entries(loaded: Loaded) -> list[Entry]:
    return [envelope.entry for envelope in loaded.envelopes]

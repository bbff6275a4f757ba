"""Cassettes: exchanges with a model, one JSON object a line.

The first line is the header. A recorded exchange is a line `request` and a line for each frame, as
it was on the wire; a scripted one is a single line `say` with the message that the model says.
"""

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import IO, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from agent_cli.i18n.catalog import say
from agent_cli.types.errors import ConfigurationError
from agent_cli.types.messages import AssistantMessage
from agent_cli.wire.frames import Frame

T = TypeVar("T")

FORMAT = 1


class Header(Struct, frozen=True, forbid_unknown_fields=True):
    format: int
    codec: str
    model: str


class Line(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Exactly one of `request`, `frame` and `say` is there."""

    request: str | None = None
    """Begins an exchange: SHA-256 of the body, which may be private and is not kept."""
    messages: int = 0
    """How many messages the request held."""
    frame: str | None = None
    event: str = ""
    say: AssistantMessage | None = None


Exchange: TypeAlias = tuple[Frame, ...] | AssistantMessage


class Cassette(Struct, frozen=True):
    name: str
    header: Header
    exchanges: tuple[Exchange, ...]


class CassetteWriter:
    """Writes frames as they come, so that a crash loses only what had not arrived."""

    def __init__(self, path: Path, codec: str, model: str) -> None:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise ConfigurationError(
                say("cannot record to {path!r}: {error}", path=str(path), error=error)
            ) from error
        self._file: IO[bytes] = os.fdopen(descriptor, "wb")
        self._write(Header(FORMAT, codec, model))

    def begin(self, body: bytes, messages: int) -> None:
        self._write(Line(request=sha256(body).hexdigest(), messages=messages))

    def add(self, frame: Frame) -> None:
        self._write(Line(frame=frame.data.decode("utf-8", "replace"), event=frame.event))

    def close(self) -> None:
        self._file.close()

    def _write(self, line: Struct) -> None:
        self._file.write(msgspec.json.encode(line) + b"\n")
        self._file.flush()


def read_cassette(path: Path) -> Cassette:
    """Read and check a whole cassette. Raises ConfigurationError that names file and line."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigurationError(
            say("cannot replay {path!r}: {error}", path=str(path), error=error)
        ) from error
    return parse_cassette(data, str(path))


def parse_cassette(data: bytes, name: str) -> Cassette:
    header, *lines = data.splitlines() or [b""]
    head = _decoded(header, Header, f"{name}:1")
    if head.format != FORMAT:
        raise ConfigurationError(
            say(
                "cannot replay {name!r}: it has format {format}, and {format2} is understood",
                name=name,
                format=head.format,
                format2=FORMAT,
            )
        )
    read = [
        (number, _decoded(line, Line, f"{name}:{number}"))
        for number, line in enumerate(lines, start=2)
        if line.strip()
    ]
    return Cassette(name, head, tuple(_exchanges(read, name)))


def _exchanges(lines: list[tuple[int, Line]], name: str) -> Iterator[Exchange]:
    frames: list[Frame] | None = None
    for number, line in lines:
        if line.frame is not None:
            if frames is None:
                raise ConfigurationError(
                    say(
                        "cannot replay {name}:{number}: a frame of no request",
                        name=name,
                        number=number,
                    )
                )
            frames.append(Frame(line.frame.encode(), line.event))
            continue
        if frames is not None:
            yield tuple(frames)
            frames = None
        if line.say is not None:
            yield line.say
        elif line.request is not None:
            frames = []
        else:
            raise ConfigurationError(
                say(
                    "cannot replay {name}:{number}: it is no request, no frame and nothing to say",
                    name=name,
                    number=number,
                )
            )
    if frames is not None:
        yield tuple(frames)


def _decoded(line: bytes, type_: type[T], place: str) -> T:
    try:
        return msgspec.json.decode(line, type=type_)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            say("cannot replay {place}: {error}", place=place, error=error)
        ) from error

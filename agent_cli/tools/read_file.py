"""read_file: text of files with line numbers, and images."""

import re
from base64 import b64encode
from pathlib import PurePosixPath
from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from agent_cli.tools._text import numbered
from agent_cli.tools.base import Blocks, Failure, Output, Tool, ToolArguments, ToolContext
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ToolError
from agent_cli.types.messages import Image
from agent_cli.workspace.editor import decode, printable, split_lines
from agent_cli.workspace.files import image_type

FILES_LIMIT = 5
TEXT_LIMIT = 100_000
"""UTF-8 bytes of numbered text that one file may take in a result."""
IMAGE_LIMIT = 5 * 1024 * 1024
_IMAGES_LIMIT = 20 * 1024 * 1024

_RANGE = re.compile(r"\s*(\d{1,9})\s*-\s*(\d{1,9})\s*")
_Pair: TypeAlias = Annotated[tuple[int, ...], Meta(min_length=2, max_length=2)]


class LineRange(Struct, frozen=True, forbid_unknown_fields=True):
    start: int
    end: int


class FileRequest(Struct, frozen=True, forbid_unknown_fields=True):
    path: Annotated[str, Meta(description="Path relative to the workspace root.")]
    line_ranges: Annotated[
        tuple[str | _Pair | LineRange, ...] | None,
        Meta(description='Lines to read, counted from 1, both ends included: ["1-50", "90-120"].'),
    ] = None


class Arguments(ToolArguments, frozen=True):
    files: Annotated[
        tuple[FileRequest, ...],
        Meta(min_length=1, description=f"The files to read, at most {FILES_LIMIT}."),
    ]


class _Wanted(Struct, frozen=True):
    """What a call asks of one file."""

    path: str
    ranges: tuple[tuple[int, int], ...] = ()
    """In order and apart from one another; empty means the whole file."""
    error: str = ""
    """Why nothing can be read, when that is already known."""


class _Part(Struct, frozen=True):
    """What one file gave."""

    text: str
    failed: bool = False
    image: Image | None = None


class ReadFile(Tool[Arguments]):
    name = "read_file"
    description = (
        f"Read up to {FILES_LIMIT} files. Text comes with line numbers (`12 | text`) that are not "
        "part of the file; line_ranges reads parts of large files. PNG, JPEG, GIF and WebP images "
        "are shown. Read everything related in one call."
    )
    kind = Kind.READ
    arguments = Arguments

    def effects(self, arguments: Arguments, context: ToolContext) -> tuple[Effect, ...]:
        """Leave out what is refused while others can be read: `run` reports it."""
        effects: dict[Effect, None] = {}
        refused: ToolError | None = None
        for file in _checked(arguments):
            try:
                effects[context.workspace.effect(Kind.READ, file.path)] = None
            except ToolError as error:
                refused = refused or error
        if refused is not None and not effects:
            raise refused
        return tuple(effects)

    async def run(self, arguments: Arguments, context: ToolContext) -> Output:
        parts: list[_Part] = []
        images: list[Image] = []
        for wanted in _merged(_checked(arguments), context):
            part = _read(wanted, context, room=_IMAGES_LIMIT - sum(len(one.data) for one in images))
            parts.append(part)
            if part.image is not None:
                images.append(part.image)
        text = "\n\n---\n\n".join(part.text for part in parts)
        if any(part.failed for part in parts):
            lost = "\n\nImages are left out, since another file failed." if images else ""
            return Failure(text + lost)
        return Blocks(text, tuple(images)) if images else text


def _checked(arguments: Arguments) -> tuple[FileRequest, ...]:
    if len(arguments.files) > FILES_LIMIT:
        raise ToolError(
            f"read_file takes at most {FILES_LIMIT} files per call, not {len(arguments.files)}: "
            "read the others in further calls"
        )
    return arguments.files


def _merged(files: tuple[FileRequest, ...], context: ToolContext) -> list[_Wanted]:
    """Return one entry per file, in order of mention, with the ranges of all its mentions."""
    ranges: dict[str, list[tuple[int, int]] | None] = {}
    errors: dict[str, str] = {}
    named: dict[str, str] = {}
    for file in files:
        key = _key(file.path, context)
        named.setdefault(key, file.path)
        known = ranges.setdefault(key, [])
        try:
            mentioned = [_parsed(one) for one in file.line_ranges or ()]
        except ToolError as error:
            errors.setdefault(key, str(error))
            continue
        ranges[key] = None if known is None or not mentioned else [*known, *mentioned]
    return [
        _Wanted(path, _joined(ranges[key] or []), errors.get(key, ""))
        for key, path in named.items()
    ]


def _key(path: str, context: ToolContext) -> str:
    try:
        return context.workspace.effect(Kind.READ, path).target
    except ToolError:
        return path


def _parsed(written: str | tuple[int, ...] | LineRange) -> tuple[int, int]:
    if isinstance(written, LineRange):
        first, last = written.start, written.end
    elif isinstance(written, str):
        match = _RANGE.fullmatch(written)
        if match is None:
            raise ToolError(f'the line range {written!r} is not of the form "first-last"')
        first, last = int(match[1]), int(match[2])
    else:
        first, last = written
    if not 1 <= first <= last:
        raise ToolError(f"the line range {first}-{last} does not go from a line to a later one")
    return first, last


def _joined(ranges: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    joined: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return tuple(joined)


def _read(wanted: _Wanted, context: ToolContext, *, room: int) -> _Part:
    title = f"File: {wanted.path}"
    if wanted.error:
        return _Part(f"{title}\nError: {wanted.error}", failed=True)
    try:
        data = context.workspace.read(wanted.path)
        media_type = image_type(wanted.path, data)
        if media_type is None:
            return _Part(f"{title}\n{_text(data, wanted)}")
        return _Part(
            f"{title}\n{_image_note(data, media_type, room)}", image=_image(data, media_type)
        )
    except ToolError as error:
        return _Part(f"{title}\nError: {error}", failed=True)


def _image_note(data: bytes, media_type: str, room: int) -> str:
    if len(data) > IMAGE_LIMIT:
        raise ToolError(f"the image has {len(data)} bytes, more than the limit of {IMAGE_LIMIT}")
    if len(data) > room:
        raise ToolError(f"the images of one call may have {_IMAGES_LIMIT} bytes together")
    return f"Image ({media_type}, {(len(data) + 1023) // 1024} KB)"


def _image(data: bytes, media_type: str) -> Image:
    return Image(media_type, b64encode(data).decode("ascii"))


def _text(data: bytes, wanted: _Wanted) -> str:
    text = decode(data)
    if text.is_binary:
        suffix = PurePosixPath(wanted.path).suffix.lstrip(".") or "unknown format"
        raise ToolError(f"binary file ({suffix}, {len(data)} bytes): it cannot be shown as text")
    lines = [printable(line.text) for line in split_lines(text.body)]
    if not lines:
        return "Note: the file is empty."
    ranges = wanted.ranges or ((1, len(lines)),)
    beyond = next((first for first, _ in ranges if first > len(lines)), None)
    if beyond is not None:
        raise ToolError(f"line {beyond} is past the end: the file has {len(lines)} lines")
    note = "" if text.is_unicode else "\nNote: bytes that are not UTF-8 are shown as \ufffd."
    return _blocks(lines, ranges) + note


def _blocks(lines: list[str], ranges: tuple[tuple[int, int], ...]) -> str:
    """Return numbered blocks, cut where the limit of one file is reached."""
    blocks: list[str] = []
    room = TEXT_LIMIT
    for first, asked in ranges:
        last = min(asked, len(lines))
        shown: list[str] = []
        for line in numbered(lines[first - 1 : last], first, len(str(last))):
            size = len(line.encode()) + 1
            if size > room:
                blocks.append(_cut(shown, line, first=first, last=last, lines=len(lines)))
                return "\n".join(blocks)
            room -= size
            shown.append(line)
        blocks.append("\n".join([f"Lines {first}-{last} of {len(lines)}:", *shown]))
    return "\n".join(blocks)


def _cut(shown: list[str], line: str, *, first: int, last: int, lines: int) -> str:
    """Return the beginning of a block, and how to go on; a line too long for all is cut itself."""
    stop = first + len(shown)
    limit = f"the limit of {TEXT_LIMIT} bytes per file"
    parts = [f"Lines {first}-{stop - 1} of {lines}:", *shown] if shown else []
    data = line.encode()
    if len(data) < TEXT_LIMIT:
        go_on = f'go on with line_ranges ["{stop}-{last}"]'
        return "\n".join([*parts, f"Note: cut before line {stop} by {limit}; {go_on}."])
    if not shown:
        parts = [f"Line {stop} of {lines}, its beginning:"]
        parts.append(data[: TEXT_LIMIT // 2].decode(errors="ignore"))
    go_on = f'; go on with line_ranges ["{stop + 1}-{last}"]' if stop < last else ""
    return "\n".join([*parts, f"Note: line {stop} alone exceeds {limit}{go_on}."])


TOOL = ReadFile()

"""read_file: text of files and documents with line numbers, and images."""

from pathlib import PurePosixPath
from typing import Annotated

from msgspec import Meta, Struct

from agent_cli.tools import _documents as documents
from agent_cli.tools._extracted import CHARACTERS, PAGES, ROWS, SHEETS
from agent_cli.tools._images import IMAGE_LIMIT, IMAGES_LIMIT, Shown, show
from agent_cli.tools._line_ranges import Written, joined, parsed
from agent_cli.tools._numbered_blocks import TEXT_LIMIT, blocks
from agent_cli.tools._reasons import BINARY, BLOCKED, TOO_LARGE, UNREADABLE, size
from agent_cli.tools.base import Blocks, Failure, Output, Reason, Tool, ToolArguments, ToolContext
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code
from agent_cli.workspace.editor import decode, printable, split_lines
from agent_cli.workspace.files import READ_LIMIT, image_type

FILES_LIMIT = 5


class FileRequest(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    path: Annotated[str, Meta(description="Path relative to the workspace root.")]
    line_ranges: Annotated[
        tuple[Written, ...] | None,
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
    shown: Shown | None = None


class ReadFile(Tool[Arguments]):
    name = "read_file"
    description = (
        f"Read up to {FILES_LIMIT} files. Text comes with line numbers (`12 | text`) that are not "
        "part of the file; line_ranges reads parts of large files. PNG, JPEG, GIF and WebP images "
        "are shown; of PDF, Word and Excel documents and notebooks the text is read. Read "
        "everything related in one call."
    )
    kind = Kind.READ
    arguments = Arguments
    example = Arguments(
        (FileRequest("src/shop/cart.py"), FileRequest("README.md", ("1-40", "90-120")))
    )
    touches = (Effect(Kind.READ, "path of each file"),)
    limits = (
        f"{FILES_LIMIT} files in one call.",
        f"{size(READ_LIMIT)} of one file.",
        f"{TEXT_LIMIT:,} bytes of numbered text of one file; the result says how to go on.",
        f"{size(IMAGE_LIMIT)} of one image, {size(IMAGES_LIMIT)} of all images in one call.",
        f"Of one document {size(documents.LIMIT)}, {documents.TIMEOUT:g} seconds and "
        f"{CHARACTERS:,} characters of text: {PAGES} pages of a PDF, {SHEETS} sheets of {ROWS:,} "
        "rows of a workbook.",
    )
    failures = (
        Reason("too_many", "More files are named than fit into one call.", Code.INVALID_ARGUMENTS),
        Reason("line_range", "A range is malformed, backwards or begins beyond the end."),
        BLOCKED,
        UNREADABLE,
        TOO_LARGE,
        BINARY,
        Reason("image", "An image is too large, or all together are."),
        Reason(
            "document",
            "A document is broken, encrypted, without text, too large, takes too long, or needs "
            "an extra that is not installed.",
        ),
        Reason(
            "one_of_several",
            "One of several files cannot be read; the others are shown all the same.",
        ),
    )

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
        room = IMAGES_LIMIT
        for wanted in _merged(_checked(arguments), context):
            part = await _read(wanted, context, room=room)
            parts.append(part)
            room -= part.shown.size if part.shown else 0
        text = "\n\n---\n\n".join(part.text for part in parts)
        images = tuple(part.shown.image for part in parts if part.shown and part.shown.image)
        if any(part.failed for part in parts):
            lost = "\n\nImages are left out, since another file failed." if images else ""
            return Failure(text + lost)
        return Blocks(text, images) if images else text


def _checked(arguments: Arguments) -> tuple[FileRequest, ...]:
    if len(arguments.files) > FILES_LIMIT:
        raise ToolError(
            f"read_file takes at most {FILES_LIMIT} files per call, not {len(arguments.files)}: "
            "read the others in further calls",
            Code.INVALID_ARGUMENTS,
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
            mentioned = [parsed(one) for one in file.line_ranges or ()]
        except ToolError as error:
            errors.setdefault(key, str(error))
            continue
        ranges[key] = None if known is None or not mentioned else [*known, *mentioned]
    return [
        _Wanted(path, joined(ranges[key] or []), errors.get(key, "")) for key, path in named.items()
    ]


def _key(path: str, context: ToolContext) -> str:
    try:
        return context.workspace.effect(Kind.READ, path).target
    except ToolError:
        return path


async def _read(wanted: _Wanted, context: ToolContext, *, room: int) -> _Part:
    title = f"File: {wanted.path}"
    if wanted.error:
        return _Part(f"{title}\nError: {wanted.error}", failed=True)
    try:
        data = context.workspace.read(wanted.path)
        media_type = image_type(data)
        if media_type is not None:
            shown = show(data, media_type, vision=context.services.vision, room=room)
            return _Part(f"{title}\n{shown.note}", shown=shown)
        kind = documents.document_kind(wanted.path, data)
        if kind is not None:
            return _Part(f"{title}\n{await _document(kind, data, wanted, context)}")
        return _Part(f"{title}\n{_text(data, wanted)}")
    except ToolError as error:
        return _Part(f"{title}\nError: {error}", failed=True)


async def _document(kind: str, data: bytes, wanted: _Wanted, context: ToolContext) -> str:
    extracted = await documents.extract(kind, data, context.processes)
    lines = [printable(line.text) for line in split_lines(extracted.text)]
    note = documents.described(kind, extracted)
    return f"{note}\n{blocks(lines, wanted.ranges)}" if lines else f"{note}\nNote: it is empty."


def _text(data: bytes, wanted: _Wanted) -> str:
    text = decode(data)
    if text.is_binary:
        suffix = PurePosixPath(wanted.path).suffix.lstrip(".") or "unknown format"
        raise ToolError(f"binary file ({suffix}, {len(data)} bytes): it cannot be shown as text")
    lines = [printable(line.text) for line in split_lines(text.body)]
    if not lines:
        return "Note: the file is empty."
    note = "" if text.is_unicode else "\nNote: bytes that are not UTF-8 are shown as \ufffd."
    return blocks(lines, wanted.ranges) + note


TOOL = ReadFile()

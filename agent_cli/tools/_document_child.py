"""The program that takes one document apart: it comes on standard input, its text goes out as JSON.

What a library raises over a broken document ends this program, and that is the report.
"""

import io
import json
import logging
import resource
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

import msgspec

from agent_cli.tools._extracted import CHARACTERS, PAGES, ROWS, SHEETS, Extracted

_TITLE = 300
"""Characters of a page's title."""
_UNPACKED = 512 * 1024 * 1024
"""Bytes to which an Office file may unpack."""
_MEMORY = 2 * 1024 * 1024 * 1024


def main() -> None:
    """Read the document, and write what was found in it."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    logging.disable()
    warnings.simplefilter("ignore")
    data = sys.stdin.buffer.read()
    sys.stdout.buffer.write(msgspec.json.encode(_READERS[sys.argv[1]](data)))


def pdf(data: bytes) -> Extracted:
    import pypdf  # noqa: PLC0415 - 95 ms, and only for this kind
    from pypdf.errors import DependencyError  # noqa: PLC0415 - as above

    reader = pypdf.PdfReader(io.BytesIO(data))
    try:
        locked = reader.is_encrypted and not reader.decrypt("")
    except DependencyError:
        locked = True
    if locked:
        return Extracted(error="is encrypted: it can only be read with its password")
    number = len(reader.pages)
    texts = (page.extract_text() for page in islice(reader.pages, PAGES))
    parts = (f"[Page {page}]\n{text.strip()}" for page, text in enumerate(texts, 1))
    found = _collected(parts, f"{number} pages", cut_at=PAGES if number > PAGES else None)
    if not any(line and not line.startswith("[Page ") for line in found.text.split("\n")):
        return Extracted(error=f"has no text on its {number} pages: they may be scanned images")
    return found


def docx(data: bytes) -> Extracted:
    bomb = _bomb(data)
    if bomb:
        return Extracted(error=bomb)
    import docx as word  # noqa: PLC0415 - 67 ms, and only for this kind

    blocks = list(word.Document(io.BytesIO(data)).iter_inner_content())
    return _collected((_block(block) for block in blocks), f"{len(blocks)} paragraphs and tables")


def xlsx(data: bytes) -> Extracted:
    bomb = _bomb(data)
    if bomb:
        return Extracted(error=bomb)
    from openpyxl import (  # type: ignore[import-untyped]  # noqa: PLC0415 - 116 ms, for this kind
        load_workbook,
    )

    formulas = load_workbook(io.BytesIO(data), read_only=True)
    values = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    names = formulas.sheetnames
    parts = (
        _sheet(name, formulas[name], values[name])
        for name in names[:SHEETS]
    )  # fmt: skip
    size = f"{len(names)} sheets: {', '.join(names[:SHEETS])}"
    return _collected(parts, size, cut_at=SHEETS if len(names) > SHEETS else None)


def notebook(data: bytes) -> Extracted:
    try:
        content = json.loads(data)
        cells = [_cell(number, cell) for number, cell in enumerate(content["cells"], 1)]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        return Extracted(error=f"is broken: {error!r}")
    return _collected(cells, f"{len(cells)} cells; edits change its JSON, which is not shown here")


def html(data: bytes) -> Extracted:
    """Read a page that comes after the line with its URL; `size` is its title."""
    from agent_cli.tools._html_text import readable  # noqa: PLC0415 - only for this kind

    url, _, page = data.decode().partition("\n")
    found = readable(page, url)
    return Extracted(found.text[:CHARACTERS], found.title[:_TITLE], len(found.text) > CHARACTERS)


_READERS: dict[str, Callable[[bytes], Extracted]] = {
    "pdf": pdf,
    "docx": docx,
    "html": html,
    "xlsx": xlsx,
    "notebook": notebook,
}


def _collected(parts: Iterable[str], size: str, *, cut_at: int | None = None) -> Extracted:
    kept: list[str] = []
    room = CHARACTERS
    for part in parts:
        kept.append(part[:room])
        room -= len(part)
        if room < 0:
            return Extracted("\n".join(kept), size, cut=True)
    shown = f"{size}, the first {cut_at} are shown" if cut_at else size
    return Extracted("\n".join(kept), shown)


def _bomb(data: bytes) -> str:
    """Say what makes the archive one that nobody should unpack; empty for a fair one."""
    import zipfile  # noqa: PLC0415 - only for these kinds

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except zipfile.BadZipFile as error:
        return f"is broken: {error}"
    if unpacked > _UNPACKED:
        return f"would unpack to {unpacked} bytes, more than the limit of {_UNPACKED}"
    return ""


def _block(block: Any) -> str:
    """Return a paragraph or a table of a Word document as Markdown."""
    if hasattr(block, "rows"):
        rows = [" | ".join(_one_line(cell.text) for cell in row.cells) for row in block.rows]
        return "\n".join(f"| {row} |" for row in rows) + "\n"
    style = block.style.name if block.style is not None else ""
    if style.startswith("Heading ") and style[-1].isdigit():
        return f"{'#' * int(style[-1])} {block.text}\n"
    return f"- {block.text}" if style.startswith("List") else f"{block.text}\n"


def _sheet(name: str, formulas: Any, values: Any) -> str:
    if not hasattr(formulas, "iter_rows"):
        return f"[Sheet {name}: a chart]"
    lines = list(islice(_rows(formulas, values), ROWS + 1))
    note = f"[only the first {ROWS} rows of {name} are shown]"
    shown = [*lines[:ROWS], note] if len(lines) > ROWS else lines
    return "\n".join([f"[Sheet {name}]", *shown])


def _rows(formulas: Any, values: Any) -> Iterator[str]:
    """Yield the rows that hold something, each with its number, cells parted by tabs."""
    for sheet in (formulas, values):
        sheet.reset_dimensions()  # what the file says of them need not be true
    both = zip(
        formulas.iter_rows(values_only=True), values.iter_rows(values_only=True), strict=False
    )
    for number, (written, computed) in enumerate(both, 1):
        cells = [_value(*pair) for pair in zip(written, computed, strict=False)]
        if any(cells):
            yield f"{number}:\t" + "\t".join(cells).rstrip("\t")


def _value(written: Any, computed: Any) -> str:
    if written is None:
        return ""
    if written == computed or computed is None:
        return _one_line(str(written))
    return _one_line(f"{computed} ({written})")


def _cell(number: int, cell: Any) -> str:
    kind = cell["cell_type"]
    parts = [f"[Cell {number}: {kind}]", _joined(cell["source"])]
    parts += [_output(output) for output in cell.get("outputs", ())]
    return "\n".join(part for part in parts if part) + "\n"


def _output(output: Any) -> str:
    if "text" in output:
        return f"[Output]\n{_joined(output['text'])}"
    if output.get("output_type") == "error":
        return f"[Error]\n{output.get('ename')}: {output.get('evalue')}"
    data = output.get("data", {})
    if "text/plain" in data:
        return f"[Output]\n{_joined(data['text/plain'])}"
    return f"[Output: {', '.join(data)}]"


def _joined(text: Any) -> str:
    return text if isinstance(text, str) else "".join(text)


def _one_line(text: str) -> str:
    return " ".join(text.split())

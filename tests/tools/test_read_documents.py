"""read_file of documents that are not text: what is shown of them, and what is refused."""

import asyncio
import io
import time
import zipfile
from pathlib import Path

import docx
import msgspec
import openpyxl
import pypdf
import pytest
from openpyxl.chart import BarChart
from pypdf.generic import DictionaryObject, NameObject, StreamObject
from testbed.bench import Bench, use

from agent_cli.tools import _document_child as child
from agent_cli.tools import _documents as documents
from agent_cli.tools.base import Failure, Services
from agent_cli.tools.read_file import TOOL


def read(root: Path, path: str, *ranges: str) -> str:
    output = use(TOOL, root, files=[{"path": path, "line_ranges": list(ranges) or None}])
    assert isinstance(output, str), output
    return output


def refused(root: Path, path: str) -> str:
    output = use(TOOL, root, files=[{"path": path}])
    assert isinstance(output, Failure), output
    return output.text.removeprefix(f"File: {path}\nError: ")


def pdf(*pages: str, password: str = "") -> bytes:
    writer = pypdf.PdfWriter()
    font = DictionaryObject({
        NameObject("/Type"): NameObject("/Font"),
        NameObject("/Subtype"): NameObject("/Type1"),
        NameObject("/BaseFont"): NameObject("/Helvetica"),
    })  # fmt: skip
    for text in pages:
        page = writer.add_blank_page(200, 200)
        stream = StreamObject()
        stream.set_data(f"BT /F1 12 Tf 10 100 Td ({text}) Tj ET".encode() if text else b"")
        fonts = DictionaryObject({NameObject("/F1"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        page[NameObject("/Contents")] = writer._add_object(stream)
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def word() -> bytes:
    made = docx.Document()
    made.add_heading("Title", level=2)
    made.add_paragraph("Some text.")
    made.add_paragraph("an item", style="List Bullet")
    table = made.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "left\ncell", "right"
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def excel(rows: int = 0, sheets: int = 0) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Numbers"
    sheet.append(["a", 1, None, True])
    sheet["A3"] = "=SUM(B1:B2)"
    for number in range(rows):
        sheet.append([number])
    for number in range(sheets):
        book.create_sheet(f"S{number}")
    book.create_chartsheet("Chart").add_chart(BarChart())
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def notebook(*cells: dict[str, object]) -> bytes:
    return msgspec.json.encode({"cells": cells, "nbformat": 4, "nbformat_minor": 5})


def test_a_pdf_is_read_page_by_page(tmp_path: Path):
    (tmp_path / "a.pdf").write_bytes(pdf("Hello there", "Second"))
    assert read(tmp_path, "a.pdf") == (
        "File: a.pdf\nNote: the text of a PDF document (2 pages).\nLines 1-4 of 4:\n"
        "1 | [Page 1]\n2 | Hello there\n3 | [Page 2]\n4 | Second"
    )


def test_line_ranges_count_the_extracted_text(tmp_path: Path):
    (tmp_path / "anything").write_bytes(pdf("Hello there", "Second"))
    assert read(tmp_path, "anything", "2-3").endswith(
        "Lines 2-3 of 4:\n2 | Hello there\n3 | [Page 2]"
    )


def test_a_pdf_without_a_real_password_is_read(tmp_path: Path):
    writer = pypdf.PdfWriter(io.BytesIO(pdf("Hello")))
    writer.encrypt("", "owner", algorithm="RC4-128")
    writer.write(tmp_path / "a.pdf")
    assert "Hello" in read(tmp_path, "a.pdf")


def test_a_word_document_becomes_markdown(tmp_path: Path):
    (tmp_path / "a.docx").write_bytes(word())
    text = read(tmp_path, "a.docx")
    assert "Note: the text of a Word document (4 paragraphs and tables).\n" in text
    lines = [line.partition(" | ")[2] for line in text.split("\n")[3:]]
    assert lines == [
        "## Title", "", "Some text.", "", "- an item", "| left cell | right |",
    ]  # fmt: skip


def test_a_workbook_shows_rows_with_their_numbers_and_formulas(tmp_path: Path):
    (tmp_path / "a.xlsx").write_bytes(excel())
    assert read(tmp_path, "a.xlsx") == (
        "File: a.xlsx\nNote: the text of an Excel workbook (2 sheets: Numbers, Chart).\n"
        "Lines 1-4 of 4:\n1 | [Sheet Numbers]\n2 | 1:\ta\t1\t\tTrue\n3 | 3:\t=SUM(B1:B2)\n"
        "4 | [Sheet Chart: a chart]"
    )


def test_a_computed_value_is_shown_with_its_formula():
    assert child._value("=1+1", 2) == "2 (=1+1)"


def test_a_notebook_shows_cells_and_outputs(tmp_path: Path):
    outputs = [
        {"output_type": "stream", "text": ["one\n", "two"]},
        {"output_type": "execute_result", "data": {"text/plain": "3", "image/png": "x"}},
        {"output_type": "display_data", "data": {"image/png": "x"}},
        {"output_type": "error", "ename": "ValueError", "evalue": "no"},
    ]
    (tmp_path / "a.ipynb").write_bytes(
        notebook(
            {"cell_type": "markdown", "source": ["# Title\n", "words"]},
            {"cell_type": "code", "source": "print(1)", "outputs": outputs},
        )
    )
    text = read(tmp_path, "a.ipynb")
    assert "Note: the text of a notebook (2 cells; edits change its JSON" in text
    lines = [line.partition(" | ")[2] for line in text.split("\n")[3:]]
    assert lines == [
        "[Cell 1: markdown]", "# Title", "words", "", "[Cell 2: code]", "print(1)",
        "[Output]", "one", "two", "[Output]", "3", "[Output: image/png]",
        "[Error]", "ValueError: no",
    ]  # fmt: skip


def test_an_empty_notebook_is_empty(tmp_path: Path):
    (tmp_path / "a.ipynb").write_bytes(notebook())
    assert read(tmp_path, "a.ipynb").endswith("Note: it is empty.")


def bomb() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(6):
            archive.writestr(f"word/{number}.xml", bytes(100 * 1024 * 1024))
    return out.getvalue()


REFUSED = {
    "an encrypted PDF": ("a.pdf", lambda: pdf("x", password="p"), "is encrypted"),
    "a PDF of images": ("a.pdf", lambda: pdf("", ""), "no text on its 2 pages"),
    "a broken PDF": ("a.pdf", lambda: b"%PDF-1.7\nnothing", "is broken: pypdf.errors."),
    "a zip bomb": ("a.docx", bomb, "would unpack to 629145600 bytes"),
    "a bomb of cells": ("a.xlsx", bomb, "would unpack to"),
    "a broken archive": ("a.docx", lambda: b"PK\3\4 nothing", "a Word document that is broken"),
    "an archive of others": ("a.xlsx", word, "an Excel workbook that is broken"),
    "an encrypted workbook": ("a.xlsx", lambda: documents._OLE + bytes(9), "is encrypted"),
    "a notebook without cells": ("a.ipynb", lambda: b"{}", "is broken: KeyError('cells')"),
    "a notebook of numbers": ("a.ipynb", lambda: b'{"cells": [1]}', "is broken: TypeError"),
    "a program": ("a.out", lambda: b"\x7fELF\0\0", "binary file (out, 6 bytes)"),
    "an archive": ("a.zip", bomb, "binary file (zip,"),
}


@pytest.mark.parametrize(("name", "made", "says"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_read_is_refused_with_the_reason(tmp_path: Path, name, made, says):
    (tmp_path / name).write_bytes(made())
    assert says in refused(tmp_path, name)


def test_a_document_that_is_too_large_is_refused(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(documents, "LIMIT", 100)
    (tmp_path / "a.pdf").write_bytes(pdf("x"))
    assert "larger than the limit of 100" in refused(tmp_path, "a.pdf")


def test_a_document_that_takes_too_long_is_given_up(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(documents, "TIMEOUT", 0.001)
    (tmp_path / "a.pdf").write_bytes(pdf("x"))
    assert "takes longer than 0.001 s" in refused(tmp_path, "a.pdf")


CHILDREN = {
    "falls silent": ("pass", "cannot be read: it needs too much memory"),
    "is killed": ("import os; os.kill(os.getpid(), 9)", "cannot be read: it needs too much memory"),
    "fails without a word": ("raise SystemExit(3)", "a PDF document that cannot be read"),
}


@pytest.mark.parametrize(("code", "says"), CHILDREN.values(), ids=CHILDREN)
def test_a_reader_that_falls_over_a_document_is_reported(tmp_path, monkeypatch, code, says):
    monkeypatch.setattr(documents, "_CHILD", code)
    (tmp_path / "a.pdf").write_bytes(pdf("x"))
    assert says in refused(tmp_path, "a.pdf")


def test_without_the_extra_the_error_names_it(tmp_path: Path, monkeypatch):
    monkeypatch.setitem(documents._PACKAGES, "pdf", "no_such_package")
    (tmp_path / "a.pdf").write_bytes(pdf("x"))
    assert "install agent-cli[docs]" in refused(tmp_path, "a.pdf")


def test_the_loop_goes_on_while_a_document_is_read(tmp_path: Path):
    (tmp_path / "a.xlsx").write_bytes(excel(rows=3000))
    bench = Bench(TOOL, tmp_path)

    async def longest_pause() -> float:
        call = asyncio.ensure_future(bench.start(files=[{"path": "a.xlsx"}]))
        longest = 0.0
        while not call.done():
            before = time.thread_time()
            await asyncio.sleep(0)
            longest = max(longest, time.thread_time() - before)
        assert isinstance(call.result(), str)
        return longest

    assert asyncio.run(longest_pause()) < 0.05


LIMITS = {
    "pages": ("PAGES", lambda: pdf("one", "two", "three"), "pdf", "3 pages, the first 2 are shown"),
    "sheets": ("SHEETS", lambda: excel(sheets=4), "xlsx", "the first 2 are shown"),
}


@pytest.mark.parametrize(("limit", "made", "kind", "says"), LIMITS.values(), ids=LIMITS)
def test_what_is_beyond_a_limit_is_left_out_and_told(monkeypatch, limit, made, kind, says):
    monkeypatch.setattr(child, limit, 2)
    extracted = child._READERS[kind](made())
    assert says in extracted.size
    assert "three" not in extracted.text


def test_rows_beyond_the_limit_are_left_out_and_told(monkeypatch):
    monkeypatch.setattr(child, "ROWS", 5)
    text = child.xlsx(excel(rows=10)).text
    assert "[only the first 5 rows of Numbers are shown]" in text
    assert "\n9:" not in text


def test_long_texts_are_cut_and_told(monkeypatch):
    monkeypatch.setattr(child, "CHARACTERS", 30)
    extracted = child.notebook(notebook({"cell_type": "code", "source": "x" * 100}))
    assert extracted.cut
    assert len(extracted.text) == 30
    assert "cut after" in documents.described("notebook", extracted)


def test_a_model_without_eyes_is_told_so(tmp_path: Path):
    (tmp_path / "a.txt").write_bytes(b"\x89PNG\r\n\x1a\n" + b"x" * 2000)
    bench = Bench(TOOL, tmp_path)
    bench.context = msgspec.structs.replace(bench.context, services=Services(vision=False))
    assert bench.text(files=[{"path": "a.txt"}]) == (
        "File: a.txt\nImage (image/png, 2 KB): it is left out, since this model cannot see images."
    )

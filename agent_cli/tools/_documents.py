"""Text of documents that are not text: PDF, Word, Excel and notebooks.

They are taken apart by a program of its own, in `_document_child.py`: a document can be broken or
hostile, and a program can be stopped, and has limits of its own.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import msgspec

from agent_cli.processes.run import Finished, Processes
from agent_cli.tools._extracted import CHARACTERS, Extracted
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code

LIMIT = 32 * 1024 * 1024
"""Bytes of a document."""
TIMEOUT = 60.0
"""Seconds in which a document must have been taken apart."""

_CHILD = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); "
    "from agent_cli.tools._document_child import main; main()"
)
_ZIP = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""Begins the Office files of the nineties, and those of today that have a password."""
_OFFICE = {".docx": "docx", ".docm": "docx", ".xlsx": "xlsx", ".xlsm": "xlsx"}
_PACKAGES = {"pdf": "pypdf", "docx": "docx", "xlsx": "openpyxl"}
_NAMES = {
    "pdf": "a PDF document",
    "docx": "a Word document",
    "xlsx": "an Excel workbook",
    "notebook": "a notebook",
    "html": "a page",
}


def document_kind(path: str, data: bytes) -> str | None:
    """Return which document the file is: pdf, docx, xlsx, notebook; None for any other file.

    ToolError for an Office file that nobody here can open.
    """
    suffix = Path(path).suffix.lower()
    if data.startswith(b"%PDF-"):
        return "pdf"
    if suffix in _OFFICE and data.startswith(_OLE):
        raise ToolError(f"the {suffix} file is encrypted, or of an old format: it cannot be read")
    if suffix in _OFFICE and data.startswith(_ZIP):
        return _OFFICE[suffix]
    if suffix == ".ipynb" and data.lstrip()[:1] == b"{":
        return "notebook"
    return None


async def extract(kind: str, data: bytes, processes: Processes) -> Extracted:
    """Return the text of a document; ToolError says why there is none."""
    name = _NAMES[kind]
    if len(data) > LIMIT:
        raise ToolError(f"{name} of {len(data)} bytes is larger than the limit of {LIMIT}")
    package = _PACKAGES.get(kind)
    if package and find_spec(package) is None:
        raise ToolError(
            f"{name} can be read only where the extra 'docs' is installed: "
            "ask the user to install agent-cli[docs]"
        )
    pieces: list[str] = []
    finished = await processes.forgetting().run(
        (sys.executable, "-I", "-c", _CHILD, str(Path(__file__).parents[2]), kind),
        cwd=Path("/"),
        timeout=TIMEOUT,
        on_output=pieces.append,
        stdin=data,
    )
    if finished.timed_out:
        raise ToolError(f"{name} that takes longer than {TIMEOUT:g} s to read", Code.TIMED_OUT)
    extracted = _decoded("".join(pieces), finished)
    if extracted.error:
        raise ToolError(f"{name} that {extracted.error}")
    return extracted


def _decoded(output: str, finished: Finished) -> Extracted:
    """Return what the child reports; if it fell over the document, how."""
    if finished.exit_code:
        last = output.strip().rpartition("\n")[2][:200]
        return Extracted(error=f"is broken: {last}" if last else "cannot be read")
    try:
        return msgspec.json.decode(output, type=Extracted)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return Extracted(error="cannot be read: it needs too much memory, or is broken")


def described(kind: str, extracted: Extracted) -> str:
    """Say what is shown of the document."""
    cut = f", cut after {CHARACTERS} characters" if extracted.cut else ""
    return f"Note: the text of {_NAMES[kind]} ({extracted.size}){cut}."

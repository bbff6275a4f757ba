"""How calls of the tools for files fail: by tool, and by the name that the tool has for it."""

from pathlib import Path
from typing import Any

from testbed.blocks import block
from testbed.scenario import Scenario, file, large, patched

from agent_cli.tools.read_file import FILES_LIMIT
from agent_cli.types.outcomes import Code
from agent_cli.workspace.files import READ_LIMIT

BIG = large("big.txt", READ_LIMIT + 1)
PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 100
A = {"path": "a.txt"}


def read(*paths: str, **rest: object) -> dict[str, Any]:
    return {"files": [{"path": path, **rest} for path in paths]}


READING = {
    "too_many": Scenario(
        read(*["a.txt"] * (FILES_LIMIT + 1)), f"at most {FILES_LIMIT} files", Code.INVALID_ARGUMENTS
    ),
    "line_range": Scenario(read("a.txt", line_ranges=["3-2"]), "does not go from a line"),
    "blocked": Scenario(read("hidden.txt"), "covered by .agentignore", Code.BLOCKED_PATH),
    "unreadable": Scenario(read("absent.txt"), "no such file or directory"),
    "too_large": Scenario(read("big.txt"), f"larger than {READ_LIMIT} bytes", prepare=BIG),
    "binary": Scenario(read("nul.bin"), "binary file (bin, 3 bytes)"),
    "image": Scenario(
        read("a.png"),
        "more than the limit of 50",
        prepare=file("a.png", PNG),
        patch=patched("agent_cli.tools._images.IMAGE_LIMIT", 50),
    ),
    "document": Scenario(
        read("a.pdf"), "a PDF document that is broken", prepare=file("a.pdf", "%PDF-1.7\nnothing")
    ),
    "one_of_several": Scenario(read("a.txt", "absent.txt"), "2 | two"),
}


def editing(**given: object) -> dict[str, Scenario]:
    """How every tool that changes text fails; what is given is right in itself."""

    def of(path: str, says: str, code: Code | None = None, **rest: Any) -> Scenario:
        return Scenario({**given, "path": path}, says, code, **rest)

    return {
        "blocked": of("hidden.txt", "covered by .agentignore", Code.BLOCKED_PATH),
        "binary": of("nul.bin", "is a binary file"),
        "too_large": of("big.txt", f"larger than {READ_LIMIT} bytes", prepare=BIG),
        "unwritable": of("folder", "it is a directory"),
        "changed": of(
            "a.txt", "has changed since its edit was shown", asks=True, on_start=_changing
        ),
    }


def _changing(root: Path) -> None:
    (root / "a.txt").write_text("one\nchanged\n")


def edit(search: str, replace: str, *, every: bool = False) -> dict[str, Any]:
    return {"operations": [{"search": search, "replace": replace, "all": every}]}


LATIN = {"path": "latin.txt"}
ASCII = "only ASCII text can be added"
WRITING = {
    **editing(content="new\n"),
    "unencodable": Scenario({**LATIN, "content": "\u00e9\n"}, ASCII),
}
DIFF = {
    **editing(diff=block("two", "2")),
    "unencodable": Scenario(
        {"path": "lines.txt", "diff": block("two", "\u00e9")},
        ASCII,
        prepare=file("lines.txt", b"caf\xe9\ntwo\n"),
    ),
    "malformed": Scenario({**A, "diff": "two"}, "has no block in it"),
    "no_file": Scenario({"path": "absent.txt", "diff": block("two", "2")}, "there is no file"),
    "not_found": Scenario({**A, "diff": block("three", "3")}, "no lines match the search text"),
    "ambiguous": Scenario({**A, "diff": block("one", "1")}, "stands in 2 places alike"),
    "empty_search": Scenario({**A, "diff": block("", "1")}, "the search text is empty"),
    "unchanged": Scenario({**A, "diff": block("two", "two")}, "nothing would change"),
}
INSERTING = {
    **editing(line=1, content="new"),
    "unencodable": Scenario({**LATIN, "line": 1, "content": "\u00e9"}, ASCII),
    "no_file": Scenario(
        {"path": "absent.txt", "line": 2, "content": "new"}, "there is no file 'absent.txt'"
    ),
    "past_the_end": Scenario({**A, "line": 9, "content": "new"}, "line 9 is past the end"),
}
REPLACING = {
    **editing(**edit("two", "2")),
    "unencodable": Scenario({**LATIN, **edit("caf", "\u00e9")}, ASCII),
    "no_file": Scenario({"path": "absent.txt", **edit("two", "2")}, "there is no file"),
    "not_found": Scenario({**A, **edit("three", "3")}, "does not contain 'three'"),
    "ambiguous": Scenario({**A, **edit("one", "1")}, "occurs 2 times, at lines 1, 3"),
    "unchanged": Scenario({**A, **edit("two", "two")}, "nothing would change"),
}
SCENARIOS: dict[str, dict[str, Scenario]] = {
    "read_file": READING,
    "write_to_file": WRITING,
    "apply_diff": DIFF,
    "insert_content": INSERTING,
    "search_and_replace": REPLACING,
}

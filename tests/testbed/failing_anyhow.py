"""How any tool's call fails, by the names of `OF_EVERY_TOOL`; each with a tool that it befalls."""

from pathlib import Path
from typing import Any

from testbed.replies import Call
from testbed.scenario import Scenario, patched

from agent_cli.engine.steps import REPEATS_UNTIL_ASKED
from agent_cli.types.outcomes import Code

INVALID = Code.INVALID_ARGUMENTS
WRITE = {"path": "new.txt", "content": "new\n"}
READ = {"files": [{"path": "a.txt"}]}


def _growing(root: Path) -> None:
    with (root / "a.txt").open("a") as file:
        file.write("more\n")


def _broken(*_: Any, **__: Any) -> None:
    raise ZeroDivisionError("a bug")


ANYHOW: dict[str, tuple[Scenario, ...]] = {
    "unknown_tool": (
        Scenario({}, "tools: ", Code.UNKNOWN_TOOL, name="word_count", xml=""),
        Scenario(
            {"prompt": "x", "path": "x"},
            "tools: ",
            Code.UNKNOWN_TOOL,
            name="generate_image",
            xml="",
        ),
        Scenario({"command": "x"}, "tools: ", Code.UNKNOWN_TOOL, name="run_slash_command", xml=""),
        Scenario(
            {"query": "x"},
            "tools: ",
            Code.UNKNOWN_TOOL,
            name="browser_action",
            xml="",
            settings={"models": {}},
        ),
    ),
    "forbidden": (
        Scenario(WRITE, "in mode ask", Code.FORBIDDEN, name="write_to_file", mode="ask"),
        Scenario(
            WRITE,
            "new.txt in mode architect",
            Code.FORBIDDEN,
            name="write_to_file",
            mode="architect",
        ),
    ),
    "arguments": (
        Scenario('{"path": ".", "deep', "Unterminated string", INVALID, name="list_files", xml=""),
        Scenario({}, "`path`", INVALID, name="list_files"),
        Scenario({"path": None}, "got `null`", INVALID, name="list_files", xml=""),
        Scenario({"path": ".", "deep": True}, "deep", INVALID, name="list_files", xml=""),
        Scenario(
            '{"path": ".", "path": "x"}', "repeated keys: path", INVALID, name="list_files", xml=""
        ),
        Scenario(
            {"path": ".", "recursive": "much"}, "Expected `bool | null`", INVALID, name="list_files"
        ),
    ),
    "cut_off": (
        Scenario(
            '{"path": ".',
            "",
            Code.CUT_OFF,
            name="list_files",
            stop="length",
            xml="<list_files>\n<path>.",
        ),
    ),
    "repeated": (
        Scenario(
            READ,
            "",
            Code.REPEATED,
            name="read_file",
            before=(Call("read_file", READ),) * REPEATS_UNTIL_ASKED,
        ),
    ),
    "changing": (
        Scenario(
            {"path": "a.txt", "content": "x"}, "", name="write_to_file", asks=True, on_ask=_growing
        ),
    ),
    "bug": (
        Scenario(
            {"path": "."},
            "internal error in list_files: ZeroDivisionError",
            name="list_files",
            patch=patched("agent_cli.tools.list_files._list", _broken),
        ),
    ),
}

"""A small catalogue of tools, and a decoder run over a text cut into pieces."""

from collections.abc import Iterable

import msgspec

from agent_cli.types.events import Delta, TextDelta, ToolCallBegin, ToolCallDelta, ToolCallEnd
from agent_cli.types.requests import ToolSpec
from agent_cli.wire.xml_tools.decode import Decoder


def tool(name: str, *required: str, **properties: object) -> ToolSpec:
    schema = {"type": "object", "properties": properties, "required": required}
    return ToolSpec(name, f"Do {name}.", msgspec.Raw(msgspec.json.encode(schema)))


TEXT = {"type": "string"}
WRITE = tool("write_to_file", "path", "content", path=TEXT, content=TEXT)
READ = tool("read_file", "path", path=TEXT, lines={"type": ["integer", "null"]})
READ_MANY = tool("read_files", "files", files={"type": "array", "items": TEXT})
FILE = {
    "type": "object",
    "properties": {
        "path": TEXT,
        "line_ranges": {"anyOf": [{"type": "array", "items": TEXT}, {"type": "null"}]},
        "depth": {"type": "integer"},
    },
    "required": ["path"],
}
READ_PARTS = tool("read_parts", "files", files={"type": "array", "items": FILE}, one=FILE)
COMPLETE = tool("attempt_completion", "result", result=TEXT, command=TEXT)
CHECK = tool("check")
TOOLS = (WRITE, READ, READ_MANY, COMPLETE, CHECK)

READ_CALL = "<read_file>\n<path>a.py</path>\n</read_file>"


def written(content: str) -> str:
    """Return a call of `write_to_file`."""
    return f"<write_to_file>\n<path>x</path>\n<content>\n{content}\n</content>\n</write_to_file>"


def merged(deltas: Iterable[Delta]) -> list[Delta]:
    """Join neighbouring pieces of text."""
    joined: list[Delta] = []
    for delta in deltas:
        last = joined[-1] if joined else None
        if isinstance(delta, TextDelta) and isinstance(last, TextDelta):
            joined[-1] = TextDelta(last.text + delta.text)
        else:
            joined.append(delta)
    return joined


def decode(*pieces: str, cut: bool = False, tools: tuple[ToolSpec, ...] = TOOLS) -> list[Delta]:
    decoder = Decoder(tools)
    deltas = [delta for piece in pieces for delta in decoder.feed(piece)]
    return merged([*deltas, *decoder.finish(cut=cut)])


def said(*pieces: str, cut: bool = False, tools: tuple[ToolSpec, ...] = TOOLS) -> list[object]:
    """Decode to texts, calls as (name, arguments), and names of calls that were cut off."""
    heard: list[object] = []
    for delta in decode(*pieces, cut=cut, tools=tools):
        match delta:
            case TextDelta(text=text):
                heard.append(text)
            case ToolCallBegin(name=name):
                heard.append(name)
            case ToolCallDelta(arguments=arguments):
                heard[-1] = (heard[-1], msgspec.json.decode(arguments))
            case ToolCallEnd(opaque=opaque):
                name, _ = heard[-1]
                assert opaque.startswith(f"<{name}>")
                assert opaque.endswith(f"</{name}>")
            case _:
                raise AssertionError(delta)
    return heard

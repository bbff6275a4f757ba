"""The example that every tool has, and the catalogue for models that call tools in XML.

To accept changed words, run the tests once with AGENT_UPDATE_SNAPSHOTS=1 and review the diff.
"""

import os
from pathlib import Path

import msgspec
import pytest

from agent_cli.tools.registry import built_in, spec
from agent_cli.types.events import ToolCallDelta
from agent_cli.types.messages import ToolCall
from agent_cli.wire.xml_tools.decode import Decoder
from agent_cli.wire.xml_tools.describe import describe
from agent_cli.wire.xml_tools.render import call

UPDATE = os.environ.get("AGENT_UPDATE_SNAPSHOTS") == "1"  # read before tests are isolated
SNAPSHOT = Path(__file__).parents[1] / "snapshots/xml_catalogue.md"
TOOLS = [pytest.param(tool, id=name) for name, tool in built_in().items()]


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_has_an_example_that_its_arguments_allow(tool):
    text = spec(tool).example
    assert msgspec.json.decode(text, type=tool.arguments) == tool.example
    assert "null" not in text


@pytest.mark.parametrize("tool", TOOLS)
def test_an_example_in_xml_is_read_as_the_call_that_it_shows(tool):
    decoder = Decoder(tuple(map(spec, built_in().values())))
    written = call(ToolCall("", tool.name, spec(tool).example))
    (read,) = [delta for delta in decoder.feed(written) if isinstance(delta, ToolCallDelta)]
    msgspec.json.decode(read.arguments, type=tool.arguments)
    assert call(ToolCall("", tool.name, read.arguments)) == written
    assert decoder.finished


def test_the_catalogue_shows_parameters_usage_and_an_example_of_every_tool():
    catalogue = describe(tuple(map(spec, built_in().values()))) + "\n"
    if UPDATE:
        SNAPSHOT.write_text(catalogue)
    assert catalogue == SNAPSHOT.read_text()
    for heading in ("\n## ", "\nUsage:\n", "\nExample:\n"):
        assert f"\n{catalogue}".count(heading) == len(built_in())


def test_a_tool_of_a_server_is_described_without_one():
    foreign = msgspec.structs.replace(spec(built_in()["list_files"]), example="")
    assert "Example:" not in describe((foreign,))

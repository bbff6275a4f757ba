"""What the catalogue says of a tool, and what JSON Schema makes of the text in a tag."""

import msgspec
import pytest
from testbed.xml_calls import CHECK, READ_MANY, TEXT, said, tool

from agent_cli.wire.xml_tools.describe import describe


def test_a_tool_is_described_with_its_parameters_and_how_it_is_called():
    edit = tool(
        "edit",
        "path",
        path={"type": "string", "description": "Where."},
        line={"type": ["integer", "null"], "description": "Which."},
        where={"enum": ["top", "end", None]},
    )
    assert describe((edit,)) == (
        "## edit\n"
        "Do edit.\n"
        "Parameters:\n"
        "- path: (required) Where.\n"
        "- line: (optional) Which. Type: integer.\n"
        "- where: (optional) One of: top, end.\n"
        "Usage:\n"
        "<edit>\n"
        "<path>value here</path>\n"
        "<line>value here</line>\n"
        "<where>value here</where>\n"
        "</edit>"
    )


def test_the_value_of_an_array_is_json_and_the_catalogue_says_so():
    text = describe((READ_MANY,))
    assert (
        "- files: (required) The text inside the tag is JSON that follows this schema: "
        '{"type":"array","items":{"type":"string"}}\n'
    ) in text
    assert "<files>JSON text here</files>" in text


def test_a_schema_is_shown_without_what_helps_no_model():
    range_ = {"anyOf": [TEXT, {"type": "array", "items": {"type": "integer"}}]}
    item = {
        "title": "FileRequest",
        "type": "object",
        "properties": {
            "title": {"anyOf": [TEXT, {"type": "null"}], "default": None, "description": "Its."},
            "ranges": {"type": "array", "items": range_},
            "any": True,
        },
    }
    files = {"anyOf": [{"type": "array", "items": item}, {"type": "null"}], "description": "All."}
    assert (
        "- files: (optional) All. The text inside the tag is JSON that follows this schema: "
        '{"type":"array","items":{"type":"object","properties":{'
        '"title":{"type":"string","description":"Its."},'
        '"ranges":{"type":"array","items":{"anyOf":'
        '[{"type":"string"},{"type":"array","items":{"type":"integer"}}]}},'
        '"any":true}}}\n'
    ) in describe((tool("read", files=files),))


def test_tools_are_described_in_the_order_given_and_may_have_no_parameters():
    assert describe((READ_MANY, CHECK)).endswith(
        "</read_files>\n\n## check\nDo check.\nParameters: none\nUsage:\n<check>\n</check>"
    )
    assert describe(()) == ""


def test_numbers_to_choose_from_are_listed():
    level = tool("set", level={"anyOf": [{"enum": [1, 2]}, {"type": "null"}]})
    assert "- level: (optional) One of: 1, 2." in describe((level,))


DEEP: dict[str, object] = {"type": "string"}
for _ in range(12):
    DEEP = {"anyOf": [DEEP]}

NUMBER = {"type": "integer"}
VALUES = [
    pytest.param(TEXT, "12", "12", id="strings stay strings"),
    pytest.param(TEXT, "&lt; é", "&lt; é", id="entities are not decoded"),
    pytest.param({"type": ["string", "integer"]}, "12", "12", id="a string where one is allowed"),
    pytest.param({}, "12", "12", id="a string where the schema does not say"),
    pytest.param(True, "12", "12", id="a schema that allows everything"),
    pytest.param(NUMBER, " 12 ", 12, id="a number"),
    pytest.param(NUMBER, "twelve", "twelve", id="not a number"),
    pytest.param(TEXT, "", "", id="empty"),
    pytest.param({"type": "number"}, "1.5e3", 1500.0, id="a fraction"),
    pytest.param({"type": "boolean"}, "true", True, id="true"),
    pytest.param({"type": ["boolean", "null"]}, "False", False, id="False with a capital"),
    pytest.param({"type": "boolean"}, "yes", "yes", id="not a boolean"),
    pytest.param({"type": "array"}, '\n["a", {"b": 1}]\n', ["a", {"b": 1}], id="an array"),
    pytest.param({"type": "array"}, "a.py", "a.py", id="not JSON"),
    pytest.param({"type": "array"}, "[" * 100_000, "[" * 100_000, id="too deep"),
    pytest.param({"type": "object"}, "{}", {}, id="an object"),
    pytest.param({"type": ["integer", "null"]}, "null", None, id="null"),
    pytest.param({"anyOf": [NUMBER, {"type": "null"}]}, "3", 3, id="a union"),
    pytest.param({"oneOf": [NUMBER, TEXT]}, "3", "3", id="a union with strings"),
    pytest.param({"enum": [1, 2.5]}, "1", 1, id="numbers to choose from"),
    pytest.param({"enum": ["1", None]}, "1", "1", id="strings to choose from"),
    pytest.param({"const": True}, "true", True, id="a constant"),
    pytest.param({"$ref": "#/properties/n"}, "3", 3, id="a reference"),
    pytest.param({"$ref": "#/$defs/none"}, "3", "3", id="a reference to nothing"),
    pytest.param({"$ref": "#/properties/value"}, "3", "3", id="a reference to itself"),
    pytest.param(DEEP, "3", "3", id="unions too deep to follow"),
]


@pytest.mark.parametrize(("schema", "text", "expected"), VALUES)
def test_a_value_follows_the_schema(schema, text, expected):
    count = tool("count", value=schema, n=NUMBER)
    call = f"<count><value>{text}</value></count>"
    assert said(call, tools=(count,)) == [("count", {"value": expected})]


@pytest.mark.parametrize("empty", ["", " ", "\n"])
def test_an_empty_tag_of_what_is_optional_and_no_text_is_as_if_it_were_not_there(empty):
    run = tool("run", "count", count=NUMBER, timeout={"type": ["integer", "null"]}, cwd=TEXT)
    tags = f"<count>{empty}</count><timeout>{empty}</timeout><cwd>{empty}</cwd>"
    assert said(f"<run>{tags}</run>", tools=(run,)) == [("run", {"count": "", "cwd": ""})]


def test_a_parameter_that_nothing_fits_is_none():
    assert describe((tool("odd", value=False),)).startswith("## odd\nDo odd.\nParameters: none")


def test_halves_of_a_character_are_joined():
    write = tool("write", content=TEXT)
    call = ("<write><content>\ud83d", "\ude00 \ud83d</content></write>")
    assert said(*call, tools=(write,)) == [("write", {"content": "😀 \ufffd"})]


def test_a_schema_is_taken_as_it_is():
    spec = msgspec.structs.replace(CHECK, schema=msgspec.Raw(b'{"type":"object"}'))
    assert said("<check></check>", tools=(spec,)) == [("check", {})]

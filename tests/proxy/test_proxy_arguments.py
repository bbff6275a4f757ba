"""Arguments of managed calls against schemas."""

from typing import Any

import pytest

from agent_cli.proxy.arguments import MOST, parsed, violations
from agent_cli.types.errors import ToolError

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["name", "where"],
    "properties": {
        "name": {"type": "string"},
        "size": {"type": "integer"},
        "share": {"type": "number"},
        "loud": {"type": "boolean"},
        "nothing": {"type": "null"},
        "color": {"enum": ["red", "blue"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "where": {"type": "object", "required": ["city"], "properties": {"city": {}}},
        "free": {"anyOf": [{"type": "string"}], "type": "string"},
    },
}
FINE: dict[str, Any] = {"name": "n", "where": {"city": "c"}}

WRONG = [
    pytest.param({"where": {"city": 1}}, ("name", "missing_required"), id="missing"),
    pytest.param({**FINE, "name": None}, ("name", "wrong_type"), id="null is no string"),
    pytest.param({**FINE, "size": 3.5}, ("size", "wrong_type"), id="no integer"),
    pytest.param({**FINE, "size": True}, ("size", "wrong_type"), id="a boolean is no integer"),
    pytest.param({**FINE, "share": "1"}, ("share", "wrong_type"), id="no number"),
    pytest.param({**FINE, "loud": 1}, ("loud", "wrong_type"), id="no boolean"),
    pytest.param({**FINE, "nothing": 0}, ("nothing", "wrong_type"), id="not null"),
    pytest.param({**FINE, "color": "green"}, ("color", "invalid_enum"), id="none of these"),
    pytest.param({**FINE, "tags": ["a", 1]}, ("tags[1]", "wrong_type"), id="an item"),
    pytest.param({**FINE, "tags": {}}, ("tags", "wrong_type"), id="no array"),
    pytest.param({**FINE, "where": []}, ("where", "wrong_type"), id="no object"),
    pytest.param({**FINE, "where": {}}, ("where.city", "missing_required"), id="nested"),
]


@pytest.mark.parametrize(("arguments", "expected"), WRONG)
def test_a20_what_is_wrong_is_told_with_its_place(arguments: Any, expected: tuple[str, str]):
    (found,) = violations(arguments, SCHEMA)
    assert (found["path"], found["code"]) == expected


@pytest.mark.parametrize(
    "more",
    [{}, {"size": 3}, {"size": 3.0}, {"share": 1}, {"free": 1}, {"unknown": 1}, {"nothing": None}],
)
def test_what_follows_the_schema_or_goes_beyond_it_passes(more: dict[str, Any]):
    assert violations({**FINE, **more}, SCHEMA) == []


def test_a_value_at_another_level_is_pointed_at():
    (found,) = violations({"name": "n", "city": "c", "where": {}}, SCHEMA)
    assert "belongs to .where" in found["message"]
    (found,) = violations({"where": {"name": "n", "city": "c"}}, SCHEMA)
    assert "belongs to the top" in found["message"]


def test_only_so_many_violations_are_told():
    schema = {"required": [f"n{number}" for number in range(30)]}
    assert len(violations({}, schema)) == MOST


def test_a_schema_of_any_depth_comes_to_an_end():
    value: dict[str, Any] = {}
    schema: dict[str, Any] = {"required": ["x"]}
    for _ in range(200):
        value, schema = {"a": value}, {"properties": {"a": schema}}
    assert violations(value, schema) == []


def test_a63_arguments_that_are_no_object_are_refused():
    assert parsed("  ") == {}
    assert parsed('{"a":1}') == {"a": 1}
    for text in ("[1]", "{", "null"):
        with pytest.raises(ToolError, match="not a JSON object"):
            parsed(text)

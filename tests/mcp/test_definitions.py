import json
from typing import Any

import pytest

from agent_cli.mcp.definitions import LONGEST_DESCRIPTION, Definition, plain, schema

TEXT = {"type": "string"}


def passed_on(given: dict[str, Any]) -> Any:
    made = schema(Definition("t", "", given))
    return None if made is None else json.loads(bytes(made))


def nested(depth: int) -> dict[str, Any]:
    return {"properties": {"a": nested(depth - 1)}} if depth else {}


def test_an_ordinary_schema_is_passed_on_as_it_is():
    given = {"type": "object", "properties": {"a": TEXT}, "required": ["a"], "$defs": {"x": TEXT}}
    assert passed_on(given) == given


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({}, {"type": "object", "properties": {}}, id="nothing"),
        pytest.param({"$schema": "x"}, {"type": "object", "properties": {}}, id="a dialect"),
        pytest.param(
            {"anyOf": [{"properties": {"a": TEXT}}, {"properties": {"b": TEXT}}, True]},
            {"type": "object", "properties": {"a": TEXT, "b": TEXT}},
            id="alternatives",
        ),
        pytest.param(
            {"allOf": [{"properties": {"a": TEXT}}], "properties": {"a": {}, "b": TEXT}},
            {"type": "object", "properties": {"a": {}, "b": TEXT}},
            id="its own word counts more",
        ),
    ],
)
def test_what_providers_refuse_at_the_top_is_mended(given: dict[str, Any], expected: object):
    assert passed_on(given) == expected


@pytest.mark.parametrize(
    "given",
    [
        pytest.param({"properties": {"not a key": TEXT}}, id="key"),
        pytest.param({"properties": {"x" * 65: TEXT}}, id="long key"),
        pytest.param({"properties": [TEXT]}, id="a list"),
        pytest.param({"description": "x" * 40_000}, id="large"),
        pytest.param(nested(30), id="deep"),
    ],
)
def test_what_cannot_be_mended_is_not_offered(given: dict[str, Any]):
    assert passed_on(given) is None


def test_a_description_shows_all_that_it_says():
    assert plain("a\x1b[2J\u200b\u202eb\r\n\tc\U000e0041") == "a[2Jb\n\tc"
    assert plain("x" * 5000) == "x" * LONGEST_DESCRIPTION + " [cut off]"

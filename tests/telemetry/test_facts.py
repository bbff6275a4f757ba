"""Names that are on no list are told by their kind."""

import pytest
from testbed.telling import WORDS

from agent_cli.telemetry.facts import Model, made, moment


@pytest.mark.parametrize(
    ("name", "told"),
    [
        pytest.param("read_file", "read_file", id="ours"),
        pytest.param("mcp__github__create_issue", "mcp", id="of a server"),
        pytest.param("mcp__", "mcp", id="hardly of a server"),
        pytest.param("read_file ", "custom", id="not quite ours"),
        pytest.param("word_count", "custom", id="of a plugin, or made up"),
        pytest.param("", "custom", id="of a call that nobody made"),
    ],
)
def test_tools(name: str, told: str):
    assert WORDS.tool(name) == told


@pytest.mark.parametrize(
    ("name", "told"),
    [
        pytest.param("test/model", Model("test", "model"), id="known"),
        pytest.param("test/model-20260102", Model("test", "model"), id="known, with its date"),
        pytest.param("test/model-2026-01-02", Model("test", "model"), id="another kind of date"),
        pytest.param("test/secret", Model("test", "other"), id="unknown model"),
        pytest.param("acme-internal/model", Model("other", "other"), id="unknown provider"),
        pytest.param("replay:/home/me/x", Model("replay", "other"), id="a file is no name"),
        pytest.param("", Model("other", "other"), id="nothing"),
    ],
)
def test_models(name: str, told: Model):
    assert WORDS.model(name) == told


def test_only_an_id_of_our_own_making_is_told():
    assert WORDS.conversation("20261121-101112-0123abcd") == "20261121-101112-0123abcd"
    assert WORDS.conversation("meeting with Ann") == ""
    assert WORDS.conversation("20261121-101112-0123abcd\n") == ""


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("1970-01-01T00:00:01.000002Z", 1_000_002_000),
        ("2026-11-21T10:00:00.000000Z", 1_795_255_200_000_000_000),
        ("yesterday", 0),
        ("", 0),
    ],
)
def test_times(text: str, nanoseconds: int):
    assert moment(text) == nanoseconds


@pytest.mark.parametrize(
    ("session_id", "nanoseconds"),
    [
        ("20261121-100000-0123abcd", 1_795_255_200_000_000_000),
        ("20269999-999999-0123abcd", 0),
        ("s", 0),
    ],
)
def test_an_id_says_when_its_session_was_made(session_id: str, nanoseconds: int):
    assert made(session_id) == nanoseconds

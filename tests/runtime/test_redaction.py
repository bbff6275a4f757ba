"""No secret gets by, in whatever form and in whatever pieces."""

import base64
from collections.abc import Sequence
from itertools import pairwise
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from testbed.dispatched import Answering

from agent_cli.mcp.config import Server
from agent_cli.runtime.redaction import (
    Redacted,
    harmless,
    hidden_variables,
    secrets,
    without_secrets,
)
from agent_cli.settings.schema import McpServer, McpSettings, ProviderSettings, Settings
from agent_cli.types.entries import AssistantSaid, CallFinished, UserSaid
from agent_cli.types.errors import Fault, ProviderError
from agent_cli.types.events import (
    Event,
    MessageEnd,
    Notice,
    Progress,
    ReasoningDelta,
    TextDelta,
    ToolCallDelta,
)
from agent_cli.types.messages import AssistantMessage, Reasoning, StopReason, Text, ToolResult
from agent_cli.types.outcomes import Outcome
from agent_cli.types.redaction import REMOVED, Redactor
from agent_cli.types.usage import Usage

KEY = 'sk-test/"quoted"+0123456789=='
REDACTOR = Redactor(frozenset({KEY}))


def forms() -> Sequence[pytest.param]:
    inside = b"user:" + KEY.encode() + b"\n"
    return [
        pytest.param(KEY, id="plain"),
        pytest.param(quote(KEY, safe=""), id="url"),
        pytest.param(KEY.replace('"', '\\"'), id="json"),
        pytest.param("sk-test%2f%22quoted%22%2b0123456789%3d%3d", id="url in small letters"),
        pytest.param(KEY.encode().hex(), id="hex"),
        pytest.param(KEY.encode().hex().upper(), id="hex in capitals"),
        *(
            pytest.param(base64.b64encode(b"x" * n + inside).decode(), id=f"base64 after {n}")
            for n in range(3)
        ),
        pytest.param(base64.urlsafe_b64encode(inside).decode(), id="base64 for urls"),
    ]


@pytest.mark.parametrize("form", forms())
def test_a_text_loses_the_secret_in_every_form(form: str):
    cleaned = REDACTOR.text(f"before {form} after")
    assert REMOVED in cleaned
    assert KEY not in cleaned
    assert cleaned.startswith("before ")
    assert cleaned.endswith(" after")


@pytest.mark.parametrize("form", forms())
def test_an_entry_loses_it_and_keeps_its_signatures(form: str):
    said = AssistantSaid(
        AssistantMessage((Text(f"a {form} b"), Reasoning("why", form)), StopReason.END)
    )
    cleaned = without_secrets(said, REDACTOR)
    assert isinstance(cleaned, AssistantSaid)
    text, reasoning = cleaned.message.blocks
    assert isinstance(text, Text)
    assert REMOVED in text.text
    assert reasoning == Reasoning("why", form)
    result = CallFinished(ToolResult("call_1", Outcome.OK, None, form))
    cleaned = without_secrets(result, REDACTOR)
    assert isinstance(cleaned, CallFinished)
    assert REMOVED in cleaned.result.content


def test_what_holds_no_secret_stays_the_very_same():
    entry = UserSaid("nothing to hide")
    assert without_secrets(entry, REDACTOR) is entry
    assert without_secrets(entry, Redactor()) is entry
    assert Redactor().text(KEY) == KEY


def heard(events: Sequence[Event], redactor: Redactor = REDACTOR) -> list[Event]:
    frontend = Answering(yes=True)
    redacted = Redacted(redactor, frontend)
    for event in events:
        redacted.emit(event)
    return frontend.events


END = MessageEnd(StopReason.END, Usage())


@given(
    before=st.text("sk-abc ", max_size=9),
    after=st.text("sk-abc ", max_size=9),
    cuts=st.lists(st.integers(0, 60), max_size=60),
    form=st.sampled_from([one.values[0] for one in forms()]),
)
def test_pieces_say_what_the_whole_says(before: str, after: str, cuts: list[int], form: str):
    whole = f"{before}{form}{after}"
    places = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    pieces = [whole[a:b] for a, b in pairwise(places)]
    events = heard([*(TextDelta(piece) for piece in pieces), END])
    told = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert told == REDACTOR.text(whole)
    assert events[-1] == END


def test_other_texts_come_between_and_nothing_is_mixed_up():
    half = len(KEY) // 2
    events = [
        Progress("a", KEY[:half]),
        Progress("b", KEY[half:]),
        ReasoningDelta(KEY[:half]),
        ReasoningDelta(KEY[half:]),
        ToolCallDelta(0, KEY[:half]),
        ToolCallDelta(1, KEY[half:]),
        Notice(KEY),
    ]
    assert heard(events) == [
        Progress("a", KEY[:half]),
        Progress("b", KEY[half:]),
        ReasoningDelta(REMOVED),
        ToolCallDelta(0, KEY[:half]),
        ToolCallDelta(1, KEY[half:]),
        Notice(REMOVED),
    ]


def test_an_error_of_the_provider_keeps_its_kind_and_notes():
    error = ProviderError(f"bad key {KEY}", Fault.AUTHENTICATION, status=401, retry_after=2.0)
    error.add_note(f"sent {KEY}")
    clean = harmless(error, REDACTOR)
    assert str(clean) == f"bad key {REMOVED}"
    assert (clean.fault, clean.status, clean.retry_after) == (Fault.AUTHENTICATION, 401, 2.0)
    assert clean.__notes__ == [f"sent {REMOVED}"]


def test_secrets_come_from_keys_headers_and_addresses():
    corp = ProviderSettings(
        base_url="https://me:address-password@host/v1",
        api_key_env="CORP",
        headers={"X-Auth": "Bearer header-secret", "Accept": "application/json"},
    )
    settings = Settings(providers={"corp": corp})
    environ = {
        "OPENAI_API_KEY": "openai-secret",
        "CORP": "corporate-secret",
        "HTTPS_PROXY": "http://me:proxy-password@proxy:1",
        "https_proxy": "http://[broken",
        "GROQ_API_KEY": "short",
        "PATH": "/usr/bin:/bin",
        "ALL_PROXY": "token-as-a-user@proxy:1",
        "OPENAI_BASE_URL": "https://host/v1?api_key=key-in-an-address&version=2026-11-21",
        "http_proxy": "http://login-name:a%40b%2Fpassword@proxy:1",
        "ANTHROPIC_MODEL": "some-model-of-theirs",
        "ANTHROPIC_BASE_URL": "https://gateway.example",
        "ANTHROPIC_CUSTOM_HEADERS": "X-Pass: header-of-theirs",
        "CDPATH": "/home/somebody",
    }
    assert hidden_variables(settings) == {"CORP"}
    assert secrets(settings, environ) == {
        "address-password", "header-secret", "openai-secret", "corporate-secret",
        "proxy-password", "token-as-a-user", "key-in-an-address", "a%40b%2Fpassword",
        "a@b/password", "header-of-theirs",
    }  # fmt: skip


def test_what_authenticates_with_a_collector_is_secret():
    given = "Authorization=Bearer%20collector-secret,x-team=AbCdEf0123456789AbCdEf,stage=production"
    assert secrets(Settings(), {"OTEL_EXPORTER_OTLP_HEADERS": given}) == {
        "Bearer%20collector-secret",
        "collector-secret",
        "AbCdEf0123456789AbCdEf",
    }


def test_what_is_written_for_a_server_is_secret_and_the_name_of_a_variable_is_not():
    server = McpServer(
        args=("postgres://me:database-password@host/db",),
        env={"GITHUB_TOKEN": "token-of-mine", "LOG_LEVEL": "information"},
        headers={"Authorization": "Bearer ${CORP_TOKEN}"},
    )
    settings = Settings(mcp=McpSettings(servers={"x": server}))
    assert secrets(settings, {}) == {"database-password", "token-of-mine"}


def test_what_servers_get_as_keys_is_secret_and_their_other_words_are_not():
    server = Server(
        "x",
        ("run", "postgres://me:database-password@host/db", "--verbose-output"),
        {
            "GITHUB_TOKEN": "token-of-mine",
            "WHATEVER": "AbCdEf0123456789AbCdEf",
            "DATABASE": "postgres://me:other-password@host/db",
            "LOG_LEVEL": "information",
            "FOLDER": "/home/somebody/projects/2026",
        },
        url="https://host/mcp?token=key-in-the-url",
        headers={"Authorization": "Bearer bearer-of-mine", "Accept": "application/json"},
    )
    assert secrets(Settings(), {}, [server]) == {
        "token-of-mine", "AbCdEf0123456789AbCdEf", "database-password", "other-password",
        "key-in-the-url", "bearer-of-mine",
    }  # fmt: skip

"""Layers of settings, and what is said of a mistake in one."""

import pytest

from agent_cli.settings.load import digest, load
from agent_cli.settings.schema import (
    ApprovalSettings,
    ModelSettings,
    ProviderSettings,
    RuleLists,
    Settings,
)
from agent_cli.types.approval import Decision
from agent_cli.types.errors import ConfigurationError
from agent_cli.types.requests import Protocol

FULL = """
model = "anthropic/claude-opus-4-5"
mode = "architect"
protocol = "xml"
max_turns = 30
max_cost = 2

[approval]
write = "allow"
rules = { allow = ["read"], deny = ["execute(rm *)"] }

[providers.home]
base_url = "http://127.0.0.1:9/v1"
wire = "openai_chat"
headers = { x-team = "blue" }

[models."home/tiny"]
context_window = 8192
input_price = 0.5
"""


@pytest.fixture
def environ(tmp_path):
    return {"AGENT_HOME": str(tmp_path)}


@pytest.fixture
def write(tmp_path):
    def write_config(text):
        (tmp_path / "config").mkdir()
        path = tmp_path / "config" / "config.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write_config


def test_without_any_layer_the_defaults_hold(environ):
    assert load(environ) == Settings()


def test_a_file_sets_everything_it_names(environ, write):
    write(FULL)
    assert load(environ) == Settings(
        model="anthropic/claude-opus-4-5",
        mode="architect",
        protocol=Protocol.XML,
        max_turns=30,
        max_cost=2.0,
        approval=ApprovalSettings(
            write=Decision.ALLOW, rules=RuleLists(allow=("read",), deny=("execute(rm *)",))
        ),
        providers={
            "home": ProviderSettings(
                base_url="http://127.0.0.1:9/v1", wire="openai_chat", headers={"x-team": "blue"}
            )
        },
        models={"home/tiny": ModelSettings(context_window=8192, input_price=0.5)},
    )


def test_environment_wins_over_the_file_and_flags_over_both(environ, write):
    write(FULL)
    environ |= {"AGENT_MODE": "debug", "AGENT_MODEL": "openai/gpt-5", "AGENT_APPROVAL_READ": "ask"}
    settings = load(environ, {"model": "ollama/qwen3", "max_turns": None, "approval.mcp": "deny"})
    assert (settings.model, settings.mode, settings.max_turns) == ("ollama/qwen3", "debug", 30)
    assert settings.approval.read is Decision.ASK
    assert settings.approval.mcp is Decision.DENY
    assert settings.approval.write is Decision.ALLOW


@pytest.mark.parametrize(
    ("variable", "text", "read"),
    [
        ("AGENT_PARALLEL_TOOL_CALLS", "false", lambda s: s.parallel_tool_calls is False),
        ("AGENT_MAX_TURNS", "7", lambda s: s.max_turns == 7),
        ("AGENT_MAX_COST", "0.25", lambda s: s.max_cost == 0.25),
        ("AGENT_RETRY_ATTEMPTS", "2", lambda s: s.retry.attempts == 2),
        ("AGENT_PROTOCOL", "xml", lambda s: s.protocol is Protocol.XML),
        ("AGENT_TRANSPORT", "sdk", lambda s: s.transport == "sdk"),
        ("AGENT_MODE", "", lambda s: s.mode == "code"),
        ("AGENT_SESSION_ID", "anything", lambda s: s == Settings()),
    ],
)
def test_every_single_value_has_a_variable(environ, variable, text, read):
    assert read(load(environ | {variable: text}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("modle = 'x'", ":1: unknown setting 'modle'; did you mean 'mod", id="near"),
        pytest.param(
            "\n[approval]\nread = 'ask'\nwrte = 'ask'",
            ":4: unknown setting 'approval.wrte'; did you mean 'write'?",
            id="near, in a section",
        ),
        pytest.param("[retry]\nzzz = 1", ":2: unknown setting 'retry.zzz'; known here: ", id="far"),
        pytest.param(
            "approval.write = 'perhaps'",
            ":1: approval.write = 'perhaps': use one of allow, ask, deny",
            id="no such word",
        ),
        pytest.param(
            "completion.block_on = ['failed', 'exit_zero']",
            ":1: completion.block_on = ['failed', 'exit_zero']: use one of failed, denied,",
            id="no such word in a list",
        ),
        pytest.param("completion.block_on = 'failed'", "expected `array`", id="no list"),
        pytest.param("completion.verify = [' ']", "matching regex", id="a check of nothing"),
        pytest.param("turn.on_failure = 'undo'", "continue, stop, rollback", id="no policy"),
        pytest.param("max_turns = 0", ":1: max_turns = 0: expected `int` >= 1", id="too small"),
        pytest.param("max_turns = '3'", "max_turns = '3': expected `int | null`", id="wrong type"),
        pytest.param("approval = 3", ":1: approval = 3: expected `object`", id="not a section"),
        pytest.param(
            "[models.'a/b.c']\ncontext_window = 5\nprice = 2",
            ":3: unknown setting 'models.a/b.c.price'; ",
            id="in a dictionary",
        ),
        pytest.param("model = ", "not valid TOML: Invalid value (at ", id="no TOML"),
    ],
)
def test_a_mistake_in_the_file_names_file_line_and_key(environ, write, text, expected):
    path = write(text)
    with pytest.raises(ConfigurationError) as raised:
        load(environ)
    assert str(raised.value).startswith(str(path))
    assert expected in str(raised.value)


def test_a_file_that_is_not_text_is_refused(environ, write):
    write("").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match="cannot read"):
        load(environ)


def test_a_mistake_in_the_environment_names_the_variable(environ):
    with pytest.raises(ConfigurationError, match=r"environment variable AGENT_MAX_TURNS: .*'many'"):
        load(environ | {"AGENT_MAX_TURNS": "many"})


def test_a_mistake_in_a_flag_says_so(environ):
    with pytest.raises(ConfigurationError, match=r"on the command line: transport = 'smoke'"):
        load(environ, {"transport": "smoke"})


def test_the_digest_depends_on_every_setting_and_on_nothing_else(environ):
    assert digest(load(environ)) == digest(Settings())
    assert digest(Settings(mode="ask")) != digest(Settings())
    assert len(digest(Settings())) == 64


def test_a_settings_file_of_a_project_has_no_effect(environ, tmp_path, monkeypatch):
    project = tmp_path / "project"
    (project / ".agent").mkdir(parents=True)
    for path in (project / "config.toml", project / ".agent" / "config.toml"):
        path.write_text("mode = 'orchestrator'\n[providers.openai]\nbase_url = 'http://evil'")
    monkeypatch.chdir(project)
    assert load(environ) == Settings()

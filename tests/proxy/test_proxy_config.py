"""`proxy.toml`."""

from pathlib import Path

import pytest

from agent_cli.proxy.clients import Client
from agent_cli.proxy.config import Config, Server, Token, Upstream, checked, read
from agent_cli.proxy.mediation import Unsafe
from agent_cli.proxy.options import Mediation
from agent_cli.proxy.spending import Budget
from agent_cli.proxy.upstream_settings import base_url
from agent_cli.types.errors import ConfigurationError

ENVIRON = {"KEY": "sk-upstream", "TOKEN": "t" * 16}
FULL = """
[upstream]
url = "https://example.test/v1"
api_key_env = "KEY"

[tokens.alice]
env = "TOKEN"

[mcp.docs]
command = "docs-server"

[treat."docs.search"]
read_only = true

[http."crm.update"]
url = "https://crm.example.test/{id}"
parameters = { type = "object", properties = { id = { type = "string" } } }

[mediation]
unsafe_policy = "retry_then_error"
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "proxy.toml"
    path.write_text(text)
    return path


def test_everything_can_be_said(tmp_path: Path):
    config = checked(read(written(tmp_path, FULL)), ENVIRON)
    assert config.treat["docs.search"].read_only is True
    assert config.http["crm.update"].method == "POST"
    assert config.mediation.rules.unsafe == "retry_then_error"


WRONG = [
    pytest.param("[upstream]\nulr = 'x'\n", r"proxy\.toml:2: .*did you mean 'url'", id="name"),
    pytest.param(
        "[limits]\nmax_rounds = 0\n", r"proxy\.toml:2: limits\.max_rounds = 0", id="value"
    ),
    pytest.param("\n[mediation]\nmixed_policy = 'maybe'\n", r":3: .*forward, resample", id="word"),
    pytest.param("[upstream", "not valid TOML", id="syntax"),
    pytest.param("[http.x]\n", "missing required field", id="missing"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_a_mistake_names_its_place(tmp_path: Path, text: str, message: str):
    with pytest.raises(ConfigurationError, match=message):
        read(written(tmp_path, text))


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="cannot read"):
        read(tmp_path / "none.toml")


UP = Upstream(url="http://127.0.0.1:1")
OPEN = Server(auth="none")
SHOWS_AND_HIDES = Mediation(thinking_stream="live", hidden_reasoning="hide")
TAKES_BACK = Mediation(native_release="immediate", unsafe_policy=Unsafe.RETRY_INTERNAL)
UNUSABLE = [
    pytest.param(Config(server=OPEN), "there is no upstream", id="no upstream"),
    pytest.param(Config(upstream=Upstream(url="ftp://x"), server=OPEN), "http://", id="scheme"),
    pytest.param(
        Config(upstream=Upstream(url="http://x", api_key_env="NONE"), server=OPEN),
        "'NONE', which is not set",
        id="key",
    ),
    pytest.param(Config(upstream=UP), "there is no token", id="no token"),
    pytest.param(
        Config(upstream=UP, server=Server(auth="none", host="0.0.0.0")), "anybody", id="open"
    ),
    pytest.param(Config(upstream=UP, tokens={"a": Token()}), "either env or sha256", id="both"),
    pytest.param(Config(upstream=UP, tokens={"a": Token(sha256="x")}), "not a SHA-256", id="hash"),
    pytest.param(Config(upstream=UP, tokens={"a": Token(env="NONE")}), "not set or", id="env"),
    pytest.param(
        Config(upstream=UP, tokens={"a": Token(env="TOKEN", mcp={"docs": {}})}),
        "tokens.a.mcp.docs names no server",
        id="whose",
    ),
    pytest.param(
        Config(upstream=UP, tokens={"a": Token(env="TOKEN", client="cdoex")}),
        "'cdoex' is no client: one of agent, claude-code, codex, opencode",
        id="client",
    ),
    pytest.param(
        Config(upstream=UP, server=OPEN, mediation=SHOWS_AND_HIDES), "give up one", id="thinking"
    ),
    pytest.param(
        Config(upstream=UP, server=OPEN, mediation=TAKES_BACK), "give up one", id="release"
    ),
    pytest.param(
        Config(upstream=UP, server=OPEN, clients={"mine": Client()}),
        "by which user-agents",
        id="nobody's",
    ),
]


SPARE = {"b": Upstream(url="http://127.0.0.1:2")}
UNUSABLE += [
    pytest.param(
        Config(upstream=UP, server=OPEN, fallback={"upstream": UP}), "take another", id="name"
    ),
    pytest.param(
        Config(upstream=UP, server=OPEN, fallback={"b": Upstream()}), r"b\.url", id="no fallback"
    ),
    pytest.param(
        Config(upstream=UP, server=OPEN, fallback=SPARE | {"c": Upstream(url="c")}),
        r"fallback\.c: 'c' must begin",
        id="fallback's scheme",
    ),
    pytest.param(
        Config(upstream=UP, tokens={"a": Token(env="TOKEN", budget=Budget())}),
        r"tokens\.a\.budget: say usd or tokens",
        id="budget",
    ),
]


@pytest.mark.parametrize(("config", "message"), UNUSABLE)
def test_what_cannot_be_started_with_is_refused(config: Config, message: str):
    with pytest.raises(ConfigurationError, match=message):
        checked(config, ENVIRON)


def test_an_address_of_a_tool_has_to_be_one(tmp_path: Path):
    config = read(written(tmp_path, FULL.replace("https://crm.example.test", "crm")))
    with pytest.raises(ConfigurationError, match=r"http\.crm\.update\.url"):
        checked(config, ENVIRON)


@pytest.mark.parametrize(
    ("upstream", "expected"),
    [
        (Upstream(url="https://h"), "https://h/v1"),
        (Upstream(url="https://h/v1/"), "https://h/v1"),
        (Upstream(url="https://h", chat_url="https://g/v4"), "https://g/v4"),
    ],
)
def test_the_base_address(upstream: Upstream, expected: str):
    assert base_url(upstream, "openai_chat") == expected

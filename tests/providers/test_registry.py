"""From a model's name to endpoint, key and what is known of the model."""

import sys
import tomllib
from pathlib import Path
from subprocess import run
from typing import get_args

import msgspec
import pytest

from agent_cli.cli.model_choice import KEYS as KEYS_TRIED
from agent_cli.providers import registry
from agent_cli.providers.known import known_models
from agent_cli.providers.registry import MissingKeyError, Prices, connect, resolve
from agent_cli.providers.rows import ROWS, ollama_url
from agent_cli.settings.schema import ModelSettings, ProviderSettings, Settings
from agent_cli.types.errors import ConfigurationError
from agent_cli.types.requests import Protocol
from agent_cli.types.usage import Usage

KEYS = {key: "k" for row in ROWS.values() for key in row.keys}


@pytest.mark.parametrize("provider", ROWS)
def test_every_row_resolves_and_connects(provider):
    resolved = resolve(f"{provider}/some/model", Settings(), KEYS)
    assert (resolved.provider, resolved.name) == (provider, "some/model")
    assert resolved.full_name == f"{provider}/some/model"
    assert bool(resolved.endpoint.api_key) == bool(ROWS[provider].keys)
    assert connect(resolved, Settings(), Protocol.NATIVE)


ENDPOINTS = [
    ("anthropic/x", {}, "anthropic_messages", "https://api.anthropic.com"),
    ("anthropic/x", {"ANTHROPIC_BASE_URL": "http://h:1/"}, "anthropic_messages", "http://h:1"),
    ("openai/x", {}, "openai_responses", "https://api.openai.com/v1"),
    ("openai-chat/x", {"OPENAI_BASE_URL": "http://h/v1"}, "openai_chat", "http://h/v1"),
    ("ollama/x", {}, "openai_chat", "http://127.0.0.1:11434/v1"),
    ("ollama/x", {"OLLAMA_HOST": "0.0.0.0"}, "openai_chat", "http://127.0.0.1:11434/v1"),
]


@pytest.mark.parametrize(("model", "environ", "codec", "url"), ENDPOINTS)
def test_the_environment_may_name_another_place(model, environ, codec, url):
    resolved = resolve(model, Settings(), KEYS | environ)
    assert (resolved.codec, resolved.endpoint.base_url) == (codec, url)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("box", "http://box:11434/v1"),
        ("box:80", "http://box:80/v1"),
        ("https://box", "https://box/v1"),
        ("http://box:9/v1/", "http://box:9/v1"),
        ("https://box/ollama", "https://box/ollama/v1"),
        ("[::1]:5", "http://[::1]:5/v1"),
        ("0.0.0.0:5", "http://127.0.0.1:5/v1"),
        (":5", "http://127.0.0.1:5/v1"),
    ],
)
def test_what_ollama_host_means(host, url):
    assert ollama_url(host) == url


def test_the_longest_silence_of_a_provider_can_be_set():
    providers = {"ollama": ProviderSettings(stall_timeout=1200)}
    assert resolve("ollama/x", Settings(providers=providers), {}).endpoint.stall_timeout == 1200
    assert resolve("ollama/x", Settings(), {}).endpoint.stall_timeout == 300


def test_settings_win_over_the_environment():
    own = ProviderSettings(
        base_url="http://gate/v1/", api_key_env="GATE", headers={"X-Team": "a"}, wire="openai_chat"
    )
    settings = Settings(providers={"openai": own})
    resolved = resolve("openai/x", settings, {"OPENAI_BASE_URL": "http://no", "GATE": "g"})
    assert resolved.codec == "openai_chat"
    assert resolved.endpoint.base_url == "http://gate/v1"
    assert resolved.endpoint.api_key == "g"
    assert resolved.endpoint.headers == (("x-team", "a"),)


def test_a_gateway_of_ones_own_may_want_no_key():
    settings = Settings(providers={"openai": ProviderSettings(base_url="http://gate")})
    assert resolve("openai/x", settings, {}).endpoint.api_key == ""
    assert resolve("openai/x", settings, KEYS).endpoint.api_key == "k"


def test_an_auth_token_is_a_bearer_token():
    endpoint = resolve("anthropic/x", Settings(), {"ANTHROPIC_AUTH_TOKEN": "t"}).endpoint
    assert (endpoint.api_key, endpoint.headers) == ("", (("authorization", "Bearer t"),))


def test_the_proxy_comes_from_the_environment_but_not_for_loopback():
    environ = KEYS | {"HTTPS_PROXY": "http://proxy:1", "HTTP_PROXY": "http://proxy:1"}
    assert resolve("openai/x", Settings(), environ).endpoint.proxy == "http://proxy:1"
    assert resolve("ollama/x", Settings(), environ).endpoint.proxy == ""


def test_an_endpoint_never_shows_its_secrets():
    environ = KEYS | {"HTTPS_PROXY": "http://u:secret@proxy:1", "OPENAI_API_KEY": "secret"}
    environ |= {"OPENAI_BASE_URL": "https://u:secret@h/v1"}
    assert "secret" not in repr(resolve("openai/x", Settings(), environ))


def test_a_missing_key_is_told_apart():
    with pytest.raises(MissingKeyError, match="OPENROUTER_API_KEY"):
        resolve("openrouter/x", Settings(), {})


def own(**settings):
    return Settings(providers={"mine": ProviderSettings(**settings)})


MISTAKES = [
    pytest.param("gpt-5", Settings(), "'gpt-5' is not a model", id="no provider"),
    pytest.param("openai/", Settings(), "'openai/' is not a model", id="no name"),
    pytest.param("opnai/x", Settings(), r"'opnai': known are anthropic, .*xai", id="unknown"),
    pytest.param("mine/x", own(base_url="http://h"), "mine.wire is missing", id="no wire"),
    pytest.param("mine/x", own(wire="openai_chat"), "mine.base_url is missing", id="no place"),
    pytest.param(
        "mine/x", own(wire="openai_chat", base_url="h:1"), "mine.base_url = 'h:1'", id="no URL"
    ),
    pytest.param(
        "mine/x", own(wire="openai_chat", base_url="http://h:x"), "not a URL", id="no port"
    ),
    pytest.param(
        "mine/x",
        own(wire="openai_chat", base_url="http://h", headers={"a b": "c"}),
        "'a b' is not a header",
        id="no header",
    ),
    pytest.param(
        "mine/x", own(wire="openai_chat", sdk="bedrock"), "bedrock does not speak", id="SDK"
    ),
]


@pytest.mark.parametrize(("model", "settings", "message"), MISTAKES)
def test_a_mistake_is_a_configuration_error(model, settings, message):
    with pytest.raises(ConfigurationError, match=message) as raised:
        resolve(model, settings, KEYS)
    assert not isinstance(raised.value, MissingKeyError)


def test_a_bad_ollama_host_is_named():
    with pytest.raises(ConfigurationError, match="OLLAMA_HOST = 'box:port'"):
        resolve("ollama/x", Settings(), {"OLLAMA_HOST": "box:port"})


def test_models_toml_is_valid_and_its_prices_are_plausible():
    text = Path(registry.__file__).with_name("models.toml").read_text("utf-8")
    for section, rows in tomllib.loads(text).items():
        assert section in ROWS
        for row in msgspec.convert(rows, dict[str, ModelSettings]).values():
            assert row.context_window >= row.max_output
            assert (row.input_price is None) == (row.output_price is None)
            assert (row.cache_read_price or 0) <= (row.input_price or 0)


@pytest.mark.parametrize(
    "name", ["claude-opus-4-5", "claude-opus-4-5-20251101"], ids=["alias", "dated"]
)
def test_a_dated_name_is_known_as_its_model(name):
    info = resolve(f"anthropic/{name}", Settings(), KEYS).info
    assert (info.context_window, info.max_output, info.vision) == (200_000, 64_000, True)
    assert info.prices == Prices(5.0, 25.0, 0.5, 6.25)


def test_openai_models_are_known_on_both_wires_and_with_their_dates():
    names = ("openai/gpt-5", "openai-chat/gpt-5", "openai/gpt-5-2025-08-07")
    assert len({resolve(name, Settings(), KEYS).info for name in names}) == 1


def test_what_is_not_known_stays_unknown():
    info = resolve("ollama/anything", Settings(), {}).info
    assert (info.context_window, info.max_output, info.prices) == (None, None, None)
    assert info.protocol is Protocol.NATIVE
    assert not info.sends_parallel


def test_settings_override_what_is_known():
    said = ModelSettings(
        context_window=9, protocol=Protocol.XML, input_price=1, output_price=2, vision=False
    )
    settings = Settings(models={"openai/gpt-5": said})
    info = resolve("openai/gpt-5", settings, KEYS).info
    assert (info.context_window, info.max_output, info.vision) == (9, 128_000, False)
    assert info.protocol is Protocol.XML
    assert info.prices == Prices(1, 2, 0.125, 1)


def test_cost_counts_cached_tokens_at_their_own_price():
    prices = Prices(10, 50, 1, 12.5)
    usage = Usage(
        input_tokens=1_000_000,
        output_tokens=100_000,
        cache_read_tokens=500_000,
        cache_write_tokens=100_000,
    )
    assert prices.cost(usage) == pytest.approx(4 + 5 + 0.5 + 1.25)
    assert prices.cost(msgspec.structs.replace(usage, cost=0.5)) == 0.5


def test_a_long_prompt_costs_more_as_a_whole():
    prices = resolve("openai/gpt-6.2-sol", Settings(), KEYS).info.prices
    short, long = Usage(272_000, 1_000_000), Usage(272_001, 1_000_000)
    assert prices.cost(short) == pytest.approx(0.544 + 10)
    assert prices.cost(long) == pytest.approx(1.088 + 15, abs=1e-4)


def test_every_model_of_the_table_is_one_of_the_vendors():
    from anthropic.types.model_param import ModelParam
    from openai.types.shared.chat_model import ChatModel

    literal = next(part for part in get_args(ModelParam) if get_args(part))
    ids = {"anthropic": {*get_args(literal)}, "openai": {*get_args(ChatModel)}}
    for name, _ in known_models(Settings()):
        provider, _, model = name.partition("/")
        assert model in ids[provider]


@pytest.mark.parametrize("candidate", KEYS_TRIED[:2], ids=lambda candidate: candidate.model)
def test_a_budget_can_be_kept_with_the_model_that_a_key_chooses(candidate):
    info = resolve(candidate.model, Settings(), KEYS).info
    assert info.prices is not None
    assert info.context_window is not None


def test_xml_wraps_the_provider():
    resolved = resolve("ollama/x", Settings(), {})
    assert type(connect(resolved, Settings(), Protocol.XML)).__name__ == "XmlTools"


def test_the_direct_way_imports_no_sdk_and_one_codec():
    code = """
import sys
from agent_cli.providers.registry import connect, resolve
from agent_cli.settings.schema import Settings
from agent_cli.types.requests import Protocol
connect(resolve("ollama/x", Settings(), {}), Settings(), Protocol.NATIVE)
print(*sys.modules)
"""
    root = Path(registry.__file__).parents[2]
    child = run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    modules = child.stdout
    assert "agent_cli.wire.openai_chat" in modules.split()
    heavy = {"openai", "anthropic", "httpx2", "pydantic", "agent_cli.wire.anthropic_messages"}
    assert heavy.isdisjoint(modules.split())


@pytest.mark.trap("T-18")
@pytest.mark.parametrize(
    ("model", "environ", "said", "expected"),
    [
        pytest.param("openai/x", {}, None, True, id="the vendor that does it"),
        pytest.param("openai/x", {"OPENAI_BASE_URL": "http://gate"}, None, False, id="elsewhere"),
        pytest.param("openai/x", {"OPENAI_BASE_URL": "http://gate"}, True, True, id="settings"),
        pytest.param("openai-chat/x", {}, False, False, id="not wanted"),
        pytest.param("anthropic/x", {}, None, False, id="another wire"),
        pytest.param("ollama/x", {}, None, False, id="a server of ones own"),
    ],
)
def test_who_holds_a_model_to_schemas_is_asked_to(model, environ, said, expected):
    settings = Settings(models={model: ModelSettings(strict_tools=said)})
    assert resolve(model, settings, KEYS | environ).info.strict_tools is expected

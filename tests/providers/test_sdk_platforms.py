"""Azure, Bedrock and Vertex through the SDKs' own clients, at a loopback server."""

import asyncio
import json

import pytest
from testbed.loopback import Answer, Loopback, sent

from agent_cli.providers.registry import connect, resolve
from agent_cli.settings.schema import ProviderSettings, Settings
from agent_cli.types.errors import ConfigurationError
from agent_cli.types.events import MessageEnd, TextDelta
from agent_cli.types.messages import AssistantMessage, Text, UserMessage
from agent_cli.types.requests import ModelRequest, Protocol
from agent_cli.wire import anthropic_messages, openai_chat
from agent_cli.wire.sse import write_event

REQUEST = ModelRequest("model-1", "", (UserMessage("hi"),))
MESSAGE = AssistantMessage((Text("hello"),))


async def text_of(settings, environ):
    provider = connect(resolve("cloud/model-1", settings, environ), settings, Protocol.NATIVE)
    deltas = [delta async for delta in provider.stream(REQUEST)]
    await provider.close()
    assert isinstance(deltas[-1], MessageEnd)
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


def ask(codec, environ, **own):
    async def conversation():
        stream = b"".join(write_event(frame) for frame in codec.encode_stream(MESSAGE, "model-1"))
        async with Loopback(Answer(sent(stream))) as server:
            provider = ProviderSettings(base_url=server.url, wire=codec.NAME, **own)
            text = await text_of(Settings(providers={"cloud": provider}), environ)
            return text, server.requests[0]

    return asyncio.run(conversation())


def test_azure_takes_the_deployment_from_the_model(monkeypatch):
    monkeypatch.setenv("OPENAI_API_VERSION", "2025-01-01")
    text, request = ask(openai_chat, {"AZ": "k"}, sdk="azure", api_key_env="AZ")
    assert text == "hello"
    assert request.target == ("/openai/deployments/model-1/chat/completions?api-version=2025-01-01")
    assert request.headers["api-key"] == "k"


def test_bedrock_is_reached_at_its_messages_endpoint():
    text, request = ask(anthropic_messages, {"AWS": "k"}, sdk="bedrock", api_key_env="AWS")
    assert text == "hello"
    assert request.target == "/v1/messages"
    assert request.headers["authorization"] == "Bearer k"
    assert request.headers["anthropic-version"] == "2023-06-01"
    assert json.loads(request.body)["model"] == "model-1"


def test_vertex_moves_the_model_to_the_path(monkeypatch):
    monkeypatch.setenv("CLOUD_ML_REGION", "eu")
    monkeypatch.setenv("ANTHROPIC_VERTEX_PROJECT_ID", "project-1")
    text, request = ask(anthropic_messages, {"GCP": "k"}, sdk="vertex", api_key_env="GCP")
    assert text == "hello"
    assert request.target == (
        "/projects/project-1/locations/eu/publishers/anthropic/models/model-1:streamRawPredict"
    )
    assert request.headers["authorization"] == "Bearer k"
    assert "model" not in json.loads(request.body)


@pytest.mark.parametrize("sdk", ["azure", "bedrock", "vertex"])
def test_what_the_client_misses_is_a_configuration_error(sdk, monkeypatch):
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "CLOUD_ML_REGION", "AZURE_OPENAI_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    settings = Settings(providers={"cloud": ProviderSettings(sdk=sdk)})
    with pytest.raises(ConfigurationError, match="client cannot be used: "):
        asyncio.run(text_of(settings, {}))


def test_vertex_without_a_project_is_a_configuration_error(monkeypatch):
    monkeypatch.setenv("CLOUD_ML_REGION", "eu")
    monkeypatch.delenv("ANTHROPIC_VERTEX_PROJECT_ID", raising=False)
    provider = ProviderSettings(base_url="http://127.0.0.1:9", sdk="vertex", api_key_env="GCP")
    settings = Settings(providers={"cloud": provider})
    with pytest.raises(ConfigurationError, match="project_id"):
        asyncio.run(text_of(settings, {"GCP": "k"}))

"""The models that reach a test server, one for each wire."""

import pytest

MODELS = [
    pytest.param("anthropic/test-model", id="anthropic_messages"),
    pytest.param("openai-chat/test-model", id="openai_chat"),
    pytest.param("openai/test-model", id="openai_responses"),
]

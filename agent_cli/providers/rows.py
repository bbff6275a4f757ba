"""The providers that are known by name: wire format, place, variables. A provider is a row."""

from typing import Literal
from urllib.parse import urlsplit

from msgspec import Struct

from agent_cli.i18n.catalog import say
from agent_cli.settings.secrets import VARIABLES
from agent_cli.types.errors import ConfigurationError


class Row(Struct, frozen=True):
    wire: str
    base_url: str
    base_url_variable: str = ""
    """Environment variable that names another place."""
    keys: tuple[str, ...] = ()
    """Variables that may hold the key; none for a server that wants no key."""
    models: str = ""
    """Section of `models.toml`, where it is not the provider's own name."""
    sends_parallel: bool = True
    """Whether the server accepts the switch for parallel calls."""
    strict: bool = False
    """Whether the server, at its own address, holds models to strict schemas."""
    sdk: Literal["azure", "bedrock", "vertex"] | None = None


def _local(url: str, variable: str = "") -> Row:
    # Servers of one's own often refuse parameters that they do not know.
    return Row("openai_chat", url, variable, sends_parallel=False)


def _hosted(name: str, url: str, *, sends_parallel: bool = True) -> Row:
    return Row("openai_chat", url, keys=VARIABLES[name], sends_parallel=sends_parallel)


def _openai(wire: str) -> Row:
    url = "https://api.openai.com/v1"
    return Row(wire, url, "OPENAI_BASE_URL", VARIABLES["openai"], models="openai", strict=True)


ROWS = {
    "anthropic": Row(
        "anthropic_messages",
        "https://api.anthropic.com",
        "ANTHROPIC_BASE_URL",
        VARIABLES["anthropic"],
    ),
    "openai": _openai("openai_responses"),
    "openai-responses": _openai("openai_responses"),
    "openai-chat": _openai("openai_chat"),
    "openrouter": _hosted("openrouter", "https://openrouter.ai/api/v1"),
    "mistral": _hosted("mistral", "https://api.mistral.ai/v1"),
    "groq": _hosted("groq", "https://api.groq.com/openai/v1"),
    "deepseek": _hosted("deepseek", "https://api.deepseek.com", sends_parallel=False),
    "together": _hosted("together", "https://api.together.xyz/v1", sends_parallel=False),
    "gemini": _hosted(
        "gemini", "https://generativelanguage.googleapis.com/v1beta/openai", sends_parallel=False
    ),
    "xai": _hosted("xai", "https://api.x.ai/v1"),
    "ollama": _local("http://127.0.0.1:11434/v1", "OLLAMA_HOST"),
    "lmstudio": _local("http://127.0.0.1:1234/v1"),
    "llamacpp": _local("http://127.0.0.1:8080/v1"),
    "vllm": _local("http://127.0.0.1:8000/v1"),
}


def ollama_url(host: str) -> str:
    """Return the base URL that OLLAMA_HOST means: a host, host:port or a URL."""
    parts = urlsplit(host if "://" in host else f"//{host}", scheme="http")
    name = parts.hostname or ""
    if name in {"", "0.0.0.0", "::"}:  # noqa: S104 - where it listens is not where it is
        name = "127.0.0.1"
    try:
        port = parts.port or ("" if "://" in host else 11434)
    except ValueError as error:
        raise ConfigurationError(
            say("OLLAMA_HOST = {host!r} has no port that is a number", host=host)
        ) from error
    path = parts.path.rstrip("/").removesuffix("/v1")
    name = f"[{name}]" if ":" in name else name
    return f"{parts.scheme}://{name}{f':{port}' if port else ''}{path}/v1"

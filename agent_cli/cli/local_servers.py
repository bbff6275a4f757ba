"""Servers of models on this machine: looked for on the loopback address, asked for a list alone."""

import asyncio
from collections.abc import Mapping

from msgspec import Struct

from agent_cli.network.proxies import is_loopback
from agent_cli.providers.listing import list_models
from agent_cli.providers.registry import resolve
from agent_cli.settings.schema import Settings
from agent_cli.types.errors import ConfigurationError, ProviderError

PORTS = {"ollama": 11434, "lmstudio": 1234, "llamacpp": 8080, "vllm": 8000}
"""The usual port of each."""

_PATIENCE = 0.15
"""Seconds for all of them together."""

SMALL_WINDOW = 16_384
"""Tokens, below which there is hardly room to work."""


class LocalServer(Struct, frozen=True):
    name: str
    place: str
    """host:port"""
    models: tuple[str, ...]
    window: int | None = None
    """Tokens that the first of them takes in, where the server says so."""


def local_servers(environ: Mapping[str, str]) -> tuple[LocalServer, ...]:
    """Return those that answer; they are told nothing. OLLAMA_HOST may name another port here."""

    async def look() -> list[LocalServer | None]:
        return await asyncio.gather(*(_asked(name, environ) for name in PORTS))

    return tuple(found for found in asyncio.run(look()) if found is not None)


async def _asked(name: str, environ: Mapping[str, str]) -> LocalServer | None:
    try:
        resolved = resolve(f"{name}/-", Settings(), environ)
        place = resolved.endpoint.base_url.partition("://")[2].partition("/")[0]
        if not is_loopback(place.rpartition(":")[0].strip("[]")):
            return None
        listed = await list_models(resolved.endpoint, resolved.codec, _PATIENCE)
    except (ConfigurationError, ProviderError):  # nothing is there, or something else
        return None
    window = listed[0].max_model_len if listed else None
    return LocalServer(name, place, tuple(model.id for model in listed), window)

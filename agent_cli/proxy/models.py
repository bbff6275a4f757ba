"""The models that clients are told of: the upstream's, and those that have another name here."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

import msgspec

from agent_cli.network.serving import Reply, Request
from agent_cli.proxy.delivery import JSON
from agent_cli.proxy.dialects import messages
from agent_cli.proxy.dialects.shapes import mapping, sequence
from agent_cli.proxy.passing import known_to, pass_on
from agent_cli.proxy.request import Services
from agent_cli.proxy.routes import MODELS

_LARGEST = 16 * 1024 * 1024
_OK = 200


async def tell_models(
    services: Services, dialect: str, request: Request, reply: Reply, headers: Mapping[str, str]
) -> None:
    """Answer a request for all models, or for one, in the dialect. Raises ProxyError."""
    target = request.target.removeprefix("/v1")
    name = unquote(target.partition("?")[0].removeprefix(MODELS).strip("/"))
    aliases = services.upstream.aliases(dialect)
    if name in aliases:
        await reply.whole(200, {**headers, **JSON}, msgspec.json.encode(_entry(name, dialect)))
        return
    upstream = services.upstream.first(dialect)
    if name or not aliases:
        answer = await upstream.ask(dialect, target, request.headers, b"", request.method)
        await pass_on(answer, reply, headers)
        return
    listing = await known_to(upstream, dialect, target, request.headers, None)
    if listing is not None and listing.status != _OK:
        await pass_on(listing, reply, headers)
        return
    body = b"{}" if listing is None else await listing.body(_LARGEST)
    await reply.whole(200, {**headers, **JSON}, listed(body, aliases, dialect))


def listed(body: bytes, aliases: Sequence[str], dialect: str) -> bytes:
    """Return the list of models with these before the others."""
    try:
        known = mapping(msgspec.json.decode(body))
    except (msgspec.DecodeError, RecursionError):
        known = {}
    others = [one for one in sequence(known.get("data")) if mapping(one).get("id") not in aliases]
    data = [*(_entry(name, dialect) for name in aliases), *others]
    if dialect != messages.NAME:
        return msgspec.json.encode({"object": "list", **known, "data": data})
    made = {"has_more": False, "last_id": aliases[-1], **known, "first_id": aliases[0]}
    return msgspec.json.encode({**made, "data": data})


def _entry(name: str, dialect: str) -> dict[str, Any]:
    if dialect == messages.NAME:
        made = "1970-01-01T00:00:00Z"
        return {"type": "model", "id": name, "display_name": name, "created_at": made}
    return {"id": name, "object": "model", "created": 0, "owned_by": "agent-proxy"}

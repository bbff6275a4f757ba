"""One mediated request, with all that is known of it before the model is asked."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import msgspec
from msgspec import Raw, Struct

from agent_cli.proxy.accounts import Accounts
from agent_cli.proxy.audit import Audit
from agent_cli.proxy.config import Config
from agent_cli.proxy.continuity import Continuity, conversation_of, place_of, prefixes
from agent_cli.proxy.dialects.base import Fields, value_of
from agent_cli.proxy.dialects.canonical import digest
from agent_cli.proxy.dialects.dialect import Dialect
from agent_cli.proxy.dialects.shapes import words
from agent_cli.proxy.dialects.turns import Round, Stretch
from agent_cli.proxy.envelopes import ProxyError
from agent_cli.proxy.executing import Executor, Ledger
from agent_cli.proxy.injection import Injection
from agent_cli.proxy.managed import Managed, ManagedTools
from agent_cli.proxy.store import Checkpoint, Store
from agent_cli.proxy.upstreams import Upstreams

CHECKPOINT = "checkpoint"
GUIDANCE = "guidance"
HIDDEN = "hidden"
"""That a conversation has hidden rounds."""
RESPONSE = "response"
_PINNED = "tools"
_CHECKPOINT = msgspec.json.Decoder(Checkpoint)
_MESSAGES = msgspec.json.Decoder(tuple[Raw, ...])

Guides: TypeAlias = dict[int, tuple[Raw, ...]]


class Services(Struct, frozen=True):
    """What all requests share."""

    config: Config
    upstream: Upstreams
    tools: ManagedTools
    executor: Executor
    store: Store
    continuity: Continuity
    audit: Audit
    accounts: Accounts


class Asked(Struct, frozen=True):
    """A client's request."""

    id: str
    principal: str
    client: str
    """Which kind of client, if it is known."""
    dialect: Dialect
    headers: Mapping[str, str]
    fields: Fields
    """As the client wrote them."""
    history: tuple[Raw, ...]
    prefixes: tuple[str, ...]
    conversation: str
    injection: Injection

    @property
    def unlike_any(self) -> bool:
        """Whether nothing is to be gone on from that an equal request has done."""
        return self.headers.get("x-agent-proxy-dedupe", "") == "off"

    @property
    def digest(self) -> str:
        """The same for a repeated request."""
        nonce = self.id if self.unlike_any else ""
        chain = value_of(self.fields, "previous_response_id")
        model = value_of(self.fields, "model")
        known = [self.dialect.NAME, model, self.conversation, chain, nonce, self.prefixes[-1]]
        return digest(known)

    @property
    def model(self) -> str:
        """As the client calls it."""
        return words(value_of(self.fields, "model"))

    @property
    def streams(self) -> bool:
        return value_of(self.fields, "stream") is True

    def ledger(self) -> Ledger:
        return Ledger(self.id, self.principal, self.digest, self.headers.get("traceparent", ""))


def asked(
    who: tuple[str, str, str],
    dialect: Dialect,
    headers: Mapping[str, str],
    fields: Fields,
    injection: Injection,
) -> Asked:
    """Return the request; `who` are its own id, whose it is, and by which client."""
    id_, principal, client = who
    try:
        history = dialect.history(fields)
        before = prefixes(dialect, history)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ProxyError(400, "invalid_history", f"the history cannot be read: {error}") from error
    return Asked(
        id_,
        principal,
        client,
        dialect,
        headers,
        fields,
        tuple(history),
        tuple(before),
        conversation_of(headers, fields),
        injection,
    )


async def pinned(
    services: Services, principal: str, conversation: str, tools: Mapping[str, Managed]
) -> Mapping[str, Managed]:
    """Return the tools as the conversation was first offered them, so that its prefix stays.

    What a server changes takes effect in new conversations.
    """
    if not conversation or not tools:
        return tools
    age = services.config.continuity.lasts
    offered = msgspec.json.encode(tools)
    if await services.store.add(_PINNED, principal, conversation, offered, age):
        return tools
    body = await services.store.get(_PINNED, principal, conversation, age)
    return msgspec.json.decode(body, type=dict[str, Managed]) if body else tools


async def known(services: Services, request: Asked) -> tuple[Guides, Checkpoint, bool]:
    """Return what equal requests have left behind, and whether the conversation has hidden rounds.

    Refused turns with what was answered to them, by their places in the history; and the hidden
    rounds that can be gone on from.
    """
    config = services.config
    end = len(request.history)
    places = range(max(end - 1, 0), end + 1) if config.mediation.guidance_memory else ()
    keys = [guidance_key(request, request.prefixes[place]) for place in places]
    wanted = [(GUIDANCE, key, config.continuity.guidance_ttl) for key in keys]
    wanted.append((CHECKPOINT, request.digest, config.continuity.journal_ttl))
    wanted.append((HIDDEN, hidden_key(request), config.continuity.lasts))
    *told, kept, hides = await services.store.get_each(request.principal, wanted)
    guides: Guides = {}
    for place, body in zip(places, told, strict=True):
        if body and not _answered_at(request, place):
            guides[place] = _MESSAGES.decode(body)
    return guides, _CHECKPOINT.decode(kept) if kept else Checkpoint(()), hides is not None


def hidden_key(request: Asked) -> str:
    """Return what the conversation is known by; without a key of its client's it has none."""
    return f"{request.dialect.NAME} {request.conversation}" if request.conversation else ""


def guidance_key(request: Asked, prefix: str) -> str:
    return digest([request.dialect.NAME, request.conversation, prefix])


def _answered_at(request: Asked, place: int) -> bool:
    """Whether the model has spoken at the place since."""
    return any(one.start == place for one in request.dialect.stretches(request.history))


def visible(request: Asked, rounds: Sequence[Round]) -> Stretch:
    """Return the answer as the client will repeat it."""
    end = len(request.history)
    calls = [rounds[-1].turn.calls[place] for place in rounds[-1].release]
    return Stretch(end, end, "".join(one.text for one in rounds), tuple(calls))


def anchors(request: Asked, rounds: Sequence[Round]) -> tuple[tuple[str, ...], str, str, str]:
    stretch = visible(request, rounds)
    place = place_of(request.dialect, request.history, stretch, request.prefixes)
    return place.anchors, place.calls, place.prefix, place.previous

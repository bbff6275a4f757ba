"""Calls with side effects, each made once: over retries, disconnects and the end of the process."""

import asyncio
import time
from typing import Any

import msgspec
from msgspec.structs import replace

from agent_cli.proxy.config import Config
from agent_cli.proxy.envelopes import Envelope, ProxyError, failure
from agent_cli.proxy.managed import Identity, Managed, ManagedTools
from agent_cli.proxy.sentences import sentence
from agent_cli.proxy.store import Journaled, Store

_PAUSE = 0.05
"""Seconds between two looks at a call that another request has begun."""
_JOURNAL = "journal"


class Journal:
    """Shared by all requests of this process, and by its store with all other processes."""

    def __init__(self, tools: ManagedTools, store: Store, config: Config, owner: str) -> None:
        self._tools = tools
        self._store = store
        self._config = config
        self._owner = owner
        self._running: set[str] = set()

    async def once(self, tool: Managed, arguments: dict[str, Any], whose: Identity) -> Envelope:
        """Call it, unless that was done before; raises ProxyError(409) while it is being done."""
        begun = Journaled(self._owner, tool.name)
        ttl = self._config.continuity.journal_ttl
        body = msgspec.json.encode(begun)
        if not await self._store.add(_JOURNAL, whose.principal, whose.key, body, ttl):
            earlier = await self._earlier(tool, whose)
            if earlier is not None:
                return earlier
        self._running.add(whose.key)
        try:
            envelope = await self._tools.call(tool, arguments, whose)
            done = msgspec.json.encode(replace(begun, envelope=envelope))
            await self._store.put(_JOURNAL, whose.principal, whose.key, done)
        finally:
            self._running.discard(whose.key)
        return envelope

    async def _earlier(self, tool: Managed, whose: Identity) -> Envelope | None:
        """Return what came of the very same call of an equal request; None to make it again."""
        wait = self._config.limits.duplicate_wait
        deadline = time.monotonic() + wait
        while True:
            row = await self._store.get(_JOURNAL, whose.principal, whose.key, float("inf"))
            if row is None:
                return None
            known = msgspec.json.decode(row, type=Journaled)
            if known.envelope is not None:
                return known.envelope
            if not await self._goes_on(known, whose.key):
                break
            if time.monotonic() > deadline:
                raise ProxyError(
                    409,
                    "duplicate_in_flight",
                    "the same request is being answered: ask again when that has ended",
                    headers={"retry-after": "5"},
                )
            await asyncio.sleep(_PAUSE)
        if tool.idempotent:
            return None
        return failure("unknown_outcome", sentence("unknown_outcome"), 500)

    async def _goes_on(self, known: Journaled, key: str) -> bool:
        if known.owner == self._owner:
            return key in self._running
        return await self._store.alive(known.owner)

"""Executes managed calls: checked, in order, within time, and none with a side effect twice.

Calls that only read run at the same time where they stand next to each other. A call with a side
effect is written into the journal before and after; it is ended even when the client has gone.
"""

import asyncio
import time
from collections.abc import Sequence
from hashlib import sha256
from itertools import groupby
from typing import Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from agent_cli.proxy.arguments import parsed, violations
from agent_cli.proxy.audit import Audit
from agent_cli.proxy.background import Background
from agent_cli.proxy.config import Config
from agent_cli.proxy.dialects.turns import Call
from agent_cli.proxy.envelopes import Envelope, failure
from agent_cli.proxy.injection import signature
from agent_cli.proxy.journal import Journal
from agent_cli.proxy.managed import Identity, Managed, ManagedTools
from agent_cli.proxy.sentences import sentence
from agent_cli.proxy.store import Store
from agent_cli.types.errors import ToolError

_EXCERPT = 1_000
"""Characters of arguments that cannot be read."""
_SOFT = 0.9
"""Of the total time, after which nothing new is begun."""


class Ledger(Struct):
    """What one request has executed so far."""

    request_id: str
    principal: str
    digest: str
    """Of the request: the same for a repeated one."""
    traceparent: str = ""
    """Where the request stands in its client's trace."""
    began: float = 0.0
    """When the first managed call was made, by the monotonic clock."""
    executed: list[str] = field(default_factory=list[str])
    effects: int = 0
    """How many of those may have changed something."""
    seen: dict[str, tuple[int, Envelope]] = field(default_factory=dict[str, tuple[int, Envelope]])
    last: str = ""
    streak: int = 0
    trace: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    unknown: int = 0
    """Calls of tools that there are not."""


class Executor:
    """Shared by all requests."""

    def __init__(
        self, tools: ManagedTools, store: Store, audit: Audit, config: Config, owner: str
    ) -> None:
        self._tools = tools
        self._audit = audit
        self._config = config
        self._journal = Journal(tools, store, config, owner)
        self.background = Background()
        """Calls with side effects, which are ended whatever becomes of their client."""

    def late(self, ledger: Ledger) -> bool:
        """Whether nothing new should be begun in this request."""
        limit = self._config.limits.total_timeout * _SOFT
        return bool(ledger.began) and time.monotonic() - ledger.began > limit

    async def run(
        self,
        batch: Sequence[tuple[Call, Managed | None]],
        ledger: Ledger,
        round_: int,
        *,
        stop: bool = False,
    ) -> list[Envelope]:
        """Return a result for each call, in order; with `stop`, make none after one that failed.

        Raises ProxyError(409).
        """
        ledger.began = ledger.began or time.monotonic()
        found: list[Envelope] = []
        numbered = list(enumerate(batch))
        if stop:
            return await self._until_failure(numbered, ledger, round_)
        for reads, run in groupby(numbered, key=lambda one: _reads(one[1][1])):
            calls = [(call, tool, (round_, place)) for place, (call, tool) in run]
            if reads:
                found += await self._together(calls, ledger)
            else:
                found += [await self._one(call, tool, ledger, at) for call, tool, at in calls]
        return found

    async def _until_failure(
        self,
        numbered: Sequence[tuple[int, tuple[Call, Managed | None]]],
        ledger: Ledger,
        round_: int,
    ) -> list[Envelope]:
        found: list[Envelope] = []
        for place, (call, tool) in numbered:
            if found and not found[-1].ok:
                said = sentence("earlier_call_failed")
                found.append(failure("earlier_call_failed", said, 424))
            else:
                found.append(await self._one(call, tool, ledger, (round_, place)))
        return found

    async def _together(
        self, calls: Sequence[tuple[Call, Managed | None, tuple[int, int]]], ledger: Ledger
    ) -> list[Envelope]:
        room = asyncio.Semaphore(self._config.limits.parallel)

        async def one(call: Call, tool: Managed | None, at: tuple[int, int]) -> Envelope:
            async with room:
                return await self._one(call, tool, ledger, at)

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(*call)) for call in calls]
        return [task.result() for task in tasks]

    async def _one(
        self, call: Call, tool: Managed | None, ledger: Ledger, place: tuple[int, int]
    ) -> Envelope:
        began = time.monotonic()
        round_, index = place
        name = tool.name if tool else call.name
        envelope, repeated = await self._answer(call, tool, ledger, round_)
        about: dict[str, object] = {
            "round": round_,
            "index": index,
            "call_id": call.id,
            "canonical": name,
            "service": tool.service if tool else "",
            "transport": tool.transport if tool else "",
            "args_digest": _digest(call.arguments),
            "latency_ms": round((time.monotonic() - began) * 1000),
            "status": envelope.code or "ok",
            "status_code": envelope.status,
            "bytes": len(envelope.text),
            "truncated": envelope.truncated,
            "cached": bool(repeated),
        }
        self._audit.write("managed_call", ledger.request_id, **about)
        shown = {"name": name, "arguments": call.arguments, "result": envelope.text}
        ledger.trace.append({**about, **shown, "duplicate_of_round": repeated or None})
        return envelope

    async def _answer(
        self, call: Call, tool: Managed | None, ledger: Ledger, round_: int
    ) -> tuple[Envelope, int]:
        """Return the result, and of which earlier round it is, if it is one."""
        if tool is None:
            ledger.unknown += 1
            return failure("unsupported_tool", sentence("unsupported_tool"), 404), 0
        try:
            arguments = parsed(call.arguments)
        except ToolError as error:
            written = {"arguments": call.arguments[:_EXCERPT]}
            return failure("invalid_arguments", str(error), 400, written), 0
        if wrong := self._violations(arguments, tool):
            said = sentence("schema_validation")
            return failure("schema_validation", said, 400, {"violations": wrong}), 0
        same = signature(tool.name, arguments)
        ledger.streak = ledger.streak + 1 if same == ledger.last else 1
        ledger.last = same
        if same in ledger.seen and not tool.volatile:
            number, envelope = ledger.seen[same]
            return _again(envelope, number), number
        if self.late(ledger):
            details = {"soft_deadline": True, "data_may_be_stale": True}
            said = sentence("tool_budget_exhausted")
            return failure("tool_budget_exhausted", said, 429, details), 0
        envelope = await self._execute(tool, arguments, ledger, f"{round_}:{_digest(same)}")
        ledger.executed.append(tool.name)
        ledger.effects += not tool.read_only
        ledger.seen[same] = (round_, envelope)
        return envelope, 0

    def _violations(self, arguments: dict[str, Any], tool: Managed) -> list[dict[str, str]]:
        if not self._config.mediation.schema_validation:
            return []
        return violations(arguments, msgspec.json.decode(tool.schema))

    async def _execute(
        self, tool: Managed, arguments: dict[str, Any], ledger: Ledger, key: str
    ) -> Envelope:
        key = _digest(f"{ledger.principal} {ledger.digest} {key}")
        whose = Identity(ledger.principal, key, ledger.traceparent)
        if tool.read_only:
            return await self._tools.call(tool, arguments, whose)
        return await self.background.end(self._journal.once(tool, arguments, whose))


def _reads(tool: Managed | None) -> bool:
    return tool is None or tool.read_only


def _again(envelope: Envelope, round_: int) -> Envelope:
    """Return the result with a word that it is not a new one."""
    marked = f'{{"duplicate_of_round":{round_},{envelope.text[1:]}'
    return replace(envelope, text=marked)


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]

"""Refuses a reply whose calls cannot be executed in the model's order."""

from collections.abc import Container, Sequence

import msgspec
from msgspec import Raw, Struct

from agent_cli.proxy.dialects.turns import Call, Turn
from agent_cli.proxy.envelopes import Envelope, ProxyError, Refused, failure
from agent_cli.proxy.mediation import Kind, Plan
from agent_cli.proxy.remembering import Memory
from agent_cli.proxy.request import GUIDANCE, Asked, Services, guidance_key
from agent_cli.proxy.store import Kept

_CODES = {Kind.UNSAFE: "mixed_tool_order", Kind.TERMINAL_ORDER: "terminal_on_success_order"}


class Attempt(Struct, frozen=True):
    """A reply that is sent back or refused, and what had happened before it."""

    turn: Turn
    made: Plan
    owned: Container[str]
    round: int
    retried: int
    executed: tuple[str, ...]

    @property
    def refused(self) -> Refused:
        about: list[tuple[bool, dict[str, object]]] = [
            (call.name in self.owned, {"id": call.id, "name": call.shown_name, "index": place})
            for place, call in enumerate(self.turn.calls)
        ]
        return Refused(
            _CODES[self.made.kind],
            tuple(one for ours, one in about if ours),
            tuple(one for ours, one in about if not ours),
            round=self.round,
            attempts=self.retried + 1,
            prior_managed=self.executed,
        )

    @property
    def rejections(self) -> list[tuple[Call, Envelope]]:
        """What the model reads: the same for every call, none of which was executed."""
        refused = self.refused
        details = {"tools_executed": False, "required_order": "managed_first"}
        envelope = failure(refused.code, refused.message, 409, details)
        return [(call, envelope) for call in self.turn.calls]


async def refusal(services: Services, memory: Memory, attempt: Attempt) -> ProxyError:
    """Return what the client is told; the model is told when the request comes again."""
    request, refused = memory.request, attempt.refused
    told = tuple(_messages(request, attempt))
    if services.config.mediation.guidance_memory and memory.kept:
        await memory.keep(Kept(attempt.turn, told, tuple(attempt.rejections)))
    elif services.config.mediation.guidance_memory:
        key = guidance_key(request, request.prefixes[-1])
        body = msgspec.json.encode(told)
        await services.store.put(GUIDANCE, request.principal, key, body)
    error = ProxyError(
        400,
        refused.code,
        f"{refused.code}: {refused.message}",
        details=refused.details,
        headers={"x-should-retry": "false"},
    )
    services.audit.write(
        "mediation_failure",
        request.id,
        code=refused.code,
        http_status=error.status,
        managed_calls=refused.managed,
        native_calls=refused.native,
        executed=False,
    )
    return error


def _messages(request: Asked, attempt: Attempt) -> Sequence[Raw]:
    dialect, turn = request.dialect, attempt.turn
    said = dialect.said(turn, tuple(range(len(turn.calls))))
    return [*said, *dialect.answered(attempt.rejections)]

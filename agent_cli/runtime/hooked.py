"""What hooks are told at each event, and what follows from their objections.

Every hook gets `session_id`, `cwd` and `hook_event_name`; the names follow the field. Beyond them:

SessionStart      source (startup or resume)
UserPromptSubmit  prompt
PreToolUse        tool_name, tool_use_id, tool_input
PostToolUse       the same, and tool_response: outcome, content
PreCompletion     tool_use_id, result, command
TurnSettled       calls: a list of tool_name, tool_use_id, outcome
SessionEnd        nothing more
"""

from collections.abc import Mapping

import msgspec

from agent_cli.hooks.runner import Hooks, Objection
from agent_cli.runtime.prepare import Prepared
from agent_cli.runtime.session import Session
from agent_cli.settings.schema import HookEvent
from agent_cli.tools.base import Complete
from agent_cli.types.errors import HookError
from agent_cli.types.messages import AssistantMessage, ToolResult
from agent_cli.types.outcomes import Code, Outcome


class Hooked:
    """The hooks of one session, told in its words."""

    def __init__(self, session: Session, hooks: Hooks) -> None:
        self._session = session
        self._hooks = hooks
        self._begun = False

    async def submit(self, text: str) -> None:
        """Let hooks see what the user says, the first time also that there is a session.

        Raises HookError if one forbids it.
        """
        if not self._begun:
            source = "resume" if self._session.state.task.messages else "startup"
            self._raise(await self._tell("SessionStart", {"source": source}))
            self._begun = True
        self._raise(await self._tell("UserPromptSubmit", {"prompt": text}))

    async def before(self, prepared: Prepared) -> Objection | None:
        name = prepared.call.name
        return await self._tell("PreToolUse", _about(prepared), name)

    async def after(self, prepared: Prepared, result: ToolResult) -> ToolResult:
        """Return the result, failed if a hook objects to it: what was done stands."""
        if not self._hooks.listens("PostToolUse"):
            return result
        response = {"outcome": result.outcome, "content": result.content}
        facts = {**_about(prepared), "tool_response": response}
        objection = await self._tell("PostToolUse", facts, prepared.call.name)
        if objection is None:
            return result
        content = "\n\n".join(filter(None, (objection.reason, result.content)))
        return msgspec.structs.replace(
            result, outcome=Outcome.FAILED, code=Code.HOOK, content=content
        )

    async def completion(self, call_id: str, complete: Complete) -> ToolResult | None:
        """Return the failed result of a completion that a hook forbids."""
        facts = {"tool_use_id": call_id, "result": complete.result, "command": complete.command}
        objection = await self._tell("PreCompletion", facts)
        if objection is None:
            return None
        return ToolResult(call_id, Outcome.FAILED, Code.HOOK, objection.reason)

    async def settled(self, *, going_on: bool) -> None:
        """Tell that every call of the last message has its result.

        Raises HookError if a hook forbids going on; one that does not go on cannot be stopped.
        """
        messages = self._session.state.task.messages
        if not (self._hooks.listens("TurnSettled") and isinstance(messages[-1], ToolResult)):
            return
        said = next(one for one in reversed(messages) if isinstance(one, AssistantMessage))
        outcomes = {one.call_id: one.outcome for one in messages if isinstance(one, ToolResult)}
        calls = [
            {"tool_name": call.name, "tool_use_id": call.id, "outcome": outcomes[call.id]}
            for call in said.calls
        ]
        objection = await self._tell("TurnSettled", {"calls": calls})
        if going_on:
            self._raise(objection)

    async def end(self) -> None:
        """Tell that the session is over, if it had begun; nothing is left to be forbidden."""
        if self._begun:
            await self._tell("SessionEnd", {})

    async def _tell(
        self, event: HookEvent, facts: Mapping[str, object], subject: str = ""
    ) -> Objection | None:
        started = self._session.state.session
        assert started is not None
        common = {"session_id": started.id, "cwd": started.cwd}
        return await self._hooks.run(event, {**common, **facts}, subject)

    @staticmethod
    def _raise(objection: Objection | None) -> None:
        if objection is not None:
            raise HookError(objection.reason)


def _about(prepared: Prepared) -> dict[str, object]:
    return {
        "tool_name": prepared.call.name,
        "tool_use_id": prepared.call.id,
        "tool_input": msgspec.to_builtins(prepared.arguments),
    }

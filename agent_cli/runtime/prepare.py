"""From a call's text to something that could run: tool, arguments, mode, effects."""

import json
import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from agent_cli.approval.policy import Policy
from agent_cli.context.customs import Customs
from agent_cli.context.modes import Mode, allows
from agent_cli.hooks.runner import Hooks
from agent_cli.processes.run import Processes
from agent_cli.runtime.keeper import Keeper
from agent_cli.tools.base import AnyTool, ToolArguments, ToolContext
from agent_cli.types.approval import Preview
from agent_cli.types.effects import Effect
from agent_cli.types.errors import ToolError
from agent_cli.types.messages import ToolCall, ToolResult
from agent_cli.types.outcomes import Code, Outcome
from agent_cli.workspace.gate import Workspace

if TYPE_CHECKING:
    from agent_cli.mcp.hub import Hub

T = TypeVar("T")

_ESCAPED = re.compile(r"[\udc80-\udcff]|\\u[dD][cC]")
"""What may be a byte that is not text: a surrogate, or a JSON escape of one."""


class RequiredCheck(Struct, frozen=True):
    """A command that has to pass before the session's task counts as completed."""

    command: str
    asked: bool = False
    """The policy decides whether it may run; otherwise the user has said so already."""


class Toolbox(Struct, frozen=True):
    """What the calls of one session are run with."""

    tools: dict[str, AnyTool]
    policy: Policy
    customs: Customs
    workspace: Workspace
    context: Callable[[ToolCall], ToolContext]
    hooks: Hooks
    processes: Processes
    """To be closed with the session: what its commands left running ends then."""
    servers: "Hub | None" = None
    """To be closed with the session as well; None without servers."""
    keeper: Callable[[str, Workspace], Keeper] | None = None
    """Returns what keeps the changes of a session, by its id; None where nothing is kept."""
    closing: tuple[Callable[[], Awaitable[None]], ...] = ()
    """What else is to be closed with the session, before them."""
    keep_rule: Callable[[str], None] | None = None
    """Writes down a rule for every session to come; raises ConfigurationError."""
    checks: tuple[RequiredCheck, ...] = ()
    demonstrates: bool = True
    """Whether somebody is there to see the command that demonstrates a result."""
    escapes: bool = False
    """Bytes that are not text pass in arguments and results, as surrogates. For a program that
    makes a call; no model is sent such a result, and no journal holds one."""


class Prepared(Struct, frozen=True):
    """A call that could run, if it may."""

    call: ToolCall
    tool: AnyTool
    arguments: ToolArguments
    effects: tuple[Effect, ...]
    context: ToolContext

    def look(self) -> "Seen":
        """Look afresh at what the call would do, and make what the user is shown of it."""
        effects = self.tool.effects(self.arguments, self.context)
        return effects, self.tool.preview(self.arguments, self.context)


Seen: TypeAlias = tuple[tuple[Effect, ...], Preview]
"""What a call would do, and what the user is shown of it."""


def failed(call: ToolCall, code: Code | None, content: str = "") -> ToolResult:
    return ToolResult(call.id, Outcome.FAILED, code, content)


def prepare(call: ToolCall, toolbox: Toolbox, mode_slug: str) -> Prepared | ToolResult:
    """Return the call ready to be judged, or its result if it cannot run."""
    tool = toolbox.tools.get(call.name)
    if tool is None:
        return failed(call, Code.UNKNOWN_TOOL, f"{call.name!r}; tools: {', '.join(toolbox.tools)}")
    mode = toolbox.customs.modes.find(mode_slug)
    if not allows(mode, tool.kind):
        return failed(call, Code.FORBIDDEN, f"{call.name} in mode {mode.slug}")
    prepared = attempt(call, lambda: _prepared(call, tool, toolbox, mode))
    if isinstance(prepared, ToolResult):
        return prepared
    forbidden = [effect.target for effect in prepared.effects if not mode.permits(effect)]
    if forbidden:
        return failed(call, Code.FORBIDDEN, f"{', '.join(forbidden)} in mode {mode.slug}")
    return prepared


def prepare_for_user(call: ToolCall, toolbox: Toolbox) -> Prepared | ToolResult:
    """Do the same for a call of the user's own: modes restrict the model, not them."""
    tool = toolbox.tools.get(call.name)
    if tool is None:
        return failed(call, Code.UNKNOWN_TOOL, call.name)
    return attempt(call, lambda: _prepared(call, tool, toolbox, None))


def attempt(call: ToolCall, work: Callable[[], T]) -> T | ToolResult:
    """Run a tool's code; whatever it raises becomes the call's failed result."""
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - a tool's bug fails its call, nothing more
        return failure(call, error)


def failure(call: ToolCall, error: Exception) -> ToolResult:
    """Return the result of a call whose tool raised."""
    if isinstance(error, ToolError):
        return failed(call, error.code, str(error))
    import logging  # noqa: PLC0415 - 4 ms, and only for a bug

    log = logging.getLogger(__name__)
    log.error("%s failed with a bug", call.name, exc_info=error)
    return failed(call, None, f"internal error in {call.name}: {error!r}")


def _prepared(call: ToolCall, tool: AnyTool, toolbox: Toolbox, mode: Mode | None) -> Prepared:
    arguments = parse_arguments(call.arguments, tool, escapes=toolbox.escapes)
    context = replace(toolbox.context(call), mode=mode.slug if mode else "")
    if mode is not None and mode.confines_commands:
        context = replace(context, processes=context.processes.reading())
    return Prepared(call, tool, arguments, tool.effects(arguments, context), context)


def parse_arguments(text: str, tool: AnyTool, *, escapes: bool = False) -> Any:
    """Parse strictly: wrong types, unknown fields and repeated keys are ToolErrors."""
    text = text.strip() or "{}"
    text = "{}" if text == "null" else text
    try:
        value = json.loads(text, object_pairs_hook=_unique)
        if escapes and _ESCAPED.search(text):
            return msgspec.convert(_as_names(value), type=tool.arguments)
        return msgspec.json.decode(text, type=tool.arguments)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise ToolError(f"{tool.name}: {error}", Code.INVALID_ARGUMENTS) from error


def _as_names(value: Any) -> Any:
    """Spell texts as file names are read: bytes that are text after all must not hide a name."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    if isinstance(value, list):
        return [_as_names(item) for item in value]  # pyright: ignore[reportUnknownVariableType] - Any
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {key: _as_names(item) for key, item in members.items()}
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        repeated = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"repeated keys: {', '.join(repeated)}")
    return members

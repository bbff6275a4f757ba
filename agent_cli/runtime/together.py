"""The calls of a message that are asked about together.

When the first one needs an answer, those that come later and need one too are looked at as well,
each as if the earlier ones had done what they show. Nothing is changed by that: previews see
files in a copy of the workspace that holds already what they will hold. What a command will do to
files cannot be foreseen; if that makes a difference, its call is asked about again.
"""

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from agent_cli.approval.policy import Judgement
from agent_cli.engine.ahead import coming, verdict_on
from agent_cli.engine.task import State
from agent_cli.runtime.prepare import Prepared, Seen, Toolbox, attempt, prepare
from agent_cli.tools.base import ToolContext
from agent_cli.types.approval import Decision, Diff
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.messages import ToolCall, ToolResult


class Asked(Struct, frozen=True):
    """A call with what is shown of it."""

    prepared: Prepared
    seen: Seen
    judgement: Judgement


class Together(Struct, frozen=True):
    """What goes along with the call that is asked about first."""

    asked: tuple[Asked, ...] = ()
    unasked: tuple[Kind, ...] = ()
    """What later calls do that need no answer."""


def digest(seen: Seen) -> str:
    """Return what tells whether the same would be shown again."""
    from hashlib import sha256  # noqa: PLC0415 - 5 ms, only for what is asked about

    effects, preview = seen
    if isinstance(preview, Diff):  # the rest of the file is nobody's concern
        preview = replace(preview, after=b"")
    return sha256(repr((effects, preview)).encode("utf-8", "backslashreplace")).hexdigest()


async def together(
    first: Seen, state: State, toolbox: Toolbox, judge: Callable[[Prepared], Judgement]
) -> Together:
    """Return what can be asked about now, the first call being shown as given."""
    asked: list[Asked] = []
    unasked: list[Kind] = []
    calls = coming(state)
    for one in _foreseen(first, calls, toolbox, state.task.mode, judge) if calls else ():
        if one.judgement.decision is Decision.ALLOW:
            unasked += [leading(one.seen[0])] if one.seen[0] else []
        elif verdict_on(state.task, one.prepared.call.id) is None and await _ready(one):
            asked.append(one)
    return Together(tuple(asked), tuple(unasked))


def leading(effects: tuple[Effect, ...]) -> Kind:
    """Return what the call does, in one word: the most that it does."""
    order = (Kind.MCP, Kind.NETWORK, Kind.EXECUTE, Kind.WRITE, Kind.READ)
    kinds = {effect.kind for effect in effects}
    return next((kind for kind in order if kind in kinds), Kind.ALWAYS)


def _foreseen(
    first: Seen,
    calls: tuple[ToolCall, ...],
    toolbox: Toolbox,
    mode: str,
    judge: Callable[[Prepared], Judgement],
) -> Iterator[Asked]:
    contents = _contents(first)
    for call in calls:
        prepared = prepare(call, _foreseeing(toolbox, contents), mode)
        if isinstance(prepared, ToolResult):
            continue  # it fails when it comes up, or can be looked at by then
        judgement = judge(prepared)
        seen = attempt(call, prepared.look)
        if judgement.decision is Decision.DENY or isinstance(seen, ToolResult):
            continue
        contents |= _contents(seen)
        yield Asked(prepared, seen, judgement)
        if any(effect.kind is Kind.MODE for effect in seen[0]):
            return  # what it switches to decides what can be done


def _contents(seen: Seen) -> dict[str, bytes]:
    """Return what the call leaves in files, as far as that is shown."""
    preview = seen[1]
    return {preview.path: preview.after} if isinstance(preview, Diff) else {}


def _foreseeing(toolbox: Toolbox, contents: dict[str, bytes]) -> Toolbox:
    workspace = toolbox.workspace.foreseeing(contents)

    def context(call: ToolCall) -> ToolContext:
        return replace(toolbox.context(call), workspace=workspace)

    return replace(toolbox, context=context)


async def _ready(one: Asked) -> bool:
    try:
        await one.prepared.context.processes.ready()
    except OSError:  # it fails when it comes up
        return False
    return True

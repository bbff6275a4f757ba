"""One call, from the model's words to its one result.

The way of a call: prepare (tool, arguments, mode, effects), permit (policy, user), record the
start, run, record the end. Whatever goes wrong on the way becomes the result.
"""

import msgspec
from msgspec.structs import replace

from agent_cli.engine.state import is_repeated
from agent_cli.engine.steps import Dispatch
from agent_cli.runtime.checks import failed_checks, patient
from agent_cli.runtime.completion import settle_completion
from agent_cli.runtime.frontend import Frontend
from agent_cli.runtime.hooked import Hooked
from agent_cli.runtime.keeping import Keeping
from agent_cli.runtime.permission import Permission, Permitted
from agent_cli.runtime.prepare import (
    Prepared,
    RequiredCheck,
    Toolbox,
    failure,
    prepare,
    prepare_for_user,
)
from agent_cli.runtime.reads import READING, Reads
from agent_cli.runtime.session import Session
from agent_cli.runtime.stopwatch import Clocked, Stopwatch
from agent_cli.tools.base import (
    Blocks,
    Complete,
    Failure,
    Output,
    Ran,
    StartTask,
    SwitchMode,
    Todos,
)
from agent_cli.types.effects import changes_the_world
from agent_cli.types.entries import (
    CallFinished,
    CallStarted,
    ModeSwitched,
    TodosUpdated,
)
from agent_cli.types.messages import ToolCall, ToolResult
from agent_cli.types.outcomes import Code, Outcome

COMMAND = "execute_command"
"""The tool that runs the command that demonstrates a result, and checks."""


class Dispatcher:
    """Runs the calls of one session, one after the other."""

    def __init__(self, session: Session, toolbox: Toolbox, frontend: Frontend) -> None:
        self.hooked = Hooked(session, toolbox.hooks)
        keeper = None
        if toolbox.keeper is not None and session.state.session is not None:
            keeper = toolbox.keeper(session.state.session.id, toolbox.workspace)
        self.keeping = Keeping(session, toolbox.workspace, keeper, frontend.emit)
        self._session = session
        self.toolbox = toolbox
        self._watch = Stopwatch()
        self._frontend = Clocked(frontend, self._watch)
        self._permission = Permission(session, toolbox, self.hooked, self._frontend)

    async def close(self) -> None:
        """End what the calls left running."""
        await self.keeping.close()
        if self.toolbox.servers is not None:
            await self.toolbox.servers.close()
        try:
            for close in self.toolbox.closing:
                await close()
        finally:
            await self.toolbox.processes.close()

    async def dispatch(self, step: Dispatch) -> StartTask | None:
        """Give the call its result, whatever happens; only cancellation and our bugs escape.

        Return the task whose result will be the call's, if it wants one to be done.
        """
        self._watch.stop()
        permitted = await self._permitted(step)
        if isinstance(permitted, ToolResult):
            self._finish(permitted)
            return None
        prepared = permitted.prepared
        effectful = changes_the_world(prepared.effects)
        self._session.append(CallStarted(step.call.id, effectful))
        self._watch.start()
        try:
            await self.keeping.before(prepared)
            if effectful:
                self._session.sync()
            return await self._carried_out(step, permitted)
        except BaseException:
            self.keeping.settle()
            raise

    async def _carried_out(self, step: Dispatch, permitted: Permitted) -> StartTask | None:
        prepared = permitted.prepared
        reads = Reads() if prepared.tool.name == READING else None
        output = await self._run(prepared, reads)
        if isinstance(output, StartTask):
            return output
        if isinstance(output, Complete):
            await self._complete(step.call, output)
            return None
        result = self._record(step, output, permitted)
        result = await self.hooked.after(prepared, result)
        await self.keeping.after()
        self._finish(result, reads)
        return None

    async def _permitted(self, step: Dispatch) -> Permitted | ToolResult:
        prepared = prepare(step.call, self.toolbox, self._session.state.task.mode)
        if isinstance(prepared, ToolResult):
            return prepared
        return await self._permission.permit(prepared, repeats=step.repeats)

    def _record(
        self, step: Dispatch, output: Output | ToolResult, permitted: Permitted
    ) -> ToolResult:
        if isinstance(output, Todos):
            self._session.append(TodosUpdated(output.items))
        if isinstance(output, SwitchMode):
            self._session.append(ModeSwitched(output.mode))
        result = output if isinstance(output, ToolResult) else _result(step.call, output)
        if permitted.comment:
            result = replace(result, content=f"{permitted.comment}\n\n{result.content}")
        if result.outcome is Outcome.OK and is_repeated(
            self._session.state.task, step.call, result
        ):
            result = replace(result, code=Code.REPEATED)
        return result

    async def _complete(self, call: ToolCall, complete: Complete) -> None:
        async def demonstrate(command: str) -> ToolResult:
            return await self._demonstrate(call, command)

        async def run_check(check: RequiredCheck) -> ToolResult:
            return await self._check(call, check)

        refused = await self.hooked.completion(call.id, complete)
        if refused is None and not self._session.state.task.parent_call_id:
            checks = self.toolbox.checks
            refused = await failed_checks(call.id, checks, run_check, self._session, self._frontend)
        if refused is not None:
            self._finish(refused)
            return
        task = self._session.state.task
        entry = await settle_completion(call.id, complete, demonstrate, self._frontend, task)
        self._session.append(replace(entry, seconds=self._watch.stop()))

    async def _check(self, call: ToolCall, check: RequiredCheck) -> ToolResult:
        prepared = prepare_for_user(_command(call, check.command), self.toolbox)
        if isinstance(prepared, ToolResult):
            return prepared
        permit = self._permission.permit_check
        return await self._run_inside(await permit(patient(prepared), asked=check.asked))

    async def _demonstrate(self, call: ToolCall, command: str) -> ToolResult:
        if not self.toolbox.demonstrates:
            return ToolResult(call.id, Outcome.DENIED, Code.NOBODY_TO_ASK)
        inner = _command(call, command)
        prepared = prepare(inner, self.toolbox, self._session.state.task.mode)
        if isinstance(prepared, ToolResult):  # a mode without commands: the result stands
            return replace(prepared, outcome=Outcome.DENIED)
        return await self._run_inside(await self._permission.permit_inside(prepared))

    async def _run_inside(self, permitted: Permitted | ToolResult) -> ToolResult:
        if isinstance(permitted, ToolResult):
            return permitted
        await self.keeping.before(permitted.prepared)
        self._session.sync()
        output = await self._run(permitted.prepared)
        await self.keeping.after()
        if isinstance(output, ToolResult):
            return output
        return _result(permitted.prepared.call, output)

    def _finish(self, result: ToolResult, reads: Reads | None = None) -> None:
        if not self.toolbox.escapes:
            result = replace(result, content=_as_text(result.content))
        read = reads.found if reads and result.outcome is Outcome.OK else ()
        self._session.append(CallFinished(result, seconds=self._watch.stop(), read=read))

    async def _run(self, prepared: Prepared, reads: Reads | None = None) -> Output | ToolResult:
        async def ask(question: str, suggestions: tuple[str, ...]) -> str:
            return await self._watch.without(prepared.context.ask(question, suggestions))

        targets = [effect.target for effect in prepared.effects]
        witness = reads.saw if reads is not None else None
        workspace = prepared.context.workspace.granting(targets, witness)
        context = replace(prepared.context, workspace=workspace, ask=ask)
        try:
            return await prepared.tool.run(prepared.arguments, context)
        except Exception as error:  # noqa: BLE001 - a tool's bug fails its call, nothing more
            return failure(prepared.call, error)


def _command(call: ToolCall, command: str) -> ToolCall:
    """Return the call that runs a command on behalf of another one."""
    arguments = msgspec.json.encode({"command": command}).decode()
    return replace(call, name=COMMAND, arguments=arguments)


def _result(call: ToolCall, output: Output) -> ToolResult:
    match output:
        case str():
            return ToolResult(call.id, Outcome.OK, None, output)
        case Blocks(text, images):
            return ToolResult(call.id, Outcome.OK, None, text, images)
        case Ran(text, exit_code):
            return ToolResult(call.id, Outcome.OK, None, text, exit_code=exit_code)
        case Todos(text=text) | SwitchMode(text=text):
            return ToolResult(call.id, Outcome.OK, None, text)
        case Failure(text):
            return ToolResult(call.id, Outcome.FAILED, None, text)
        case Complete(result) | StartTask(message=result):
            return ToolResult(call.id, Outcome.OK, None, result)


def _as_text(content: str) -> str:
    """Show bytes of a file name that are not text: neither journal nor wire can hold them."""
    if content.isascii():
        return content
    return content.encode("utf-8", "backslashreplace").decode()

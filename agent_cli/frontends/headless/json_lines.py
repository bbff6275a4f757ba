"""`stream-json`: one JSON object a line on standard output; the last one is always `result`.

Every line has `v`, `type`, `seq`, `ts`, `session_id` and `turn`. Types: init, message, turn,
tool_use, tool_result, task_started, check, files_restored, completion_result, compacted, error,
result. Characters are JSON-escaped. Every call has one tool_use, when it starts or, if it never
does, before its tool_result. The calls of a subtask stand between the two of the call that started
it, and checks between those of the completion that they belong to.
"""

from typing import TypeAlias

import msgspec

from agent_cli.engine.evidence import root_evidence
from agent_cli.engine.task import State
from agent_cli.frontends.headless.nobody import NobodyThere
from agent_cli.frontends.headless.registry import Ending
from agent_cli.frontends.headless.streams import put
from agent_cli.sessions.journal import timestamp
from agent_cli.types.entries import (
    AssistantSaid,
    CallFinished,
    CallStarted,
    CheckRun,
    FilesRestored,
    HistoryCompacted,
    Interrupted,
    TaskStarted,
    UserSaid,
)
from agent_cli.types.events import (
    Appended,
    CompletionResult,
    Event,
    Notice,
    Retrying,
    SessionOpened,
)
from agent_cli.types.messages import AssistantMessage, ToolCall, ToolResult

VERSION = 1

Fields: TypeAlias = dict[str, object]


class JsonLines(NobodyThere):
    """For programs that follow along."""

    def __init__(self) -> None:
        self._seq = 0
        self._turn = 0
        self._session = ""
        self._calls: dict[str, ToolCall] = {}
        self._started: set[str] = set()

    def emit(self, event: Event) -> None:
        match event:
            case SessionOpened():
                self._begin(event)
            case Appended(entry=entry):
                self._entry(entry)
            case CompletionResult(call_id, result, command, subtask, evidence):
                done: Fields = {"id": call_id, "result": result, "command": command}
                shown = msgspec.to_builtins(evidence)
                self._write("completion_result", subtask=subtask, evidence=shown, **done)
            case Retrying(attempt, delay, reason, left=None):
                fields: Fields = {"attempt": attempt, "delay": delay, "message": reason}
                self._write("error", fatal=False, **fields)
            case Notice(message):
                self._write("message", role="system", text=message)
            case _:
                pass

    def finish(self, state: State, ending: Ending) -> None:
        if ending.message and ending.exit_status:
            self._write("error", fatal=True, message=ending.message)
        self._write("result", **result_fields(state, ending))

    def _begin(self, opened: SessionOpened) -> None:
        self._session = opened.id
        self._turn = opened.turns
        self._calls = {call.id: call for call in opened.open_calls}
        self._write(
            "init",
            model=opened.model,
            cwd=opened.cwd,
            mode=opened.mode,
            protocol=opened.protocol,
            parallel_tool_calls=opened.parallel_tool_calls,
            tools=opened.tools,
            resumed=opened.resumed,
            capabilities=["multi_call_turns", "completion_guard", "resume"],
        )

    def _entry(self, entry: object) -> None:
        match entry:
            case TaskStarted(mode, parent, message) if parent:
                self._write("task_started", id=parent, mode=mode, message=message)
            case UserSaid(text):
                self._write("message", role="user", text=text)
            case AssistantSaid(message):
                self._said(message)
            case CallStarted(call_id):
                self._started.add(call_id)
                self._tool_use(self._calls[call_id])
            case CallFinished(result):
                self._finished(result)
            case CheckRun(call_id, check):
                ran: Fields = {"command": check.command, "exit_code": check.exit_code}
                self._write("check", id=call_id, passed=check.passed, **ran)
            case FilesRestored(changes, why, conflicts=conflicts):
                paths = [change.path for change in changes]
                self._write("files_restored", why=why, paths=paths, conflicts=conflicts)
            case HistoryCompacted():
                self._write("compacted", **_compacted(entry))
            case Interrupted(reason, detail):
                self._write("error", fatal=False, reason=reason, message=detail)
            case _:
                pass

    def _said(self, message: AssistantMessage) -> None:
        self._turn += 1
        usage = msgspec.to_builtins(message.usage)
        self._write("turn", calls=len(message.calls), usage=usage)
        if message.text:
            self._write("message", role="assistant", text=message.text)
        self._calls |= {call.id: call for call in message.calls}

    def _finished(self, result: ToolResult) -> None:
        call = self._calls.pop(result.call_id)
        if call.id not in self._started:
            self._tool_use(call)
        self._write(
            "tool_result",
            id=call.id,
            name=call.name,
            status=result.outcome,
            code=result.code,
            content=result.content,
        )

    def _tool_use(self, call: ToolCall) -> None:
        self._write("tool_use", id=call.id, name=call.name, arguments=call.arguments)

    def _write(self, type_: str, **fields: object) -> None:
        head: Fields = {"v": VERSION, "type": type_, "seq": self._seq, "ts": timestamp()}
        head |= {"session_id": self._session, "turn": self._turn}
        self._seq += 1
        put(msgspec.json.encode(head | fields).decode())


def _compacted(entry: HistoryCompacted) -> Fields:
    return {
        "by": entry.by,
        "summarised": entry.asked and not entry.fell_back,
        "tokens_before": entry.tokens_before,
        "tokens_after": entry.tokens_after,
        "usage": msgspec.to_builtins(entry.usage),
    }


def result_fields(state: State, ending: Ending) -> Fields:
    """Return what both JSON formats say at the end."""
    task = state.tasks[0] if state.tasks else None
    return {
        "verdict": ending.verdict,
        "exit_status": ending.exit_status,
        "is_error": ending.exit_status != 0,
        "result": task.result if task else None,
        "message": ending.message,
        "num_turns": state.turns,
        "usage": msgspec.to_builtins(state.spent),
        "total_cost_usd": state.spent.cost,
        "limit": state.task.limit if task else None,
        "evidence": msgspec.to_builtins(root_evidence(state.tasks)),
        "permission_denials": [
            {"tool": tool, "target": target} for tool, target in (task.denials if task else ())
        ],
    }


OUTPUT = JsonLines

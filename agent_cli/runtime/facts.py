"""The steps that only record something: which entry says that they were taken."""

from typing import TypeAlias

from agent_cli.engine.steps import Finish, NudgeModel, ReturnToParent, Settle, StopForBudget
from agent_cli.engine.task import State
from agent_cli.runtime.subtasks import returned
from agent_cli.types.entries import BudgetStopped, CallFinished, Entry, Nudged, TaskFinished
from agent_cli.types.messages import ToolResult

Recording: TypeAlias = Settle | NudgeModel | Finish | ReturnToParent | StopForBudget


def fact(step: Recording, state: State) -> Entry:
    match step:
        case Settle(call, outcome, code, detail):
            return CallFinished(ToolResult(call.id, outcome, code, detail))
        case NudgeModel(code):
            return Nudged(code)
        case Finish(result):
            return TaskFinished(result)
        case ReturnToParent():
            return returned(step, state)
        case StopForBudget(limit):
            return BudgetStopped(limit)

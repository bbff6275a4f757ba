"""Why a call did not succeed, in one sentence for people; the model reads its own in English."""

from agent_cli.i18n.catalog import say
from agent_cli.types.messages import ToolResult
from agent_cli.types.outcomes import Code, Outcome


def reason(result: ToolResult) -> str:
    """Return the sentence for the result of a call that was not ok."""
    if result.code is None:
        return _outcomes()[result.outcome]
    if result.outcome is Outcome.SKIPPED and result.code is Code.FAILED_EARLIER:
        return say("not run, because an earlier completion in this message was refused")
    return _codes().get(result.code, f"{result.outcome} ({result.code})")


def _outcomes() -> dict[Outcome, str]:
    return {
        Outcome.OK: "",
        Outcome.FAILED: say("failed"),
        Outcome.DENIED: say("not allowed"),
        Outcome.REJECTED: say("you rejected it"),
        Outcome.SKIPPED: say("not run"),
        Outcome.INTERRUPTED: say("interrupted"),
        Outcome.UNKNOWN: say("it was started, and how it ended is not known"),
    }


def _codes() -> dict[Code, str]:
    return {
        Code.FAILED_EARLIER: say(
            "Cannot execute attempt_completion because a previous tool failed in this turn"
        ),
        Code.REJECTED_EARLIER: say("not run, because you rejected an earlier call"),
        Code.FINISHED: say("not run, because the task is complete"),
        Code.FEEDBACK: say("not run, because you answered with feedback"),
        Code.ONE_CALL_PER_MESSAGE: say("not run, because one call per message is allowed"),
        Code.UNKNOWN_TOOL: say("there is no such tool"),
        Code.FORBIDDEN: say("the mode does not allow it"),
        Code.INVALID_ARGUMENTS: say("its arguments do not fit"),
        Code.CUT_OFF: say("not run, because it was cut off"),
        Code.REPEATED: say("not run again, because its result was the same several times"),
        Code.BLOCKED_PATH: say("the path may not be touched"),
        Code.TIMED_OUT: say("it took too long"),
        Code.UNRESOLVED: say("calls that failed were not made good; /waive lets them stand"),
        Code.OPEN_TODOS: say("steps of the to-do list are open"),
        Code.CHECK_FAILED: say("a check did not pass"),
        Code.STOPPED: say("not run, because an earlier call of the message failed"),
        Code.NOBODY_TO_ASK: say("nobody could be asked"),
        Code.PLANNING: say("plan mode: nothing is changed"),
        Code.POLICY: say("the settings do not allow it"),
    }

"""Names of what can become of a call, and why.

What each outcome means stands in one table, `engine/outcomes.py`.
"""

from enum import StrEnum


class Outcome(StrEnum):
    """The one thing that became of a call."""

    OK = "ok"
    FAILED = "failed"
    DENIED = "denied"
    REJECTED = "rejected"
    SKIPPED = "skipped"
    INTERRUPTED = "interrupted"
    UNKNOWN = "unknown"


class Code(StrEnum):
    """Why a call did not run, failed or ended the task; its sentence is chosen at the edge."""

    FAILED_EARLIER = "failed_earlier"
    REJECTED_EARLIER = "rejected_earlier"
    FINISHED = "finished"
    FEEDBACK = "feedback"
    ONE_CALL_PER_MESSAGE = "one_call_per_message"
    UNKNOWN_TOOL = "unknown_tool"
    FORBIDDEN = "forbidden"
    INVALID_ARGUMENTS = "invalid_arguments"
    CUT_OFF = "cut_off"
    REPEATED = "repeated"
    BLOCKED_PATH = "blocked_path"
    TIMED_OUT = "timed_out"
    UNRESOLVED = "unresolved"
    OPEN_TODOS = "open_todos"
    CHECK_FAILED = "check_failed"
    NOBODY_TO_ASK = "nobody_to_ask"
    POLICY = "policy"
    PLANNING = "planning"
    UNTRUSTED = "untrusted"
    HOOK = "hook"
    STOPPED = "stopped"
    SUBTASK_STARTED = "subtask_started"
    SUBTASK_COMPLETED = "subtask_completed"
    SUBTASK_FAILED = "subtask_failed"
    SUBTASK_CANCELLED = "subtask_cancelled"
    TOO_MANY_SUBTASKS = "too_many_subtasks"
    INTERRUPTED = "interrupted"
    KILLED = "killed"


class Nudge(StrEnum):
    """Why the model is asked to go on without the user having said anything."""

    NO_TOOL = "no_tool"
    EMPTY = "empty"
    CUT_OFF = "cut_off"
    ROLLED_BACK = "rolled_back"
    CALL_ORDER = "call_order"


class Stop(StrEnum):
    """Why a task was interrupted."""

    USER = "user"
    ERROR = "error"
    KILLED = "killed"
    SIGNAL = "signal"


class Limit(StrEnum):
    """Which budget is used up."""

    TURNS = "turns"
    TOKENS = "tokens"
    COST = "cost"
    TIME = "time"

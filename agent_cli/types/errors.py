"""Everything that can go wrong, as one tree.

AgentError
├── InvalidTransitionError    a bug of ours: an entry contradicts the state; never caught
├── ToolError                 a tool could not do it; the model reads the message
│   └── BlockedPathError      the path gate or an ignore file refused
├── WireError                 bytes that are not what the wire format says
├── ProviderError             the model could not be asked, or did not answer
├── HookError                 a hook of the user forbade going on
├── JournalError              a session file cannot be read, written or locked
└── ConfigurationError        settings, flags or keys that cannot be used
"""

from enum import StrEnum

from agent_cli.types.outcomes import Code


class AgentError(Exception):
    """Anything we raise on purpose."""


class InvalidTransitionError(AgentError):
    """An entry contradicts the state it is applied to."""


class ToolError(AgentError):
    """A tool could not do what it was asked; the message tells the model what to do."""

    def __init__(self, message: str, code: Code | None = None) -> None:
        super().__init__(message)
        self.code = code


class BlockedPathError(ToolError):
    """A path that may not be touched."""

    def __init__(self, message: str) -> None:
        super().__init__(message, Code.BLOCKED_PATH)


class WireError(AgentError):
    """Bytes that do not follow the wire format."""


class Fault(StrEnum):
    """Kinds of provider errors; each frontend has a sentence and each an exit status."""

    AUTHENTICATION = "authentication"
    CONTEXT_WINDOW = "context_window"
    INVALID_REQUEST = "invalid_request"
    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    UNREACHABLE = "unreachable"
    CUT = "cut"
    """The stream ended, stalled or broke before its terminal event."""
    SERVER = "server"
    CALL_ORDER = "call_order"
    """The answer's calls came in an order that they cannot be executed in, and none was."""
    BUDGET = "budget"
    """It was not asked, or not again, because what may be used is used up."""


RETRYABLE = frozenset(
    {Fault.RATE_LIMITED, Fault.OVERLOADED, Fault.UNREACHABLE, Fault.CUT, Fault.SERVER}
)


class ProviderError(AgentError):
    """The provider did not give an answer; `fault` says why."""

    def __init__(
        self,
        message: str,
        fault: Fault,
        *,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.fault = fault
        self.status = status
        self.retry_after = retry_after
        """Seconds the server asked us to wait, if it did."""

    @property
    def retryable(self) -> bool:
        return self.fault in RETRYABLE


class HookError(AgentError):
    """A hook of the user forbade a session, a prompt or the next message; the message says why."""


class JournalError(AgentError):
    """A session file that cannot be used; the message says why and what to do."""


class ConfigurationError(AgentError):
    """Settings that cannot be used; the message names the setting and what to do."""

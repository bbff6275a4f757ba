"""What people are told about how something ended."""

from agent_cli.engine.outcomes import Verdict
from agent_cli.engine.steps import Awaiting
from agent_cli.frontends.sanitiser import in_one_line
from agent_cli.i18n.catalog import say
from agent_cli.types.entries import FilesRestored, HistoryCompacted
from agent_cli.types.errors import Fault, HookError, ProviderError
from agent_cli.types.outcomes import Limit


def provider_verdict(error: ProviderError) -> Verdict:
    """Return the verdict that a provider error leads to."""
    if error.fault is Fault.AUTHENTICATION:
        return Verdict.AUTHENTICATION
    if error.fault is Fault.CALL_ORDER:
        return Verdict.STOPPED
    if error.retryable:
        return Verdict.UNAVAILABLE
    return Verdict.CONFIGURATION if error.fault is Fault.INVALID_REQUEST else Verdict.LIMIT


def hook_message(error: HookError) -> str:
    return say("a hook forbids going on: {reason}", reason=str(error))


def compaction_message(entry: HistoryCompacted) -> str:
    """Return one sentence on what the conversation was replaced by."""
    sizes = {"before": entry.tokens_before, "after": entry.tokens_after}
    if entry.fell_back:
        return say(
            "no summary could be had: compacted to what you said and what was recorded,"
            " from about {before:,} to {after:,} tokens",
            **sizes,
        )
    return say("the conversation was compacted, from about {before:,} to {after:,} tokens", **sizes)


def restored_message(entry: FilesRestored) -> str:
    """Return the sentences on a message whose changes were taken back."""
    parts: list[str] = []
    if entry.changes:
        names = ", ".join(change.path for change in entry.changes)
        parts.append(say("a call failed, so these are again what they were: {names}", names=names))
    if entry.conflicts:
        names = ", ".join(entry.conflicts)
        parts.append(say("these were left as they are: {names}", names=names))
    return in_one_line("; ".join(parts))


def budget_message(limit: Limit) -> str:
    """Return the sentence on a used-up budget."""
    return say(
        "the limit {name} is reached: it counts the whole session, and with a higher one that"
        " goes on",
        name=f"--max-{limit}",
    )


def amount(limit: Limit, number: float) -> str:
    """Return so much of what the limit counts, with its unit."""
    match limit:
        case Limit.COST:
            return f"${number:.4f}"
        case Limit.TIME:
            return f"{number:.0f} s"
        case _:
            return f"{number:.0f}"


def ending_message(verdict: Verdict, detail: str = "") -> str:
    """Return one sentence on the ending; empty for a completion."""
    sentences = {
        Verdict.COMPLETED: "",
        Verdict.UNRESOLVED: say("the last turn failed, or its completion was refused"),
        Verdict.DENIED: say("a call was denied, and nothing made up for it; see --yolo and rules"),
        Verdict.LIMIT: say("a limit was reached"),
        Verdict.CHECK_FAILED: say("the work did not pass its checks"),
        Verdict.STOPPED: say("the model stopped without completing the task"),
        Verdict.AUTHENTICATION: say("the provider refused the key"),
        Verdict.CONFIGURATION: say("the provider refused the request"),
        Verdict.UNAVAILABLE: say("the provider could not be reached, or did not answer"),
        Verdict.INTERRUPTED: say("interrupted"),
        Verdict.TERMINATED: say("terminated by a signal"),
        Verdict.BUG: say("internal error"),
    }
    sentence = sentences.get(verdict, "")
    return f"{sentence}: {detail}" if sentence and detail else sentence or detail


def remark(awaiting: Awaiting | None, limit: Limit | None, *, once: bool = False) -> str:
    """Return what a person is told when they have the floor again; None: they have interrupted.

    The limit is the one that the task has reached, if any.
    """
    match awaiting:
        case None:
            return say("interrupted") if once else say("interrupted; the session goes on")
        case Awaiting.STOPPED_SHORT:
            return say("the model stopped without completing the task; say how to go on")
        case Awaiting.STUCK:
            return say("calls failed in each of the last messages; say how to go on")
        case Awaiting.LIMIT if limit is not None:
            return budget_message(limit)
        case _:
            return ""

"""What the agent is at, in a few words, for a line that stays while it works."""

from agent_cli.frontends.sanitiser import in_one_line
from agent_cli.frontends.terminal.call_words import elapsed, target
from agent_cli.i18n.catalog import say
from agent_cli.types.entries import (
    AssistantSaid,
    AttemptLost,
    CallFinished,
    CallStarted,
    HistoryCompacted,
    UserSaid,
)
from agent_cli.types.events import (
    Appended,
    Event,
    ReasoningDelta,
    Retrying,
    SessionOpened,
    TextDelta,
    ToolCallBegin,
)
from agent_cli.types.messages import ToolCall
from agent_cli.types.usage import Usage

_THOUSAND = 1000
_MILLION = 1_000_000


class Doing:
    """Follows the events of a session; `words` says what is being done."""

    def __init__(self) -> None:
        self.words = say("waiting for the model")
        self.usage = Usage()
        """Since the user said something."""
        self._calls: dict[str, ToolCall] = {}

    def progress(self, seconds: float) -> str:
        """Return the line for work that has gone on for so long."""
        return progress_line(self.words, seconds, self.usage)

    def take(self, event: Event) -> None:
        match event:
            case TextDelta():
                self.words = say("writing")
            case ReasoningDelta():
                self.words = say("thinking")
            case ToolCallBegin(name=name):
                self.words = say("writing a call of {tool}", tool=in_one_line(name))
            case Retrying():
                self.words = say("waiting for the provider")
            case SessionOpened(open_calls=calls):
                self._calls = {call.id: call for call in calls}
            case Appended(entry=entry):
                self._entry(entry)
            case _:
                pass

    def _entry(self, entry: object) -> None:
        match entry:
            case UserSaid():
                self.usage = Usage()
            case AttemptLost(usage=usage) | HistoryCompacted(usage=usage):
                self.usage += usage
            case AssistantSaid(message):
                self.usage += message.usage
                self._calls |= {call.id: call for call in message.calls}
                self.words = say("waiting for the model")
            case CallStarted(call_id) if call := self._calls.get(call_id):
                what = f"{in_one_line(call.name)} {target(call)}".rstrip()
                self.words = say("running {call}", call=what)
            case CallFinished(result):
                self._calls.pop(result.call_id, None)
                self.words = say("waiting for the model")
            case _:
                pass


def progress_line(doing: str, seconds: float, usage: Usage) -> str:
    """Return the line: how long, what was used so far, what is being done, and how to stop it."""
    parts = [elapsed(seconds)]
    tokens = usage.input_tokens + usage.output_tokens
    if tokens:
        parts.append(say("{rough} tokens", rough=_rough(tokens)))
    if usage.cost:
        parts.append(f"${usage.cost:.2f}" if usage.cost >= 0.01 else f"${usage.cost:.4f}")  # noqa: PLR2004 - a cent
    parts += [say("Esc stops"), doing]
    return " · ".join(parts)


def _rough(count: int) -> str:
    if count < _THOUSAND:
        return str(count)
    if count < _MILLION:
        return f"{count / _THOUSAND:.1f}k"
    return f"{count / _MILLION:.1f}M"

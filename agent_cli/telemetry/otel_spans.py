"""Facts as spans, named as OpenTelemetry's conventions for generative AI have it.

invoke_agent is the work on one prompt or subtask; chat and execute_tool lie within it.
"""

from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, set_span_in_context
from opentelemetry.util.types import AttributeValue

from agent_cli.telemetry.facts import Answered, Ending, Fact, Model, Used, WorkBegan, WorkEnded
from agent_cli.types.messages import StopReason
from agent_cli.types.outcomes import Outcome

AGENT = "agent-cli"

_PROVIDERS = {
    "openai-chat": "openai",
    "openai-responses": "openai",
    "mistral": "mistral_ai",
    "gemini": "gcp.gemini",
    "xai": "x_ai",
}
"""Our names, where the conventions have others."""
_FINISH = {
    StopReason.END: "stop",
    StopReason.CALLS: "tool_call",
    StopReason.LENGTH: "length",
    StopReason.REFUSAL: "content_filter",
}
_BROKEN = frozenset({Ending.INTERRUPTED, Ending.LIMIT})


def of_model(operation: str, model: Model) -> dict[str, AttributeValue]:
    """Return the attributes that say what was done, and with which model."""
    return {
        "gen_ai.operation.name": operation,
        "gen_ai.provider.name": _PROVIDERS.get(model.provider, model.provider),
        "gen_ai.request.model": model.name,
    }


class Spans:
    """Turns the facts of one session into spans, each within the work that it belongs to."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._working: list[Span] = []

    def tell(self, fact: Fact) -> None:
        match fact:
            case WorkBegan():
                self._working.append(self._work(fact))
            case WorkEnded(at, how) if self._working:
                span = self._working.pop()
                if how in _BROKEN:
                    _fail(span, how.value)
                span.end(at)
            case Answered():
                self._chat(fact)
            case Used(began=int(began)):
                self._tool(fact, began)
            case _:
                pass

    def _work(self, fact: WorkBegan) -> Span:
        attributes = of_model("invoke_agent", fact.model) | {
            "gen_ai.agent.name": AGENT,
            "agent.subtask": fact.subtask,
            **_conversation(fact.conversation),
        }
        return self._start(f"invoke_agent {AGENT}", SpanKind.INTERNAL, fact.at, attributes)

    def _chat(self, fact: Answered) -> None:
        usage = fact.usage
        attributes = of_model("chat", fact.model) | {
            "gen_ai.response.finish_reasons": (_FINISH[fact.stop],),
            "gen_ai.usage.input_tokens": usage.input_tokens,
            "gen_ai.usage.output_tokens": usage.output_tokens,
            "gen_ai.usage.cache_read.input_tokens": usage.cache_read_tokens,
            "gen_ai.usage.cache_creation.input_tokens": usage.cache_write_tokens,
            "agent.protocol": fact.protocol.value,
            "agent.retries": fact.retries,
            **_conversation(fact.conversation),
        }
        name = f"chat {fact.model.name}"
        self._start(name, SpanKind.CLIENT, fact.began, attributes).end(fact.at)

    def _tool(self, fact: Used, began: int) -> None:
        attributes: dict[str, AttributeValue] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": fact.tool,
            "gen_ai.tool.type": "function",
            "agent.outcome": fact.outcome.value,
            "agent.protocol": fact.protocol.value,
            **_conversation(fact.conversation),
        }
        span = self._start(f"execute_tool {fact.tool}", SpanKind.INTERNAL, began, attributes)
        if fact.outcome is not Outcome.OK:
            _fail(span, (fact.code or fact.outcome).value)
        span.end(fact.at)

    def _start(
        self, name: str, kind: SpanKind, began: int, attributes: dict[str, AttributeValue]
    ) -> Span:
        within = set_span_in_context(self._working[-1]) if self._working else Context()
        return self._tracer.start_span(name, within, kind, attributes, start_time=began)


def _conversation(session_id: str) -> dict[str, AttributeValue]:
    return {"gen_ai.conversation.id": session_id} if session_id else {}


def _fail(span: Span, why: str) -> None:
    span.set_attribute("error.type", why)
    span.set_status(Status(StatusCode.ERROR))

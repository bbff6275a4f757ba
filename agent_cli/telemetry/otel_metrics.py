"""Facts and counters as metrics: the conventions' two histograms, and sums of our own."""

from collections.abc import Callable, Iterable

from opentelemetry.metrics import CallbackOptions, Meter, Observation
from opentelemetry.util.types import AttributeValue

from agent_cli.telemetry.counters import Counters
from agent_cli.telemetry.facts import Answered, Fact
from agent_cli.telemetry.otel_spans import of_model

_TOKENS = [4**power for power in range(14)]
_SECONDS = [0.01 * 2**power for power in range(14)]
"""Upper bounds that the conventions name."""


class Metrics:
    """Measures what is told; reads the counters whenever metrics are collected."""

    def __init__(self, meter: Meter, counters: Callable[[], Counters]) -> None:
        self._counters = counters
        self._tokens = meter.create_histogram(
            "gen_ai.client.token.usage",
            "{token}",
            "Number of input and output tokens used.",
            explicit_bucket_boundaries_advisory=_TOKENS,
        )
        self._duration = meter.create_histogram(
            "gen_ai.client.operation.duration",
            "s",
            "GenAI operation duration.",
            explicit_bucket_boundaries_advisory=_SECONDS,
        )
        sums = (
            ("agent.tool.calls", "{call}", self._tools),
            ("agent.completions", "{completion}", self._completions),
            ("agent.completions.refused", "{completion}", self._refused),
            ("agent.retries", "{retry}", self._retries),
            ("agent.cost", "{USD}", self._cost),
        )
        for name, unit, observe in sums:
            meter.create_observable_counter(name, [observe], unit)

    def tell(self, fact: Fact) -> None:
        if not isinstance(fact, Answered):
            return
        attributes = of_model("chat", fact.model)
        self._duration.record((fact.at - fact.began) / 1e9, attributes)
        usage = fact.usage
        for kind, count in (("input", usage.input_tokens), ("output", usage.output_tokens)):
            self._tokens.record(count, attributes | {"gen_ai.token.type": kind})

    def _tools(self, _: CallbackOptions) -> Iterable[Observation]:
        for use, count in self._counters().tools.items():
            attributes: dict[str, AttributeValue] = {
                "gen_ai.tool.name": use.tool,
                "agent.outcome": use.outcome.value,
                "agent.protocol": use.protocol.value,
            }
            yield Observation(count, attributes)

    def _completions(self, _: CallbackOptions) -> Iterable[Observation]:
        counters = self._counters()
        for name, count in (("attempted", counters.attempted), ("accepted", counters.completed)):
            yield Observation(count, {"agent.completion": name})

    def _refused(self, _: CallbackOptions) -> Iterable[Observation]:
        for code, count in self._counters().refused.items():
            yield Observation(count, {"error.type": code.value})

    def _retries(self, _: CallbackOptions) -> Iterable[Observation]:
        yield Observation(self._counters().retries)

    def _cost(self, _: CallbackOptions) -> Iterable[Observation]:
        cost = self._counters().usage.cost
        if cost is not None:
            yield Observation(cost)

"""Sends facts to an OpenTelemetry collector; only who asks for it imports this module.

Where to and with which headers say the standard OTEL_EXPORTER_OTLP_ variables. Sending happens in
threads of the SDK's own; a collector that does not answer costs half a second at the end, once.
"""

import logging
from collections.abc import Callable
from threading import Thread
from time import monotonic

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from agent_cli import __version__
from agent_cli.telemetry.counters import Counters
from agent_cli.telemetry.facts import Fact
from agent_cli.telemetry.otel_metrics import Metrics
from agent_cli.telemetry.otel_spans import AGENT, Spans
from agent_cli.types.errors import ConfigurationError

FLUSH = 0.5
"""Seconds that the end of a session waits at most."""


class Providers:
    """What sends for one service, whose maker closes it. Raises ConfigurationError."""

    def __init__(self, service: str) -> None:
        # Nobody reads the SDK's complaints, and a terminal is no place for them.
        logging.getLogger("opentelemetry").addHandler(logging.NullHandler())
        resource = _resource(service)
        try:
            # Their exit handlers would wait for the collector.
            self._tracing = TracerProvider(resource=resource, shutdown_on_exit=False)
            self._tracing.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
            reader = PeriodicExportingMetricReader(OTLPMetricExporter())
            self._metering = MeterProvider([reader], resource, shutdown_on_exit=False)
        except ValueError as error:
            why = " ".join(str(error).split())
            raise ConfigurationError(f"an OTEL_ variable cannot be used: {why}") from error
        self.tracer = self._tracing.get_tracer(service, __version__)
        self.meter = self._metering.get_meter(service, __version__)

    def close(self) -> None:
        """Send what is left, as far as half a second allows."""
        until = monotonic() + FLUSH
        # Daemons: what still waits for a collector then ends with the process.
        shutdowns = (self._tracing.shutdown, self._metering.shutdown)
        threads = [Thread(target=shutdown, daemon=True) for shutdown in shutdowns]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0.0, until - monotonic()))


class Export:
    """Spans and metrics of one session. Raises ConfigurationError for variables of no sense."""

    def __init__(self, counters: Callable[[], Counters]) -> None:
        self._providers = Providers(AGENT)
        self._spans = Spans(self._providers.tracer)
        self._metrics = Metrics(self._providers.meter, counters)

    def tell(self, fact: Fact) -> None:
        self._spans.tell(fact)
        self._metrics.tell(fact)

    def close(self) -> None:
        self._providers.close()


def _resource(service: str) -> Resource:
    """Say who sends, with what the user's OTEL_ variables add.

    No other detector is asked: that of processes would tell the command line, and so a prompt.
    """
    ours = Resource({"service.name": service, "service.version": __version__})
    return ours.merge(OTELResourceDetector().detect())

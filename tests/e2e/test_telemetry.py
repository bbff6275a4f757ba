"""Telemetry of a whole run: nothing unless asked for, no free text ever, and no delay."""

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic

import pytest
from testbed.collector import Collector, Span
from testbed.replies import Call, Reply, Say, Status, Usage
from testbed.run_agent import Completed, command, environment, run_agent
from testbed.server import ModelServer

CANARY = "c4n4ry"
ON = "[telemetry]\notel = true\n"
STRACE = shutil.which("strace")
SCRIPT = [
    Status(429, retry_after=0.01),
    Say(
        f"I read {CANARY}-said.",
        calls=[
            Call("read_file", {"files": [{"path": f"{CANARY}-path.txt"}]}),
            Call("execute_command", {"command": f"echo {CANARY}-out; false {CANARY}-arg"}),
        ],
    ),
    Say(
        calls=[
            Call("read_file", {"files": [{"path": f"{CANARY}-missing.txt"}]}),
            Call("attempt_completion", {"result": f"{CANARY}-early"}),
        ]
    ),
    Say(calls=[Call(f"mcp__{CANARY}__{CANARY}", {"text": CANARY}), Call(f"{CANARY}_tool", {})]),
    Say(calls=[Call("attempt_completion", {"result": f"{CANARY}-result"})], usage=Usage(100, 7)),
]


def run(
    tmp_path: Path,
    model: str = f"anthropic/{CANARY}-model",
    *,
    settings: str = ON,
    env: Mapping[str, str] | None = None,
    script: Sequence[Reply] = SCRIPT,
) -> Completed:
    """Do one task, with a canary wherever free text can be."""
    home, project = tmp_path / "home", tmp_path / f"{CANARY}-folder"
    config = home / "agent/config/config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(settings)
    project.mkdir(exist_ok=True)
    (project / f"{CANARY}-path.txt").write_text(f"{CANARY}-content")
    with ModelServer(script) as server:
        done = run_agent(
            ["run", "-y", "-m", model, f"Find the {CANARY}-prompt."],
            cwd=project,
            home=home,
            server=server,
            env=env,
        )
    assert server.violations == []
    assert done.exit_code == 0, done.stderr
    return done


def named(collector: Collector, name: str) -> list[Span]:
    return [span for span in collector.spans if span.name == name]


def completions(collector: Collector) -> dict[str, float]:
    points = collector.metrics["agent.completions"]
    return {point.attributes["agent.completion"]: point.value for point in points}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("run")


@pytest.fixture(scope="module")
def watched(room: Path) -> Collector:
    """What a collector was sent of one run."""
    with Collector() as collector:
        env = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_EXPORTER_OTLP_HEADERS": "k=v"}
        done = run(room, env=env)
    assert CANARY in done.stdout
    return collector


def test_the_work_holds_its_requests_and_its_calls(watched: Collector):
    (work,) = named(watched, "invoke_agent agent-cli")
    inside = [span.name for span in watched.spans if span.parent == work.id]
    chats = named(watched, "chat other")
    assert sorted(inside) == sorted(span.name for span in watched.spans if span is not work)
    assert len(chats) == 4
    assert {span.trace for span in watched.spans} == {work.trace}
    assert inside.count("execute_tool read_file") == 2
    assert inside.count("execute_tool attempt_completion") == 1


def test_a_request_tells_provider_tokens_and_end(watched: Collector):
    told = named(watched, "chat other")[-1].attributes
    assert told["gen_ai.operation.name"] == "chat"
    assert told["gen_ai.provider.name"] == "anthropic"
    assert told["gen_ai.request.model"] == "other"
    assert told["gen_ai.response.finish_reasons"] == ["tool_call"]
    assert told["gen_ai.usage.output_tokens"] == 7
    assert told["agent.protocol"] == "native"


def test_a_call_that_failed_tells_why(watched: Collector):
    failed = [span for span in named(watched, "execute_tool read_file") if span.failed]
    assert [span.attributes["error.type"] for span in failed] == ["failed"]
    assert [span.attributes["agent.outcome"] for span in failed] == ["failed"]


def test_metrics_are_those_of_the_conventions_and_the_counters(watched: Collector):
    tokens = watched.metrics["gen_ai.client.token.usage"]
    sums = {point.attributes["gen_ai.token.type"]: point.value for point in tokens}
    assert sums["output"] == 20 * 3 + 7
    assert watched.metrics["gen_ai.client.operation.duration"][0].count == 4
    calls = watched.metrics["agent.tool.calls"]
    tools = {point.attributes["gen_ai.tool.name"] for point in calls}
    assert tools == {"read_file", "execute_command", "attempt_completion", "mcp", "custom"}
    assert completions(watched) == {"attempted": 1, "accepted": 1}
    assert [point.value for point in watched.metrics["agent.retries"]] == [1]
    (refused,) = watched.metrics["agent.completions.refused"]
    assert (refused.attributes, refused.value) == ({"error.type": "failed_earlier"}, 1)


def test_what_is_exported_is_what_the_journal_adds_up_to(watched: Collector, room: Path):
    (project,) = room.glob(f"{CANARY}*")
    done = run_agent(["stats", "--json"], cwd=project, home=room / "home")
    assert done.exit_code == 0, done.stderr
    assert CANARY not in done.stdout
    kept = json.loads(done.stdout)
    calls = watched.metrics["agent.tool.calls"]
    assert sum(use["calls"] for use in kept["tools"]) == sum(point.value for point in calls)
    assert (kept["attempted"], kept["completed"], kept["retries"]) == (1, 1, 1)
    assert kept["refused"] == {"failed_earlier": 1}
    assert kept["usage"]["output_tokens"] == 20 * 3 + 7
    assert kept["models"][0]["name"] == "other"


def test_a_subtask_lies_within_the_work_on_the_prompt(tmp_path: Path):
    hand = Call("new_task", {"mode": "ask", "message": f"{CANARY}-message"})
    done = Call("attempt_completion", {"result": f"{CANARY}-result"})
    script = [Say(calls=[hand]), Say(calls=[done]), Say(calls=[done])]
    with Collector() as collector:
        run(tmp_path, env={"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}, script=script)
    inner, outer = named(collector, "invoke_agent agent-cli")
    assert inner.parent == outer.id
    within = [chat.parent == inner.id for chat in named(collector, "chat other")]
    assert within == [False, True, False]
    (handed,) = named(collector, "execute_tool new_task")
    assert handed.parent == outer.id
    assert handed.seconds >= inner.seconds
    assert completions(collector) == {"attempted": 2, "accepted": 2}
    assert not any(CANARY.encode() in body for body in collector.received)


def test_no_free_text_is_exported(watched: Collector):
    assert watched.received
    assert not any(CANARY.encode() in body for body in watched.received)
    assert set(watched.resource) == {"service.name", "service.version"}


def test_the_standard_variables_say_where_and_how(watched: Collector):
    assert all(headers["k"] == "v" for headers in watched.headers)
    assert watched.resource["service.name"] == "agent-cli"


def test_nothing_is_sent_unless_it_is_asked_for(tmp_path: Path):
    with Collector() as collector:
        env = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
            "OTEL_TRACES_EXPORTER": "otlp",
            "OTEL_METRICS_EXPORTER": "otlp",
        }
        run(tmp_path, settings="", env=env)
    assert collector.received == []


def test_a_demonstration_sends_nothing_in_any_case(tmp_path: Path):
    config = tmp_path / "home/agent/config/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(ON)
    with Collector() as collector:
        env = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}
        done = run_agent(["demo", "-y"], cwd=tmp_path, home=tmp_path / "home", env=env)
    assert done.exit_code == 0, done.stderr
    assert collector.received == []


@pytest.mark.skipif(STRACE is None, reason="strace is not installed: it sees every connection")
def test_without_telemetry_only_the_model_is_connected_to(tmp_path: Path):
    trace, done = tmp_path / "trace", Call("attempt_completion", {"result": "All done."})
    with ModelServer([Say(calls=[done])]) as server:
        args = command(["run", "-y", "-m", "anthropic/m", "Do it."])
        subprocess.run(
            [str(STRACE), "-f", "-e", "trace=connect,sendto,sendmsg", "-o", str(trace), *args],
            env=environment(tmp_path / "home", server),
            cwd=tmp_path,
            check=True,
            capture_output=True,
        )
    reached = [line for line in trace.read_text().splitlines() if "sin" in line]
    assert reached
    assert all(f"htons({server.port})" in line for line in reached)


@pytest.mark.parametrize("way", ["hanging", "gone"])
def test_a_collector_that_does_not_answer_delays_nothing(tmp_path: Path, way: str):
    with Collector(silent=True) as collector:
        url = collector.url
        done, seconds = timed(tmp_path, url)
    if way == "gone":  # nobody listens there any more
        done, seconds = timed(tmp_path, url)
    without, usual = timed(tmp_path, url, settings="")
    assert done.stderr == without.stderr
    assert seconds < usual + 0.5 + 3.0  # the SDK alone would wait ten seconds and more


def timed(tmp_path: Path, url: str, settings: str = ON) -> tuple[Completed, float]:
    began = monotonic()
    env = {"OTEL_EXPORTER_OTLP_ENDPOINT": url}
    done = run(tmp_path, settings=settings, env=env, script=SCRIPT[1:])
    return done, monotonic() - began


def test_a_variable_of_no_sense_is_refused(tmp_path: Path):
    config = tmp_path / "home/agent/config/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(ON)
    with ModelServer([]) as server:
        done = run_agent(
            ["run", "-m", "anthropic/m", "Do it."],
            cwd=tmp_path,
            home=tmp_path / "home",
            server=server,
            env={"OTEL_METRIC_EXPORT_INTERVAL": "-7"},
        )
    assert done.exit_code == 52
    assert "-7" in done.stderr


@pytest.mark.parametrize(
    ("settings", "place", "said"),
    [
        pytest.param("", "http://collector:1", "off: nothing is sent", id="off"),
        pytest.param(ON, "http://me:password@collector:1/otlp", "tools go to collector:1", id="on"),
        pytest.param(ON, "", "tools go to localhost:4318", id="the default"),
        pytest.param(ON, "http://[password", "tools go to ?", id="no address"),
    ],
)
def test_the_doctor_says_what_is_sent_where(settings: str, place: str, said: str, tmp_path: Path):
    config = tmp_path / "home/agent/config/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(settings)
    env = {"OTEL_EXPORTER_OTLP_ENDPOINT": place}
    done = run_agent(["doctor"], cwd=tmp_path, home=tmp_path / "home", env=env)
    assert said in done.stdout
    assert "password" not in done.stdout

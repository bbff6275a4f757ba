"""How fast it is, as ratios to a floor measured in the same run.

    python -m pytest -m benchmark -n0 -s tests/benchmarks

prints a table; nothing is asserted but that the measured runs succeed.
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest
from testbed.exchange import ANTHROPIC_MESSAGES, Exchange
from testbed.replies import Call, Delivery, Reply, Say
from testbed.run_agent import command, environment
from testbed.server import ModelServer

pytestmark = pytest.mark.benchmark

RUNS = 11
READ = Call("read_file", {"files": [{"path": "README.md"}]})
FILES = ["README.md", "OTHER.md"]
DONE = Call("attempt_completion", {"result": "Done."})
ASK = ["run", "-m", "anthropic/test-model", "Do it."]

BARE = """
import http.client, json, sys, urllib.parse
url = urllib.parse.urlsplit(sys.argv[1])
connection = http.client.HTTPConnection(url.hostname, url.port)
body = {"model": "m", "max_tokens": 100, "stream": True,
        "messages": [{"role": "user", "content": "Do it."}]}
connection.request("POST", "/v1/messages", json.dumps(body),
                   {"content-type": "application/json", "x-api-key": "k"})
connection.getresponse().read()
"""


def read(number: int) -> Call:
    """Not the same file twice in a row: that would be asked about."""
    return Call("read_file", {"files": [{"path": FILES[number]}]})


class Cost(NamedTuple):
    wall: float
    cpu: float
    memory: float
    """MiB, the most at any time."""


LAUNCHER = """
import os, sys, time
begun = time.monotonic()
child = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, used = os.wait4(child, 0)
wall, cpu = time.monotonic() - begun, used.ru_utime + used.ru_stime
os.write(int(sys.argv[1]), f"{wall} {cpu} {used.ru_maxrss / 1024}".encode())
sys.exit(os.waitstatus_to_exitcode(status))
"""
"""Small, for a program begins with the memory of the one that starts it."""


def spend(argv: list[str], cwd: Path, env: dict[str, str]) -> Cost:
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb", buffering=0) as told, os.fdopen(write_end, "wb"):
        subprocess.run(
            [sys.executable, "-I", "-S", "-c", LAUNCHER, str(write_end), *argv],
            cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            pass_fds=[write_end], check=True,
        )  # fmt: skip
        wall, cpu, memory = map(float, told.read(200).split())
    return Cost(wall, cpu, memory)


def report(name: str, value: str) -> None:
    print(f"\n{name:52} {value}")


def median_of(measure: Callable[[], float]) -> float:
    measure()
    return statistics.median(measure() for _ in range(RUNS))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).write_text("# A project\n")
    return tmp_path


def test_version_against_a_bare_start(project: Path, tmp_path: Path):
    env = environment(tmp_path / "home", None)
    bare = median_of(lambda: spend([sys.executable, "-c", "pass"], project, env).wall)
    ours = median_of(lambda: spend(command(["--version"]), project, env).wall)
    report("--version, against python -c pass", f"{ours * 1e3:.1f} ms, {ours / bare:.2f} x")


def test_process_start_to_first_request(project: Path, tmp_path: Path):
    def first_request(argv: list[str], env: dict[str, str], server: ModelServer) -> float:
        before = len(server.requests)
        begun = time.monotonic()
        spend(argv, project, env)
        return server.requests[before].at - begun

    with ModelServer(lambda exchange: Say(calls=[DONE])) as server:
        env = environment(tmp_path / "home", server)
        bare = [sys.executable, "-c", BARE, server.url(ANTHROPIC_MESSAGES)]
        floor = median_of(lambda: first_request(bare, env, server))
        ours = median_of(lambda: first_request(command(ASK), env, server))
    report("process start to first request", f"{ours * 1e3:.0f} ms, {ours / floor:.2f} x bare")


def test_answer_to_next_request_with_one_read(project: Path, tmp_path: Path):
    gaps: list[float] = []
    ended: list[float] = []

    def stamp(exchange: Exchange) -> None:
        exchange.answered.wait()
        ended.append(time.monotonic())

    def script(exchange: Exchange) -> Reply:
        if ended:
            gaps.append(exchange.at - ended.pop())
        Thread(target=stamp, args=(exchange,), daemon=True).start()
        return Say(calls=[read(len(gaps) % 2) if len(gaps) < 100 else DONE])

    with ModelServer(script) as server:
        spend(command(ASK), project, environment(tmp_path / "home", server))
    report("answer to next request, one read", f"{statistics.median(gaps) * 1e3:.2f} ms")


def test_cpu_of_a_turn_with_a_thousand_calls(project: Path, tmp_path: Path):
    one = cost_of([Say(calls=[READ]), Say(calls=[DONE])], project, tmp_path)
    many = cost_of(
        [Say(calls=[read(n % 2) for n in range(1000)]), Say(calls=[DONE])], project, tmp_path
    )
    report(
        "CPU of a turn with 1,000 reads", f"{many.cpu:.2f} s, {many.cpu / one.cpu:.1f} x one read"
    )


def test_five_megabytes_of_text(project: Path, tmp_path: Path):
    text = ("All work and no play makes a dull agent. " * 25 + "\n") * 5000
    delivery = Delivery(piece=50)
    little = cost_of([Say("Hi.", calls=[DONE])], project, tmp_path)
    much = cost_of([Say(text, calls=[DONE], delivery=delivery)], project, tmp_path)
    report("CPU of 5 MB of streamed text", f"{much.cpu:.2f} s, {much.cpu / little.cpu:.1f} x hi")
    report("memory of 5 MB of streamed text", f"{much.memory:.0f} MiB, hi {little.memory:.0f} MiB")


def cost_of(script: list[Reply], project: Path, tmp_path: Path) -> Cost:
    with ModelServer(script) as server:
        return spend(command(ASK), project, environment(tmp_path / "home", server))

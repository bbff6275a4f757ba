"""What long sessions take: to be opened, to be held, and to go on.

    python -m pytest -m benchmark -n0 -s tests/benchmarks/test_sessions_speed.py

prints a table; nothing is asserted but that the sessions are opened and the turns are made.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from threading import Thread

import pytest
from testbed.exchange import Exchange
from testbed.incoming import Incoming
from testbed.replies import Call, Reply, Say
from testbed.run_agent import command, environment
from testbed.server import ModelServer
from testbed.story import BEGINNING, asked, call, ran

from agent_cli.runtime.session import open_session
from agent_cli.sessions.catalog import sessions
from agent_cli.sessions.codec import SEED, seal
from agent_cli.sessions.journal import read
from agent_cli.sessions.verify import verify
from agent_cli.types.entries import Entry, Envelope, HistoryCompacted, UserSaid
from agent_cli.types.redaction import Redactor

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(1800)]

RUNS = 7
SPOKEN = 25
"""Turns after which the user speaks again."""
TURNS = 400


def told(size: int, compacted: int | None) -> Iterator[Entry]:
    """Tell a session of calls without end, results of so many bytes; compact after so many."""
    yield from BEGINNING
    content = "All work and no play makes a dull agent.\n" * (size // 41)
    number = 0
    while True:
        number += 1
        if number % SPOKEN == 0:
            yield asked(text="It is done.")
            yield UserSaid("Go on.", environment="It is Monday.")
        if compacted and number % compacted == 0:
            yield HistoryCompacted("What was said.", 1, "window", asked=True)
        yield asked(call(f"c{number}"), text="I look at the next file.")
        yield from ran(f"c{number}", content=f"{number} {content}")


def write(path: Path, told: Iterator[Entry], *, entries: int = 0, size: int = 0) -> int:
    """Write a session of so many entries, or so many bytes; return how many entries it has."""
    path.parent.mkdir(parents=True)
    previous, written, count = SEED, 0, 0
    with path.open("wb") as file:
        for seq, entry in enumerate(told):
            line, previous = seal(Envelope(seq, "2026-11-21T10:00:00.000000Z", entry), previous)
            written += file.write(line)
            count = seq + 1
            if (entries and count == entries) or (size and written >= size):
                break
    return count


def opened(path: Path) -> int:
    session, damage = open_session(path, lambda _: None, Redactor())
    session.close()
    assert not damage
    return session.state.turns


@pytest.mark.parametrize("compacted", [None, 100], ids=["never compacted", "compacted"])
def test_ten_thousand_entries(tmp_path: Path, compacted: int | None):
    path = tmp_path / "work" / "one.jsonl"
    write(path, told(400, compacted), entries=10_000)

    def median(name: str) -> str:
        times: list[float] = []
        used: list[float] = []
        for _ in range(RUNS):
            begun, cpu = time.monotonic(), time.process_time()
            match name:
                case "resume":
                    assert opened(path)
                case "verify":
                    assert read(path, verify).value.calls
                case _:
                    assert sessions(tmp_path)
            times.append(time.monotonic() - begun)
            used.append(time.process_time() - cpu)
        taken, cpu = statistics.median(times) * 1e3, statistics.median(used) * 1e3
        return f"{name} {taken:.0f} ms (CPU {cpu:.0f})"

    parts = ", ".join(map(median, ("resume", "verify", "list")))
    kind = f"compacted every {compacted} turns" if compacted else "never compacted"
    print(f"\n10,000 entries, {path.stat().st_size / 1e6:.0f} MB, {kind}: {parts}")


MEMORY = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from agent_cli.engine.state import fold
from agent_cli.runtime.session import open_session
from agent_cli.sessions.journal import read
from agent_cli.sessions.verify import verify
from agent_cli.types.redaction import Redactor
begun = time.monotonic()
match sys.argv[3]:
    case "resume": kept = open_session(Path(sys.argv[2]), lambda _: None, Redactor())
    case "verify": kept = read(Path(sys.argv[2]), verify)
taken = time.monotonic() - begun
most = next(row for row in open("/proc/self/status") if row.startswith("VmHWM")).split()[1]
print(int(most) / 1024, taken)
"""


def spend(path: Path, step: str) -> tuple[float, float]:
    """Return MiB at most, and seconds, of a program that does this with the session."""
    argv = [sys.executable, "-c", MEMORY, str(Path(__file__).parents[2]), str(path), step]
    most, taken = subprocess.run(argv, check=True, capture_output=True, text=True).stdout.split()
    return float(most), float(taken)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what was the most")
@pytest.mark.parametrize("compacted", [None, 100], ids=["never compacted", "compacted"])
def test_a_hundred_megabytes(tmp_path: Path, compacted: int | None):
    path = tmp_path / "work" / "one.jsonl"
    count = write(path, told(8_000, compacted), size=100_000_000)
    bare, _ = spend(path, "nothing")
    kind = f"compacted every {compacted} turns" if compacted else "never compacted"
    print(f"\n100 MB, {count} entries, {kind}; a program that opens nothing has {bare:.0f} MiB")
    for step in ("resume", "verify"):
        most, taken = spend(path, step)
        print(f"    {step}: {most:.0f} MiB, {most / bare:.2f} x, in {taken:.2f} s")


class Timed(ModelServer):
    """Measures from the end of each answer to the next request, before that is judged.

    And how long the client has been running on a processor when the request comes.
    """

    def __init__(self) -> None:
        super().__init__(self._reply)
        self.gaps: list[float] = []
        self.ran: list[float] = []
        self._client = Path()
        self._ended = 0.0

    def serve(self, argv: list[str], cwd: Path, env: dict[str, str] | None = None) -> None:
        """Run the client to its end."""
        quiet = subprocess.DEVNULL
        with subprocess.Popen(argv, cwd=cwd, env=env, stdout=quiet, stderr=quiet) as client:
            self._client = Path(f"/proc/{client.pid}/task")
        assert client.returncode == 0

    def median(self, turn: int) -> tuple[float, float]:
        """Return milliseconds of a turn, by the clock and on a processor."""
        ran = [after - before for before, after in pairwise(self.ran[turn - 20 : turn])]
        gaps = self.gaps[turn - 20 : turn]
        return statistics.median(gaps) * 1e3, statistics.median(ran) * 1e3

    def answer(self, incoming: Incoming) -> tuple[Exchange, Reply]:
        if self._ended:
            self.gaps.append(time.monotonic() - self._ended)
        tasks = [task.read_text().split() for task in self._client.glob("*/schedstat")]
        self.ran.append(sum(int(task[0]) for task in tasks) / 1e9)
        return super().answer(incoming)

    def _reply(self, exchange: Exchange) -> Reply:
        def stamp() -> None:
            exchange.answered.wait()
            self._ended = time.monotonic()

        Thread(target=stamp, daemon=True).start()
        if exchange.number == TURNS:
            return Say(calls=[Call("attempt_completion", {"result": "Done."})])
        name = f"file{exchange.number % 2}.md"
        return Say("I look.", calls=[Call("read_file", {"files": [{"path": name}]})])


BARE = """
import http.client, pathlib, sys
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
bodies = [path.read_bytes() for path in sorted(pathlib.Path(sys.argv[2]).iterdir())]
for body in bodies:
    connection.request("POST", "/v1/messages", body,
                       {"content-type": "application/json", "x-api-key": "k"})
    connection.getresponse().read()
"""


def sync_time(folder: Path) -> float:
    """Return the seconds that it takes here to make a line durable."""
    times: list[float] = []
    with (folder / "synced").open("wb", buffering=0) as file:
        for _ in range(50):
            file.write(b"x" * 500)
            begun = time.monotonic()
            os.fsync(file.fileno())
            times.append(time.monotonic() - begun)
    return statistics.median(times)


@pytest.fixture(params=["disk", "memory"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A place for sessions: where files are, and where making them durable takes no time."""
    memory = Path("/dev/shm")
    if request.param == "disk":
        yield tmp_path / "home"
    elif memory.is_dir():
        with tempfile.TemporaryDirectory(dir=memory) as place:
            yield Path(place)
    else:
        pytest.skip("there is no file system in memory")


def test_overhead_of_a_late_turn(tmp_path: Path, home: Path):
    project, bodies = tmp_path / "project", tmp_path / "bodies"
    project.mkdir()
    bodies.mkdir()
    for number in range(2):
        (project / f"file{number}.md").write_text("# A project\n" * 20)
    with Timed() as server:
        argv = command(["run", "-m", "anthropic/test-model", "Do it."])
        server.serve(argv, project, environment(home, server))
        assert not server.violations
        ours, requests = server, [exchange.raw for exchange in server.requests]
    assert len(requests) == TURNS + 1
    for number, body in enumerate(requests):
        (bodies / f"{number:05}").write_bytes(body)
    with Timed() as bare:
        bare.serve([sys.executable, "-c", BARE, str(bare.port), str(bodies)], project)
    print(f"\nsessions in {home}, where a sync takes {sync_time(home) * 1e3:.2f} ms; two a turn")
    for at in (20, 100, 200, 300, TURNS):
        (mine, mine_cpu), (theirs, theirs_cpu) = ours.median(at), bare.median(at)
        print(
            f"    turn {at}, request of {len(requests[at]) / 1e3:.0f} kB: {mine:.2f} ms, "
            f"bare client {theirs:.2f} ms, overhead {mine - theirs:.2f} ms; "
            f"CPU {mine_cpu:.2f}, {theirs_cpu:.2f}, {mine_cpu - theirs_cpu:.2f} ms"
        )

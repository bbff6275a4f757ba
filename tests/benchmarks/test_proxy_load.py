"""What the proxy costs: latency to the first words, and time on the processor.

    python -m pytest -m benchmark -n0 -s tests/benchmarks/test_proxy_load.py

prints a table; nothing is asserted but that all streams come to their end. Upstream and proxy are
processes of their own, and what is compared in a row is measured in the same run, by turns.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from testbed import light_upstream
from testbed.proxy_clients import tool, user
from testbed.proxy_process import ProxyProcess

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(300)]

STREAMS = 200
TURNS = 200
NUMBERS = count()
TICK = os.sysconf("SC_CLK_TCK")


class Light(NamedTuple):
    """Upstream and service at once, as `ProxyProcess` wants to know them."""

    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


class Timed(NamedTuple):
    first: float
    """Seconds until the first words."""
    whole: float


@contextmanager
def light() -> Generator[Light]:
    words = [sys.executable, "-P", light_upstream.__file__]  # beside it stands a typing.py
    with subprocess.Popen(words, stdin=-1, stdout=-1, text=True) as process:
        assert process.stdout is not None
        yield Light(int(process.stdout.readline()))
        process.communicate("")


@contextmanager
def proxied(folder: Path) -> Generator[tuple[int, int, ProxyProcess]]:
    """Yield the ports of upstream and proxy, and the proxy."""
    with light() as upstream:
        there: Any = upstream
        process = ProxyProcess(there, there, folder)
        try:
            yield upstream.port, process.start().port, process
        finally:
            process.close()


def asked(words: str, *, tools: bool) -> bytes:
    body: dict[str, Any] = {"model": "m", "stream": True, "messages": [user(words)]}
    if tools:
        body["tools"] = [tool("openai_chat", name) for name in ("read_file", "bash")]
    data = json.dumps(body).encode()
    head = "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer k\r\n"
    head += f"content-type: application/json\r\ncontent-length: {len(data)}\r\n\r\n"
    return head.encode() + data


async def stream(port: int, request: bytes) -> Timed:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024 * 1024)
    began = time.perf_counter()
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), head
    await reader.readuntil(b'"content"')
    first = time.perf_counter() - began
    await reader.readuntil(b"[DONE]")
    whole = time.perf_counter() - began
    writer.close()
    await writer.wait_closed()
    return Timed(first, whole)


async def crowd(port: int, *, tools: bool) -> list[Timed]:
    """Ask at the same time what nobody has asked before: nothing can be gone on from."""
    requests = [asked(f"question {next(NUMBERS)}", tools=tools) for _ in range(STREAMS)]
    return await asyncio.gather(*[stream(port, request) for request in requests])


async def by_turns(one: int, other: int, request: bytes) -> list[tuple[Timed, Timed]]:
    return [(await stream(one, request), await stream(other, request)) for _ in range(TURNS)]


def processor(process: ProxyProcess) -> float:
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def milliseconds(values: list[float]) -> str:
    ordered = sorted(values)
    late = ordered[int(len(ordered) * 0.95)]
    return f"{statistics.median(ordered) * 1000:8.1f} ms median {late * 1000:8.1f} ms at 95 %"


def report(name: str, value: str) -> None:
    print(f"{name:42} {value}")


def test_many_streams_through_hidden_rounds(tmp_path: Path):
    with proxied(tmp_path) as (upstream, proxy, process):
        asyncio.run(crowd(proxy, tools=True))
        direct = asyncio.run(crowd(upstream, tools=False))
        before = processor(process)
        plain = asyncio.run(crowd(proxy, tools=False))
        between = processor(process)
        hidden = asyncio.run(crowd(proxy, tools=True))
        after = processor(process)
    print(f"\n{STREAMS} streams at the same time")
    for name, timed in [("upstream", direct), ("passed on", plain), ("hidden rounds", hidden)]:
        report(f"first words, {name}", milliseconds([one.first for one in timed]))
        report(f"whole, {name}", milliseconds([one.whole for one in timed]))
    report("processor per stream, passed on", f"{(between - before) / STREAMS * 1000:8.1f} ms")
    report("processor per stream, hidden rounds", f"{(after - between) / STREAMS * 1000:8.1f} ms")


@pytest.mark.parametrize("tools", [False, True], ids=["passed on", "native only"])
def test_the_latency_that_is_added(*, tools: bool, tmp_path: Path):
    with proxied(tmp_path) as (upstream, proxy, _):
        request = asked("FEW_WORDS", tools=tools)
        turns = asyncio.run(by_turns(upstream, proxy, request))
    name = "native only" if tools else "passed on"
    print(f"\n{TURNS} streams one after the other, {name}")
    report("first words, upstream", milliseconds([one.first for one, _ in turns]))
    report("first words, proxy", milliseconds([other.first for _, other in turns]))
    added = statistics.median([other.first - one.first for one, other in turns])
    report("added at the median", f"{added * 1000:8.2f} ms")

"""The cells of the acceptance matrix: each dialect, streamed and not; and the calls it is about."""

from typing import Any, NamedTuple

import pytest
from testbed.exchange import OPENAI_CHAT, WIRES
from testbed.proxied import Got, Proxied
from testbed.proxy_clients import PATHS, Answer, Json, read, request
from testbed.replies import Call

M = Call("docs_search", {"q": "x"})
W = Call("crm_update", {"q": "y"})
N = Call("read_file", '{"path": "a.py"}')
B = Call("bash", '{"path":"b"}')


class Cell(NamedTuple):
    wire: str
    stream: bool

    @property
    def path(self) -> str:
        return PATHS[self.wire]

    def request(self, history: list[Json], **more: Any) -> Json:
        if self.wire == OPENAI_CHAT and self.stream:
            more.setdefault("stream_options", {"include_usage": True})
        return request(self.wire, history, stream=self.stream, **more)

    def ask(self, proxy: Proxied, history: list[Json], **more: Any) -> tuple[Got, Answer]:
        """Ask for what must succeed."""
        got = proxy.ask(self.path, self.request(history, **more))
        assert got.status == 200, got.body
        return got, read(self.wire, got.body, stream=self.stream)


cells = pytest.mark.parametrize(
    "cell",
    [
        pytest.param(Cell(wire, stream), id=f"{wire}-{'stream' if stream else 'whole'}")
        for wire in WIRES
        for stream in (False, True)
    ],
)


def names(answer: Answer) -> list[str]:
    return [name for _, name, _ in answer.calls]

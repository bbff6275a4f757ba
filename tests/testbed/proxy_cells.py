"""The cells of the acceptance matrix: each dialect, streamed and not; and the calls it is about."""

from typing import Any, NamedTuple

import pytest
from testbed import proxy_twins
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES, WIRES
from testbed.proxied import Got, Proxied
from testbed.proxy_clients import PATHS, READERS, Answer, Json, request, whole
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

    @property
    def id(self) -> str:
        return f"{self.wire}-{'stream' if self.stream else 'whole'}"

    def ask(
        self,
        proxy: Proxied,
        history: list[Json],
        headers: dict[str, str] | None = None,
        **more: Any,
    ) -> tuple[Got, Answer]:
        """Ask for what must succeed; the streamed answer and the whole one must be the same."""
        got = proxy.ask(self.path, self.request(history, **more), headers)
        assert got.status == 200, got.body
        made = whole(self.wire, got.body, stream=self.stream)
        proxy_twins.HEARD.append(made)
        return got, READERS[self.wire](made)


def _marked(found: list[Cell]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("cell", [pytest.param(one, id=one.id) for one in found])


ALL = [Cell(wire, stream) for wire in WIRES for stream in (False, True)]
cells = _marked(ALL)
whole_cells = _marked([one for one in ALL if not one.stream])
stream_cells = _marked([one for one in ALL if one.stream])
chat_cells = _marked([one for one in ALL if one.wire == OPENAI_CHAT])
responses_cells = _marked([one for one in ALL if one.wire == OPENAI_RESPONSES])
messages_cells = _marked([one for one in ALL if one.wire == ANTHROPIC_MESSAGES])
both_of_each_wire = pytest.mark.parametrize("wire", WIRES)
"""For a test that itself asks for the answer streamed and whole."""


def names(answer: Answer) -> list[str]:
    return [name for _, name, _ in answer.calls]

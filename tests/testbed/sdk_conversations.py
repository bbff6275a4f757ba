"""Conversations that the vendors' own clients hold through the proxy, as their users write them.

Streams go through the clients' own accumulators, and what these return is put back into the
history as it is: objects of the client, where its API takes them.
"""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import anthropic
import openai
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT
from testbed.proxied import Proxied
from testbed.proxy_cells import Cell
from testbed.proxy_clients import NATIVE, READERS, Answer, Json, results, tool, user


class ResponseFailedError(Exception):
    """The client yields this failure as an event, which its user has to look for."""

    def __init__(self, error: Any) -> None:
        super().__init__(error.message)
        self.code = error.code


class Conversation:
    """One user of one client, with a history that grows."""

    def __init__(self, client: Any, cell: Cell) -> None:
        self._client = client
        self.cell = cell
        self.history: list[Any] = [user("What is in a.py?")]
        self._tools = [tool(cell.wire, name) for name in NATIVE]

    def ask(self) -> Answer:
        """Ask; into the history go the answer, and a result for each call or a further question."""
        made = self._asked()
        document: Json = made.model_dump(mode="json", exclude_none=True)
        answer = READERS[self.cell.wire](_read_like_wire(self.cell.wire, document))
        self.history += self._said(made)
        self.history += results(self.cell.wire, answer) if answer.calls else [user("And now?")]
        return answer

    def _said(self, made: Any) -> list[Any]:
        if self.cell.wire == ANTHROPIC_MESSAGES:
            return [{"role": "assistant", "content": made.content}]
        if self.cell.wire == OPENAI_CHAT:
            # The accumulator's message has nulls that the API has no field for.
            message = made.choices[0].message
            return [message.to_dict(exclude_none=True) if self.cell.stream else message]
        return list(made.output)

    def _asked(self) -> Any:
        asked: dict[str, Any] = {"model": "m", "tools": self._tools}
        if self.cell.wire == ANTHROPIC_MESSAGES:
            return self._message({**asked, "max_tokens": 100, "messages": self.history})
        if self.cell.wire == OPENAI_CHAT:
            return self._chat({**asked, "messages": self.history})
        return self._response({**asked, "input": self.history, "store": False})

    def _message(self, asked: dict[str, Any]) -> Any:
        if not self.cell.stream:
            return self._client.messages.create(**asked)
        with self._client.messages.stream(**asked) as stream:
            return stream.get_final_message()

    def _chat(self, asked: dict[str, Any]) -> Any:
        if not self.cell.stream:
            return self._client.chat.completions.create(**asked)
        options = {"include_usage": True}
        with self._client.chat.completions.stream(**asked, stream_options=options) as stream:
            return stream.get_final_completion()

    def _response(self, asked: dict[str, Any]) -> Any:
        if not self.cell.stream:
            return self._client.responses.create(**asked)
        with self._client.responses.stream(**asked) as stream:
            for event in stream:
                if event.type == "response.failed":
                    raise ResponseFailedError(event.response.error)
            return stream.get_final_response()


def _read_like_wire(wire: str, document: Json) -> Json:
    """Put back what the dump leaves out because it is null."""
    if wire == OPENAI_CHAT:
        message = document["choices"][0]["message"]
        message.setdefault("content", None)
    return document


@contextmanager
def conversation(proxy: Proxied, cell: Cell) -> Generator[Conversation]:
    """A client at the proxy, as it is by default: it may repeat what fails."""
    url = f"http://127.0.0.1:{proxy.port}"
    if cell.wire == ANTHROPIC_MESSAGES:
        with anthropic.Anthropic(api_key="k", base_url=url) as vendor:
            yield Conversation(vendor, cell)
        return
    with openai.OpenAI(api_key="k", base_url=f"{url}/v1") as client:
        yield Conversation(client, cell)


def errors(cell: Cell) -> Any:
    """The client's module, where its errors are."""
    return anthropic if cell.wire == ANTHROPIC_MESSAGES else openai

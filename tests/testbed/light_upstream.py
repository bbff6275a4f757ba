"""A model and a tool that cost next to nothing, as a process of their own; prints its port.

    python tests/testbed/light_upstream.py

Chat Completions, streamed: words and a call of `docs_search`, if it is offered and was not called
yet; otherwise words alone. A request that holds FEW_WORDS gets few, and no call. Ends when standard
input is closed.
"""

import asyncio
import contextlib
import json
import sys

PAUSE = 0.02
"""Seconds between two events."""
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
WHOLE = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 14\r\n\r\n"
WORDS = 30


def event(delta: dict[str, object], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return framed(b"data: " + json.dumps({**chunk, "choices": [choice]}).encode() + b"\n\n")


def framed(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


END = framed(b"data: [DONE]\n\n") + b"0\r\n\r\n"
FUNCTION = {"name": "docs_search", "arguments": '{"q":"x"}'}
CALL = {"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": FUNCTION}]}
CALLING = [
    event({"role": "assistant", "content": "Looking. "}),
    *[event({"content": f"word {place} "}) for place in range(3)],
    event(CALL),
    event({}, "tool_calls") + END,
]
ANSWER = [
    event({"role": "assistant", "content": "Found. "}),
    *[event({"content": f"word {place} "}) for place in range(WORDS)],
    event({}, "stop") + END,
]
FEW = [ANSWER[0], ANSWER[-1]]


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    gone = (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError)
    with contextlib.suppress(*gone):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0] or b"0")
            body = await reader.readexactly(length)
            if b"/docs_search" in head:
                await asyncio.sleep(PAUSE)
                writer.write(WHOLE + b'{"found":"it"}')
                continue
            hidden = b'"docs_search"' in body and b"call_1" not in body
            few = b"FEW_WORDS" in body
            writer.write(HEAD)
            for piece in FEW if few else CALLING if hidden else ANSWER:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(PAUSE)
    writer.close()


async def main() -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(main())

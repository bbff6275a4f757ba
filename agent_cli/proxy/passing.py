"""Requests that are passed on as they are, and answers that come back as they are."""

from collections.abc import Mapping

from agent_cli.network.serving import Reply
from agent_cli.proxy.delivery import EVENTS
from agent_cli.proxy.envelopes import ProxyError
from agent_cli.proxy.upstream import Answer, Upstream


async def pass_on(answer: Answer, reply: Reply, headers: Mapping[str, str]) -> None:
    """Give the client the upstream's answer, byte for byte and as it comes."""
    returned = {**answer.returned_headers, **headers}
    if answer.streams:
        returned |= {name: value for name, value in EVENTS.items() if name != "content-type"}
    try:
        await reply.begin(answer.status, returned)
        async for piece in answer.pieces():
            await reply.write(piece)
        await reply.end()
    except ProxyError:
        reply.abort()  # the client has to see that it is not whole
    finally:
        answer.close()


async def known_to(
    upstream: Upstream, dialect: str, path: str, headers: Mapping[str, str], body: bytes
) -> Answer | None:
    """Ask for something that not every upstream has; None if this one has not."""
    answer = await upstream.ask(dialect, path, headers, body)
    if answer.status in (404, 405, 501):
        answer.close()
        return None
    return answer

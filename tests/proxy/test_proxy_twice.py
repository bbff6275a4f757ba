"""Equal requests at the same time, where the first takes longer than the second can wait."""

import threading
from pathlib import Path
from typing import Any

from testbed.exchange import OPENAI_CHAT
from testbed.managed_service import Answered, ToolService, found
from testbed.proxied import Got, proxied
from testbed.proxy_cells import Cell, W
from testbed.proxy_clients import user
from testbed.replies import Reply, Say

CHAT = Cell(OPENAI_CHAT, stream=False)


def test_a67_who_cannot_wait_any_longer_is_told_when_to_come_again(tmp_path: Path):
    go_on = threading.Event()

    def slow(tool: str, arguments: dict[str, Any]) -> Answered:
        go_on.wait(20)
        return found(tool, arguments)

    def script(exchange: Any) -> Reply:
        return Say("Done.") if len(exchange.body["messages"]) > 1 else Say(calls=[W])

    limits = {"duplicate_wait": 0.1}
    with proxied(script, tmp_path, ToolService(slow), limits=limits) as proxy:
        first: list[Got] = []
        body = CHAT.request([user("hi")])
        asking = threading.Thread(target=lambda: first.append(proxy.ask(CHAT.path, body)))
        asking.start()
        proxy.service.wait_for(1)
        second = proxy.ask(CHAT.path, body)
        go_on.set()
        asking.join()
        third = proxy.ask(CHAT.path, body)
        assert proxy.service.tools == ["crm_update"]
    assert (second.status, second.headers["retry-after"]) == (409, "5")
    assert second.json["error"]["code"] == "duplicate_in_flight"
    assert (first[0].status, third.status) == (200, 200)


def test_who_wants_the_same_twice_may_say_so(tmp_path: Path):
    script = [Say(calls=[W]), Say("One."), Say(calls=[W]), Say("Two.")]
    with proxied(script, tmp_path) as proxy:
        body = CHAT.request([user("hi")])
        for _ in range(2):
            proxy.ask(CHAT.path, body, {"x-agent-proxy-dedupe": "off"})
        assert proxy.service.tools == ["crm_update"] * 2

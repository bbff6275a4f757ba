"""Equal requests at the same time, where the first takes longer than the second can wait."""

import threading
from pathlib import Path
from typing import Any

from testbed.managed_service import Held, ToolService
from testbed.proxied import Got, proxied
from testbed.proxy_cells import Cell, W, cells
from testbed.proxy_clients import user
from testbed.replies import Reply, Say


@cells
def test_a67_who_cannot_wait_any_longer_is_told_when_to_come_again(cell: Cell, tmp_path: Path):
    held = Held()

    def script(exchange: Any) -> Reply:
        history = exchange.body.get("messages") or exchange.body["input"]
        return Say("Done.") if len(history) > 1 else Say(calls=[W])

    limits = {"duplicate_wait": 0.1}
    with proxied(script, tmp_path, ToolService(held), limits=limits) as proxy:
        first: list[Got] = []
        body = cell.request([user("hi")])
        asking = threading.Thread(target=lambda: first.append(proxy.ask(cell.path, body)))
        asking.start()
        proxy.service.wait_for(1)
        second = proxy.ask(cell.path, body)
        held.go_on()
        asking.join()
        third = proxy.ask(cell.path, body)
        assert proxy.service.tools == ["crm_update"]
    assert (second.status, second.headers["retry-after"]) == (409, "5")
    assert b"duplicate_in_flight" in second.body
    assert (first[0].status, third.status) == (200, 200)


@cells
def test_who_wants_the_same_twice_may_say_so(cell: Cell, tmp_path: Path):
    script = [Say(calls=[W]), Say("One."), Say(calls=[W]), Say("Two.")]
    with proxied(script, tmp_path) as proxy:
        body = cell.request([user("hi")])
        for _ in range(2):
            proxy.ask(cell.path, body, {"x-agent-proxy-dedupe": "off"})
        assert proxy.service.tools == ["crm_update"] * 2

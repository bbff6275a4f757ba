"""Two replicas behind one Postgres, one of which is killed: nothing lost, nothing done twice."""

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from testbed.managed_service import Behaviour, Held, ToolService, found
from testbed.postgres import needs_postgres
from testbed.proxied import Proxied
from testbed.proxy_cells import Cell, N, W, cells
from testbed.proxy_clients import repeated, results, user
from testbed.proxy_process import ProxyProcess, proxy_process
from testbed.replies import Delivery, Say
from testbed.server import ModelServer, Script

pytestmark = needs_postgres

CHAT = Cell("openai_chat", stream=False)


class Replicas:
    """Two that know nothing of each other but the database."""

    def __init__(self, one: ProxyProcess, two: ProxyProcess, upstream: ModelServer) -> None:
        self.one = one
        self.two = two
        self.upstream = upstream
        self.first = one.start()
        self.second = two.start()

    @property
    def service(self) -> ToolService:
        return self.first.service

    def kill_the_first(self) -> None:
        assert self.one.end(signal.SIGKILL) == -signal.SIGKILL


@contextmanager
def replicas(
    script: Script, folder: Path, database: str, behaviour: Behaviour = found
) -> Generator[Replicas]:
    folders = [folder / "one", folder / "two"]
    for each in folders:
        each.mkdir()
    with (
        ModelServer(script) as upstream,
        ToolService(behaviour) as service,
        proxy_process(upstream, service, folders[0], database) as one,
        proxy_process(upstream, service, folders[1], database) as two,
    ):
        yield Replicas(one, two, upstream)
        assert upstream.violations == []


def asking(proxy: Proxied, outcomes: list[Any]) -> threading.Thread:
    """Ask in another thread; what comes of it, also a lost connection, is the outcome."""

    def ask() -> None:
        try:
            outcomes.append(CHAT.ask(proxy, [user("hi")])[1])
        except ConnectionError as error:
            outcomes.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    return thread


@cells
def test_a41_a42_the_other_replica_goes_on_where_a_kill_ended_the_first(
    cell: Cell, tmp_path: Path, database: str
):
    script = [Say(calls=[W, N]), Say("Done.")]
    with replicas(script, tmp_path, database) as both:
        _, answer = cell.ask(both.first, [user("hi")])
        both.kill_the_first()
        history = [user("hi"), *repeated(cell.wire, answer), *results(cell.wire, answer)]
        _, last = cell.ask(both.second, history)
        assert last.text == "Done."
        assert "crm_update" in str(both.upstream.requests[1].body)
        assert both.service.tools == ["crm_update"]


def test_a50_what_a_killed_replica_had_done_is_not_done_again(tmp_path: Path, database: str):
    script = [Say(calls=[W]), Say("lost", delivery=Delivery(stall_at=0)), Say("Done.")]
    with replicas(script, tmp_path, database) as both:
        outcomes: list[Any] = []
        lost = asking(both.first, outcomes)
        both.upstream.wait_for(2)
        both.kill_the_first()
        lost.join()
        _, answer = CHAT.ask(both.second, [user("hi")])
        assert answer.text == "Done."
        assert both.service.tools == ["crm_update"]
        told = [both.upstream.requests[place].body["messages"] for place in (1, 2)]
        assert told[0] == told[1]
    assert isinstance(outcomes[0], ConnectionError)


def test_a_call_that_a_kill_has_cut_is_not_made_by_the_other(tmp_path: Path, database: str):
    held = Held()
    script = [Say(calls=[W]), Say(calls=[W]), Say("Unknown.")]
    with replicas(script, tmp_path, database, held) as both:
        lost = asking(both.first, [])
        both.service.wait_for(1)
        both.kill_the_first()
        lost.join()
        _, answer = CHAT.ask(both.second, [user("hi")])
        held.go_on()
        assert answer.text == "Unknown."
        assert both.service.begun == ["crm_update"]
        assert "unknown_outcome" in str(both.upstream.requests[2].body)


def test_a67_equal_requests_to_both_execute_once(tmp_path: Path, database: str):
    held = Held()
    script = [Say(calls=[W]), Say(calls=[W]), Say("Done."), Say("Done.")]
    with replicas(script, tmp_path, database, held) as both:
        outcomes: list[Any] = []
        first = asking(both.first, outcomes)
        both.service.wait_for(1)
        second = asking(both.second, outcomes)
        both.upstream.wait_for(2)
        held.go_on()
        first.join()
        second.join()
        assert [one.text for one in outcomes] == ["Done.", "Done."]
        assert both.service.tools == ["crm_update"]

"""Whatever the model says, the streamed answer is the whole one, also to the vendors' own clients.

A few cases run with every commit; `-m nightly` runs 500 in each dialect.
"""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from testbed.proxied import Proxied, proxied
from testbed.proxy_cells import Cell, both_of_each_wire
from testbed.proxy_clients import PATHS, READERS, Answer, user, whole
from testbed.proxy_twins import plain
from testbed.replies import Call, Delivery, Say
from testbed.sdk_conversations import ResponseFailedError, conversation, errors

CALLS = st.lists(
    st.builds(
        Call,
        st.sampled_from(["docs_search", "read_file", "bash", "crm_update"]),
        st.fixed_dictionaries({"q": st.text(max_size=8), "n": st.integers(0, 9)}),
    ),
    max_size=3,
)
ROUNDS = st.lists(
    st.builds(
        Say,
        st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=30),
        CALLS,
        st.sampled_from([None, "Hm."]),
        delivery=st.builds(Delivery, chunk=st.sampled_from([0, 1, 7]), piece=st.integers(1, 9)),
    ),
    min_size=1,
    max_size=3,
)
ENDS = ("mixed_tool_order", "finalization_violated")
"""What some replies come to: a refusal, or calls again after three equal ones."""
SEALS = frozenset({"signature", "encrypted_content"})
"""They depend on the number of the upstream's request."""
WITHOUT_SHRINKING = settings(
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
)


class Playing:
    """One proxy for all examples: each asks what nobody has asked before."""

    def __init__(self) -> None:
        self.rounds: list[Say] = []
        self.at = 0
        self.asked = 0

    def __call__(self, exchange: Any) -> Say:
        reply = self.rounds[self.at] if self.at < len(self.rounds) else Say("The end.")
        self.at += 1
        return reply

    def question(self, rounds: list[Say]) -> Any:
        """Begin again; return a question that nobody has asked."""
        self.rounds, self.at = rounds, 0
        self.asked += 1
        return user(f"question {self.asked}")


@pytest.fixture
def playing(tmp_path: Path) -> Any:
    script = Playing()
    with proxied(script, tmp_path) as proxy:
        proxy.distinct = False  # any call may have any arguments
        yield script, proxy
        proxy.upstream.violations.clear()


def told(answer: Answer) -> Any:
    calls = [(name, arguments) for _, name, arguments in answer.calls]
    return answer.text, calls, answer.finish


def compare(wire: str, rounds: list[Say], script: Playing, proxy: Proxied) -> None:
    heard: list[Any] = []
    for stream in (False, True):
        body = Cell(wire, stream=stream).request([script.question(rounds)])
        got = proxy.ask(PATHS[wire], body)
        if ends := [end for end in ENDS if end.encode() in got.body]:
            heard.append(ends)
            continue
        assert got.status == 200, got.body
        heard.append(whole(wire, got.body, stream=stream))
    assert plain(heard[0], SEALS) == plain(heard[1], SEALS)
    with conversation(proxy, Cell(wire, stream=True)) as it:
        it.history = [script.question(rounds)]
        failed = (ResponseFailedError, errors(it.cell).APIError)
        if isinstance(heard[0], list):
            with pytest.raises(failed, match=heard[0][0]):
                it.ask()
        else:
            assert told(it.ask()) == told(READERS[wire](heard[0]))


@both_of_each_wire
@settings(WITHOUT_SHRINKING, max_examples=12)
@given(rounds=ROUNDS)
def test_a60_a_stream_makes_the_same_answer(
    wire: str, rounds: list[Say], playing: tuple[Playing, Proxied]
):
    compare(wire, rounds, *playing)


@pytest.mark.nightly
@pytest.mark.timeout(1_800)
@both_of_each_wire
@settings(WITHOUT_SHRINKING, max_examples=500)
@given(rounds=ROUNDS)
def test_a60_so_do_many(wire: str, rounds: list[Say], playing: tuple[Playing, Proxied]):
    compare(wire, rounds, *playing)

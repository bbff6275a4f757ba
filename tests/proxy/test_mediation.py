"""The plan of a reply."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.proxy.mediation import Kind, Mixed, Plan, Reply, Rules, Then, Unsafe, plan

OURS = frozenset({"m", "w", "end"})
ENDING = frozenset({"end"})
FORWARD = Rules()
RESAMPLE = Rules(mixed=Mixed.RESAMPLE)
RETRY = Rules(unsafe=Unsafe.RETRY_THEN_ERROR)
ALWAYS = Rules(unsafe=Unsafe.RETRY_INTERNAL)
FRESH = Reply()

TABLE = [
    pytest.param("", FORWARD, FRESH, Plan(Kind.NONE, Then.FINISH), id="no call"),
    pytest.param("n b", FORWARD, FRESH, Plan(Kind.NATIVE, Then.FINISH, release=(0, 1)), id="A4"),
    pytest.param("m w", FORWARD, FRESH, Plan(Kind.MANAGED, Then.ASK, execute=(0, 1)), id="A16"),
    pytest.param(
        "m n", FORWARD, FRESH, Plan(Kind.PREFIX, Then.FINISH, (0,), (1,)), id="A25 prefix, suffix"
    ),
    pytest.param(
        "m w n b", FORWARD, FRESH, Plan(Kind.PREFIX, Then.FINISH, (0, 1), (2, 3)), id="A26"
    ),
    pytest.param(
        "m n", RESAMPLE, FRESH, Plan(Kind.PREFIX, Then.ASK, (0,), drop=(1,)), id="A34 asked again"
    ),
    pytest.param(
        "n m", FORWARD, FRESH, Plan(Kind.UNSAFE, Then.REFUSE, reject=(0, 1)), id="A29 refused"
    ),
    pytest.param(
        "m n w",
        FORWARD,
        FRESH,
        Plan(Kind.UNSAFE, Then.REFUSE, reject=(0, 1, 2)),
        id="A30 not even what leads",
    ),
    pytest.param(
        "n m", RETRY, FRESH, Plan(Kind.UNSAFE, Then.ASK, reject=(0, 1)), id="A32 first attempt"
    ),
    pytest.param(
        "n m",
        RETRY,
        Reply(retried=1),
        Plan(Kind.UNSAFE, Then.REFUSE, reject=(0, 1)),
        id="A33 second attempt",
    ),
    pytest.param(
        "n m",
        ALWAYS,
        Reply(retried=7),
        Plan(Kind.UNSAFE, Then.ASK, reject=(0, 1)),
        id="always sent back",
    ),
    pytest.param(
        "m m n",
        FORWARD,
        Reply(cut=True),
        Plan(Kind.CUT, Then.FINISH, drop=(0, 1, 2)),
        id="A57 natives after a managed call of a cut reply",
    ),
    pytest.param(
        "n m",
        FORWARD,
        Reply(cut=True),
        Plan(Kind.CUT, Then.FINISH, release=(0,), drop=(1,)),
        id="A57 natives before it",
    ),
    pytest.param(
        "n",
        FORWARD,
        Reply(cut=True),
        Plan(Kind.NATIVE, Then.FINISH, release=(0,)),
        id="a cut reply of native calls is the client's affair",
    ),
    pytest.param(
        "m n",
        FORWARD,
        Reply(calls_forbidden=True),
        Plan(Kind.DESPITE_NONE, Then.FINISH, release=(1,), drop=(0,)),
        id="A10 tool_choice none",
    ),
    pytest.param(
        "m end", FORWARD, FRESH, Plan(Kind.MANAGED, Then.ASK, execute=(0, 1)), id="A44 last"
    ),
    pytest.param(
        "end m",
        FORWARD,
        FRESH,
        Plan(Kind.TERMINAL_ORDER, Then.REFUSE, reject=(0, 1)),
        id="a terminal call before another",
    ),
    pytest.param(
        "end n",
        RETRY,
        FRESH,
        Plan(Kind.TERMINAL_ORDER, Then.ASK, reject=(0, 1)),
        id="a terminal call before a native one",
    ),
]


@pytest.mark.parametrize(("names", "rules", "reply", "expected"), TABLE)
def test_the_plan_of(names: str, rules: Rules, reply: Reply, expected: Plan):
    assert plan(names.split(), OURS, rules, reply, ENDING) == expected


NAMES = st.lists(st.sampled_from(["m", "w", "end", "n", "b"]), max_size=7)
RULES = st.builds(Rules, st.sampled_from(Mixed), st.sampled_from(Unsafe), st.integers(0, 3))
REPLIES = st.builds(Reply, st.booleans(), st.booleans(), st.integers(0, 4))


@given(NAMES, RULES, REPLIES)
def test_every_call_has_one_fate_and_no_call_changes_places(
    names: list[str], rules: Rules, reply: Reply
):
    made = plan(names, OURS, rules, reply, ENDING)
    fates = [made.execute, made.release, made.reject, made.drop]
    assert sorted(place for fate in fates for place in fate) == list(range(len(names)))
    assert all(list(fate) == sorted(fate) for fate in fates)


@given(NAMES, RULES, REPLIES)
def test_only_managed_calls_are_executed_and_only_native_ones_released(
    names: list[str], rules: Rules, reply: Reply
):
    made = plan(names, OURS, rules, reply, ENDING)
    assert all(names[place] in OURS for place in made.execute)
    assert not any(names[place] in OURS for place in made.release)


@given(NAMES, RULES, REPLIES)
def test_what_is_executed_leads_and_is_whole(names: list[str], rules: Rules, reply: Reply):
    made = plan(names, OURS, rules, reply, ENDING)
    assert made.execute == tuple(range(len(made.execute)))
    assert not made.execute or not (made.reject or reply.cut or reply.calls_forbidden)
    if made.execute:
        assert not any(name in OURS for name in names[len(made.execute) :])

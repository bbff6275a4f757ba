"""What a client sees before a reply is whole, and of hidden rounds."""

import json
from pathlib import Path

import pytest
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES, WIRES
from testbed.proxied import proxied
from testbed.proxy_cells import B, Cell, M, N, cells, names
from testbed.proxy_clients import Answer, frames, repeated, results, user
from testbed.replies import Call, Delivery, Say


def thoughts(answer: Answer) -> str:
    """What a client is shown of the model's reasoning."""
    found = ""
    for block in answer.blocks:
        found += block.get("thinking") or block.get("reasoning_content") or ""
        found += "".join(part["text"] for part in block.get("summary") or ())
    return found


THOUGHT = [Say("", [M], reasoning="First."), Say("Done.", reasoning="Second.")]
SHOWN = [
    pytest.param({}, ("First.Second.", "First.Second."), id="live"),
    pytest.param({"thinking_stream": "held"}, ("First.Second.", "Second."), id="held"),
    pytest.param(
        {"thinking_stream": "held", "hidden_reasoning": "show"},
        ("First.Second.", "First.Second."),
        id="show",
    ),
    pytest.param({"hidden_reasoning": "hide"}, ("Second.", "Second."), id="hide"),
]


@cells
@pytest.mark.parametrize(("mediation", "shown"), SHOWN)
def test_reasoning_of_hidden_rounds_is_shown_or_not(
    cell: Cell, mediation: dict[str, str], shown: tuple[str, str], tmp_path: Path
):
    with proxied(THOUGHT, tmp_path, mediation=mediation) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
    plain, bound = shown
    assert thoughts(answer) == (plain if cell.wire == OPENAI_CHAT else bound)
    assert answer.text == "Done."


@cells
def test_reasoning_that_leads_to_words_is_shown_with_them(cell: Cell, tmp_path: Path):
    script = [Say("Let me see.", [M], reasoning="First."), Say("Done.")]
    with proxied(script, tmp_path, mediation={"hidden_reasoning": "hide"}) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
    assert thoughts(answer) == "First."
    assert answer.text == "Let me see.\n\nDone."


@cells
def test_a18_only_the_words_of_the_last_round_are_shown(cell: Cell, tmp_path: Path):
    script = [Say("One.", [M]), Say("Two.", [M, N]), Say("Three.", [M])]
    script += [Say("Four."), Say("Five.")]
    with proxied(script, tmp_path, mediation={"round_text": "last"}) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        more = [*repeated(cell.wire, answer), *results(cell.wire, answer)]
        _, final = cell.ask(proxy, [user("hi"), *more])
        more += repeated(cell.wire, final)
        cell.ask(proxy, [user("hi"), *more, user("go on")])
        said = json.dumps(proxy.upstream.requests[-1].body)
    assert (answer.text, names(answer), final.text) == ("Two.", ["read_file"], "Four.")
    assert [said.count(word) for word in ("One.", "Two.", "Three.", "Four.")] == [1, 1, 1, 1]


@cells
def test_a4_native_calls_may_pass_at_once(cell: Cell, tmp_path: Path):
    mediation = {"native_release": "immediate"}
    script = [Say(calls=[M]), Say("Words.", [N, B]), Say("Done.")]
    with proxied(script, tmp_path, mediation=mediation) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        more = [*repeated(cell.wire, answer), *results(cell.wire, answer)]
        _, final = cell.ask(proxy, [user("hi"), *more])
    assert (answer.text, names(answer)) == ("Words.", ["read_file", "bash"])
    assert [arguments for _, _, arguments in answer.calls] == [N.arguments, B.arguments] or (
        cell.wire == ANTHROPIC_MESSAGES
    )
    assert final.text == "Done."


LONG = Call("read_file", {"path": "a" * 4_000})


@pytest.mark.parametrize("wire", WIRES)
def test_a_native_call_is_seen_before_its_reply_ends(wire: str, tmp_path: Path):
    cell = Cell(wire, stream=True)
    mediation = {"native_release": "immediate"}
    say = Say(calls=[LONG], delivery=Delivery(piece=10, stall_at=4_000))
    with proxied([say], tmp_path, mediation=mediation) as proxy:
        came = proxy.listen(cell.path, cell.request([user("hi")]), lambda heard: b"aaa" in heard)
    assert b"read_file" in came
    assert b"aaa" in came


@pytest.mark.parametrize("wire", [ANTHROPIC_MESSAGES, OPENAI_RESPONSES])
def test_reasoning_passes_at_once(wire: str, tmp_path: Path):
    cell = Cell(wire, stream=True)
    say = Say("x", reasoning="abc " * 1_000, delivery=Delivery(piece=10, stall_at=4_000))
    with proxied([say], tmp_path) as proxy:
        came = proxy.listen(cell.path, cell.request([user("hi")]), lambda heard: b"abc" in heard)
    assert b"abc" in came


@cells
def test_a29_a_managed_call_after_one_that_has_passed_is_an_error(cell: Cell, tmp_path: Path):
    mediation = {"native_release": "immediate"}
    with proxied([Say(calls=[N, M])], tmp_path, mediation=mediation) as proxy:
        got = proxy.ask(cell.path, cell.request([user("hi")]))
        assert proxy.service.executed == []
    if not cell.stream:
        assert got.status == 400
        return
    assert got.status == 200
    assert b"mixed_tool_order" in got.body
    assert b"docs_search" not in b"".join(frame.data for frame in frames(got.body)[:-1])
    assert b"read_file" in got.body


@cells
def test_calls_without_sound_ids_do_not_pass_at_once(cell: Cell, tmp_path: Path):
    mediation = {"native_release": "immediate"}
    same = [Call("read_file", {"path": "a"}, "same"), Call("bash", {"path": "b"}, "same")]
    with proxied([Say(calls=same)], tmp_path, mediation=mediation) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
    assert names(answer) == ["read_file", "bash"]
    assert len({id_ for id_, _, _ in answer.calls}) == 2


@pytest.mark.parametrize("done", [True, False])
def test_a_stream_may_be_ended_after_an_error(tmp_path: Path, *, done: bool):
    cell = Cell(OPENAI_CHAT, stream=True)
    with proxied([Say("x", [N, M])], tmp_path, mediation={"done_after_error": done}) as proxy:
        got = proxy.ask(cell.path, cell.request([user("hi")]))
    assert b"mixed_tool_order" in got.body
    assert got.body.endswith(b"data: [DONE]\n\n") is done

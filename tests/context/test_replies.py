"""Sentences for the model: every code has one, and every result says something."""

import pytest

from agent_cli.context.replies import nudge, reply, result_text, sentence
from agent_cli.types.messages import ToolResult
from agent_cli.types.outcomes import Code, Nudge, Outcome
from agent_cli.types.requests import Protocol

GUARD = "Cannot execute attempt_completion because a previous tool failed in this turn"


@pytest.mark.trap("T-26")
@pytest.mark.parametrize("code", Code)
@pytest.mark.parametrize("outcome", Outcome)
def test_every_code_has_a_sentence(code, outcome):
    assert sentence(code, outcome).strip()


_OTHER = {Nudge.CUT_OFF, Nudge.ROLLED_BACK, Nudge.CALL_ORDER}
"""They say what else is to be done."""


@pytest.mark.parametrize("code", Nudge)
@pytest.mark.parametrize("protocol", Protocol)
def test_every_nudge_has_a_text_for_each_protocol(code, protocol):
    text = nudge(code, protocol)
    assert "attempt_completion" in text or code in _OTHER


def test_only_the_xml_reminder_shows_tags():
    assert "<attempt_completion>\n<result>" in nudge(Nudge.NO_TOOL, Protocol.XML)
    assert not any("<" in nudge(code, Protocol.NATIVE) for code in Nudge)


@pytest.mark.trap("T-26")
def test_a_refused_completion_reads_exactly_the_published_sentence():
    refused = ToolResult("c1", Outcome.FAILED, Code.FAILED_EARLIER)
    assert result_text(refused) == GUARD


def result(outcome, code=None, content=""):
    return ToolResult("c1", outcome, code, content)


TEXTS = [
    pytest.param(result(Outcome.OK, None, "out"), "out", id="content stands alone"),
    pytest.param(result(Outcome.OK, None, " \n"), "(no output)", id="nothing is said in words"),
    pytest.param(
        result(Outcome.OK, Code.REPEATED, "out"), f"out\n\n{reply('repeated')}", id="hint"
    ),
    pytest.param(
        result(Outcome.OK, Code.REPEATED),
        f"(no output)\n\n{reply('repeated')}",
        id="hint without output",
    ),
    pytest.param(result(Outcome.OK, Code.FINISHED, "Accepted."), "Accepted.", id="completion"),
    pytest.param(result(Outcome.OK, Code.FINISHED), sentence(Code.FINISHED), id="completion, bare"),
    pytest.param(
        result(Outcome.FAILED, Code.UNKNOWN_TOOL, "'x'"),
        f"{sentence(Code.UNKNOWN_TOOL)}\n\n'x'",
        id="sentence and detail",
    ),
    pytest.param(result(Outcome.FAILED, None, "no such file"), "no such file", id="tool error"),
    pytest.param(result(Outcome.REJECTED), reply("rejected"), id="rejected without words"),
    pytest.param(
        result(Outcome.SKIPPED, Code.FAILED_EARLIER),
        "Not run: an earlier completion in this message was refused.",
        id="skipped after a refused completion",
    ),
    pytest.param(result(Outcome.UNKNOWN, Code.KILLED), reply("unknown"), id="unknown end"),
    pytest.param(
        result(Outcome.INTERRUPTED, Code.KILLED), sentence(Code.KILLED), id="known not to have run"
    ),
]


@pytest.mark.parametrize(("given", "expected"), TEXTS)
def test_the_text_of_a_result(given, expected):
    assert result_text(given) == expected


@pytest.mark.parametrize("outcome", Outcome)
def test_a_result_without_code_and_content_still_says_something(outcome):
    assert result_text(ToolResult("c1", outcome)).strip()


@pytest.mark.parametrize("protocol", Protocol)
def test_wrong_arguments_come_with_the_form_of_a_call(protocol):
    text = result_text(
        result(Outcome.FAILED, Code.INVALID_ARGUMENTS, "path: expected str"), protocol
    )
    assert text.startswith(sentence(Code.INVALID_ARGUMENTS) + "\n\npath: expected str\n\n")
    assert ("<attempt_completion>" in text) is (protocol is Protocol.XML)


def test_what_the_user_said_is_never_expanded():
    assert "<feedback>\ncosts $5 ${x\n</feedback>" in reply(
        "completion_feedback", text="costs $5 ${x"
    )


SAID = ["feedback", "comment", "completion_feedback"]
FIXED = ["accepted", "accepted_by_nobody", "command_denied", "command_rejected", "rejected"]


@pytest.mark.parametrize("name", SAID)
def test_a_wrapper_without_its_text_raises(name):
    assert "more tests" in reply(name, text="more tests")
    with pytest.raises(KeyError):
        reply(name)


@pytest.mark.parametrize("name", FIXED)
def test_a_fixed_sentence_needs_nothing(name):
    assert reply(name).strip()


def test_an_unattended_completion_with_a_command_says_both():
    text = f"{reply('command_denied')}\n\n{reply('accepted_by_nobody')}"
    assert "not run" in text
    assert "Nobody" in text

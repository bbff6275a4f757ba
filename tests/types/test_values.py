"""The few questions that the shared values answer themselves."""

import pytest

from agent_cli.types.effects import Effect, Kind, changes_the_world
from agent_cli.types.errors import RETRYABLE, BlockedPathError, Fault, ProviderError, ToolError
from agent_cli.types.messages import AssistantMessage, Reasoning, Text, ToolCall, ToolResult
from agent_cli.types.outcomes import Code, Outcome

CHANGES = {Kind.WRITE, Kind.EXECUTE, Kind.NETWORK, Kind.MCP}


@pytest.mark.parametrize("kind", Kind)
def test_what_a_kind_of_effect_does_to_the_world(kind: Kind):
    assert changes_the_world((Effect(Kind.READ, "a"), Effect(kind, "b"))) == (kind in CHANGES)


def test_nothing_changes_without_effects():
    assert not changes_the_world(())


def test_a_message_knows_its_calls_and_its_text_in_order():
    one, two = ToolCall("a", "read_file", "{}"), ToolCall("b", "read_file", "{}")
    message = AssistantMessage((Text("let "), one, Reasoning("hm"), Text("me see"), two))
    assert message.calls == (one, two)
    assert message.text == "let me see"


@pytest.mark.parametrize("outcome", Outcome)
def test_everything_but_ok_is_an_error_on_the_wire(outcome: Outcome):
    assert ToolResult("a", outcome).is_error == (outcome is not Outcome.OK)


def test_a_blocked_path_says_so():
    error = BlockedPathError("'../x' is outside the workspace")
    assert isinstance(error, ToolError)
    assert error.code is Code.BLOCKED_PATH
    assert ToolError("no such file").code is None


@pytest.mark.parametrize("fault", Fault)
def test_asking_again_helps_where_the_next_answer_may_differ(fault: Fault):
    error = ProviderError("no answer", fault, status=529, retry_after=1.5)
    assert error.retryable == (fault in RETRYABLE)
    assert (error.status, error.retry_after, str(error)) == (529, 1.5, "no answer")


def test_asking_again_never_helps_against_our_own_mistakes():
    ours = {
        Fault.AUTHENTICATION,
        Fault.BUDGET,
        Fault.CALL_ORDER,
        Fault.CONTEXT_WINDOW,
        Fault.INVALID_REQUEST,
    }
    assert set(Fault) - ours == RETRYABLE

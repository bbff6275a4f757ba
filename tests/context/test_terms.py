"""What the system prompt says of failures and completions: only what holds."""

import pytest

from agent_cli.context.terms import Terms, about_completion, in_messages
from agent_cli.types.turn_rules import OnFailure, Scope, TurnRules

USUAL = TurnRules().block_on
WITH_STATUS = (*USUAL, "exit_nonzero")
TODOS = frozenset({"update_todo_list"})

GUARDS = {
    "as usual": (USUAL, Scope.TURN, "same message failed. Read the results first; a completion"),
    "with the status": (WITH_STATUS, Scope.TURN, "with another exit code than 0. Read"),
    "denials alone": (("denied",), Scope.TURN, "ended in one of these ways: `denied`. Read"),
    "until made good": (USUAL, Scope.RESOLVED, "same message failed. Read the results first."),
}


@pytest.mark.parametrize(("block_on", "scope", "said"), GUARDS.values(), ids=GUARDS)
def test_the_guard_is_told_as_it_is(block_on, scope, said):
    told = in_messages(Terms(TurnRules(block_on=block_on, scope=scope)), several=True)
    assert said in told["guard"]
    assert ("judged afresh" in told["guard"]) == (scope is Scope.TURN)
    assert "guard" not in in_messages(Terms(), several=False)


def test_where_nothing_blocks_no_guard_is_told_of():
    terms = Terms(TurnRules(block_on=(), scope=Scope.RESOLVED))
    assert in_messages(terms, several=True) == {"guard": "", "stop": ""}
    assert about_completion(terms, TODOS) == ""


POLICIES = {
    "continue": (OnFailure.CONTINUE, USUAL, True, ""),
    "stop": (OnFailure.STOP, USUAL, True, "When a call fails, the calls after it"),
    "stop, one call": (OnFailure.STOP, USUAL, False, ""),
    "stop, status": (OnFailure.STOP, WITH_STATUS, True, "When a call fails, or a command ends"),
    "stop, status alone": (OnFailure.STOP, ("exit_nonzero",), True, "When a command ends with"),
    "stop at nothing": (OnFailure.STOP, ("denied",), True, ""),
    "rollback": (OnFailure.ROLLBACK, USUAL, True, "files that the message had changed are"),
    "rollback, one call": (OnFailure.ROLLBACK, USUAL, False, "files that it had changed are"),
}


@pytest.mark.parametrize(("policy", "block_on", "several", "said"), POLICIES.values(), ids=POLICIES)
def test_what_follows_a_failure_is_told(policy, block_on, several, said):
    told = in_messages(Terms(TurnRules(policy, block_on)), several=several)["stop"]
    assert said in told
    assert bool(told) == bool(said)


PARAGRAPHS = {
    "nothing": (Terms(), TODOS, ""),
    "until made good": (Terms(TurnRules(scope=Scope.RESOLVED)), TODOS, "A call that failed keeps"),
    "to-dos": (Terms(open_todos_block=True), TODOS, "a step that is not completed"),
    "to-dos without the tool": (Terms(open_todos_block=True), frozenset[str](), ""),
    "checks": (Terms(checks=("make\ntest", "ruff check")), TODOS, "- `make test`\n- `ruff check`"),
}


@pytest.mark.parametrize(("terms", "tools", "said"), PARAGRAPHS.values(), ids=PARAGRAPHS)
def test_what_a_completion_needs_is_told(terms, tools, said):
    told = about_completion(terms, tools)
    assert said in told
    assert bool(told) == bool(said)

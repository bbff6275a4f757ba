"""Anything a model, tools, a user, interruptions and kills can do, in any order.

What must hold is counted from the entries alone, without the engine's own state.
"""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
)
from msgspec.structs import replace
from testbed import accounts
from testbed.legal import the_next_request_is_legal
from testbed.liveness import a_message_leads_on, done_alone
from testbed.loaded import entries, load
from testbed.story import SESSION, allowed, call, denied, settled

from agent_cli.engine.ahead import coming, verdict_on
from agent_cli.engine.budget import Budget
from agent_cli.engine.outcomes import COMPLETION, Verdict
from agent_cli.engine.state import apply, fold
from agent_cli.engine.steps import (
    Awaiting,
    AwaitUser,
    CallModel,
    Dispatch,
    Rules,
    Settle,
    Step,
    next_step,
)
from agent_cli.engine.subtasks import MOST_TASKS, SUBTASK
from agent_cli.engine.task import State
from agent_cli.engine.verdict import verdict
from agent_cli.engine.window import cuts
from agent_cli.sessions.codec import SEED, seal
from agent_cli.sessions.verify import verify
from agent_cli.types.approval import Verdict as Approval
from agent_cli.types.entries import (
    AssistantSaid,
    CallFinished,
    CallStarted,
    Entry,
    Envelope,
    FilesChanged,
    HistoryCompacted,
    Interrupted,
    Rewound,
    TaskStarted,
    TurnRulesSet,
    UserSaid,
    VerdictGiven,
)
from agent_cli.types.evidence import FileChange, FileVersion
from agent_cli.types.messages import AssistantMessage, StopReason, Text, ToolCall, ToolResult
from agent_cli.types.outcomes import Code, Outcome, Stop
from agent_cli.types.queued_input import InputQueued, InputUnqueued
from agent_cli.types.turn_rules import OnFailure, Scope, TurnRules
from agent_cli.types.usage import Usage

Draw = Callable[[st.SearchStrategy[Any]], Any]
NAMES = st.sampled_from(["read_file", "execute_command", SUBTASK, COMPLETION])
CALLS = st.lists(st.tuples(NAMES, st.integers(0, 9)), max_size=5)
"""Names, with luck: a call without any is cut off."""
TEXTS = st.sampled_from(["", " \n", "let me see"])
REASONS = st.sampled_from([StopReason.END, StopReason.CALLS, StopReason.LENGTH])
KEPT = st.sampled_from([None, None, None, Outcome.FAILED, Outcome.DENIED, Outcome.REJECTED])
"""What becomes of a call that does not run; None for one that does."""
RAN = st.sampled_from([Outcome.OK, Outcome.OK, Outcome.FAILED])
CONTENTS = st.sampled_from(["", "seen"])
TURN_RULES = st.builds(
    TurnRules, on_failure=st.sampled_from(OnFailure), scope=st.sampled_from(Scope)
)
RULES = st.builds(
    Rules,
    calls_per_message=st.sampled_from([None, 1]),
    interactive=st.booleans(),
    budget=st.builds(Budget, turns=st.sampled_from([None, 5]), cost=st.sampled_from([None, 1.0])),
)


class Conversation(RuleBasedStateMachine):
    @initialize(rules=RULES, turn_rules=TURN_RULES)
    def begin(self, rules: Rules, turn_rules: TurnRules) -> None:
        self.rules = rules
        self.state = State()
        self.told: list[Entry] = []
        self.journal = b""
        self.last_hash = SEED
        self.calls = 0
        self.tell(SESSION, TurnRulesSet(turn_rules), TaskStarted("code"))
        self.beginning = len(self.journal)

    def tell(self, *told: Entry) -> None:
        for entry in told:
            self.state = apply(self.state, entry)
            line, self.last_hash = seal(Envelope(len(self.told), "", entry), self.last_hash)
            self.told.append(entry)
            self.journal += line

    @rule(data=st.data(), steps=st.integers(1, 12))
    def work_goes_on(self, data: st.DataObject, steps: int) -> None:
        for _ in range(steps):
            self.perform(next_step(self.state, self.rules), data.draw)
            self.the_accounts_add_up()

    def perform(self, step: Step, draw: Draw) -> None:
        match step:
            case AwaitUser():
                self.tell(UserSaid("go on"))
            case CallModel():
                the_next_request_is_legal(self.state)
                self.tell(self.message(draw))
            case Dispatch(one):
                self.tell(*self.next_of(one, draw))
            case _:
                self.tell(done_alone(step, self.state))

    def message(self, draw: Draw) -> AssistantSaid:
        text = draw(TEXTS)
        blocks: list[Text | ToolCall] = [Text(text)] if text else []
        for name, luck in draw(CALLS):
            self.calls += 1
            blocks.append(call(f"c{self.calls}", name, complete=luck > 0))
        return AssistantSaid(AssistantMessage(tuple(blocks), draw(REASONS), Usage(cost=0.1)))

    def said_of(self, one: ToolCall) -> VerdictGiven | None:
        return verdict_on(self.state.task, one.id)

    def next_of(self, one: ToolCall, draw: Draw) -> tuple[Entry, ...]:
        """What happens next with a call that may run."""
        if self.state.task.started is None:
            unsaid = [later.id for later in coming(self.state) if not self.said_of(later)]
            if unsaid and draw(st.booleans()):
                return (VerdictGiven(unsaid[0], Approval(draw(st.booleans())), ""),)
            given = self.said_of(one)
            rejected = given is not None and not given.verdict.approved
            outcome = Outcome.REJECTED if rejected else draw(KEPT)
            if outcome is None:
                return (allowed(one.id), CallStarted(one.id, draw(st.booleans())))
            return denied(one.id) if outcome is Outcome.DENIED else (settled(one.id, outcome),)
        if one.name == SUBTASK and len(self.state.tasks) < MOST_TASKS and draw(st.booleans()):
            return (TaskStarted("ask", one.id, "do a part"),)
        if one.name == "execute_command" and not self.state.task.changed and draw(st.booleans()):
            return (FilesChanged(one.id, (FileChange("a", None, FileVersion("0", 0o644)),)),)
        outcome, content = draw(RAN), draw(CONTENTS)
        if one.name != COMPLETION or outcome is Outcome.FAILED:
            return (CallFinished(ToolResult(one.id, outcome, None, content)),)
        if content:
            return (CallFinished(ToolResult(one.id, outcome, Code.FEEDBACK, content)),)
        done = ToolResult(one.id, outcome, Code.FINISHED)
        return (CallFinished(done, completion="it is done"),)

    @rule(text=st.sampled_from(["wait", "and then"]))
    def the_user_says_something_meanwhile(self, text: str) -> None:
        self.tell(InputQueued(text))

    @rule()
    def the_user_thinks_better_of_it(self) -> None:
        self.tell(*map(InputUnqueued, self.state.queued[-1:]))

    @rule(back=st.integers(1, 3))
    def words_are_taken_back(self, back: int) -> None:
        if not self.state.task.open_calls and back <= len(self.state.points):
            self.tell(Rewound(self.state.messages_said - back))

    @rule(data=st.data())
    def the_history_is_compacted(self, data: st.DataObject) -> None:
        task = self.state.task
        if task.messages and not task.open_calls and not task.compacted:
            spoke = isinstance(task.messages[-1], AssistantMessage)
            possible = [*cuts(task.messages), *([] if spoke else [0])]
            kept = data.draw(st.sampled_from(possible))
            self.tell(HistoryCompacted("what was said", kept, "user"))

    @rule()
    def the_subtask_is_given_up(self) -> None:
        task = self.state.task
        if task.parent_call_id and not task.open_calls and task.result is None:
            outcome, code = Outcome.FAILED, Code.SUBTASK_CANCELLED
            self.tell(settled(task.parent_call_id, outcome, code))

    def stop(self, reason: Stop) -> None:
        self.tell(Interrupted(reason))
        while isinstance(step := next_step(self.state, self.rules), Settle):
            self.tell(done_alone(step, self.state))
        assert step == AwaitUser(Awaiting.INTERRUPTED)

    @rule(reason=st.sampled_from([Stop.USER, Stop.ERROR, Stop.SIGNAL]))
    def work_is_interrupted(self, reason: Stop) -> None:
        if not isinstance(next_step(self.state, self.rules), AwaitUser):
            self.stop(reason)

    @rule(lost=st.integers(0, 600))
    def the_process_is_killed(self, lost: int) -> None:
        """What was written last may be lost, up to the middle of a line."""
        before = self.state
        loaded = load(self.journal[: max(self.beginning, len(self.journal) - lost)])
        self.told = entries(loaded)
        self.state = fold(self.told)
        self.journal = self.journal[: loaded.valid_bytes]
        self.last_hash = loaded.last_hash
        assert lost or self.state == before
        if not isinstance(next_step(self.state, self.rules), AwaitUser):
            self.stop(Stop.KILLED)

    @invariant()
    def the_accounts_add_up(self) -> None:
        still_open = [[one.id for one in task.open_calls] for task in self.state.tasks]
        accounts.every_call_has_one_result_in_order(self.told, still_open)
        accounts.no_call_runs_twice_or_incomplete(self.told)
        accounts.no_call_starts_without_leave(self.told)
        accounts.queued_input_is_delivered_once_in_order(self.told, self.state.queued)
        accounts.every_message_is_worked_off_as_the_law_says(self.told)
        if self.rules.calls_per_message is not None:
            accounts.one_call_per_message_starts(self.told)

    @invariant()
    def verification_finds_nothing_but_open_calls(self) -> None:
        report = verify(self.told)
        assert list(report.unanswered) == [one.id for one in self.state.task.open_calls]
        below = [one.id for task in self.state.tasks[:-1] for one in task.open_calls]
        assert list(report.waiting) == below
        assert replace(report, unanswered=()).adds_up

    @invariant()
    def there_is_a_next_step_and_a_verdict(self) -> None:
        step = next_step(self.state, self.rules)
        if isinstance(step, AwaitUser):
            assert verdict(self.state, step.reason) in Verdict
        a_message_leads_on(self.state, self.rules)


pytestmark = pytest.mark.invariant("I1", "I2", "I4", "I5", "I6", "I10", "I12", "I13", "I14", "L1")
TestConversation = Conversation.TestCase
TestConversation.settings = settings(stateful_step_count=25, deadline=None)

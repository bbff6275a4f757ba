"""The calls of a message are asked about on one card; what is agreed to is what is done."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from testbed.accounts import no_call_starts_without_leave
from testbed.one_message import NO, YES, Cards, Setting, commented, run_message

from agent_cli.approval.policy import Policy
from agent_cli.settings.schema import Hook
from agent_cli.types.approval import ApprovalMode, Diff, Remember, Verdict
from agent_cli.types.effects import Kind
from agent_cli.types.entries import (
    ApprovalSwitched,
    CallStarted,
    ParallelSwitched,
    RuleGranted,
    VerdictGiven,
)
from agent_cli.types.errors import ConfigurationError
from agent_cli.types.events import Notice
from agent_cli.types.requests import Protocol

NOBODY = Verdict(approved=False, answered=False)


def edit(old: str, new: str, path: str = "a.txt") -> tuple[str, dict[str, object]]:
    blocks = f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE"
    return ("apply_diff", {"path": path, "diff": blocks})


def write(path: str, content: str) -> tuple[str, dict[str, object]]:
    return ("write_to_file", {"path": path, "content": content})


def run(command: str) -> tuple[str, dict[str, object]]:
    return ("execute_command", {"command": command})


READ = ("read_file", {"files": [{"path": "a.txt"}]})
DONE = ("attempt_completion", {"result": "done"})
TASK = ("new_task", {"mode": "code", "message": "more"})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    return tmp_path


def outcomes(results) -> list[str]:
    return [str(one.outcome) for one in results]


def test_two_edits_of_a_file_need_one_answer(root: Path):
    user = Cards()
    results = run_message(Setting(root), [edit("one", "ONE"), edit("ONE", "1")], user)
    assert (user.asked, outcomes(results)) == ([["call_1", "call_2"]], ["ok", "ok"])
    assert (root / "a.txt").read_text() == "1\ntwo\nthree\n"
    first, second = (request.preview for request in user.cards[0])
    assert isinstance(first, Diff)
    assert isinstance(second, Diff)
    assert ("-one" in first.unified, "-ONE" in second.unified) == (True, True)


def test_a_script_that_is_written_and_run_needs_one_answer(root: Path):
    user = Cards()
    calls = [write("sub/go.sh", "echo new > made\n"), run("sh sub/go.sh"), edit("one", "ONE")]
    results = run_message(Setting(root), calls, user)
    assert (user.asked, outcomes(results)) == ([["call_1", "call_2", "call_3"]], ["ok"] * 3)
    assert (root / "made").read_text() == "new\n"


def test_a_new_file_is_edited_and_read_before_it_is_there(root: Path):
    user = Cards()
    calls = [
        write("b.txt", "x\n"),
        edit("x", "y", "b.txt"),
        ("insert_content", {"path": "b.txt", "line": 0, "content": "z"}),
        ("search_and_replace", {"path": "b.txt", "operations": [{"search": "z", "replace": "w"}]}),
    ]
    results = run_message(Setting(root), calls, user)
    assert (len(user.cards), set(outcomes(results))) == (1, {"ok"}), results
    assert (root / "b.txt").read_text() == "y\nw\n"


def test_what_an_earlier_command_changed_is_asked_about_again(root: Path):
    user = Cards()
    calls = [run("sed -i s/two/2/ a.txt"), edit("one", "ONE")]
    results = run_message(Setting(root), calls, user)
    assert user.asked == [["call_1", "call_2"], ["call_2"]]
    assert outcomes(results) == ["ok", "ok"]
    assert (root / "a.txt").read_text() == "ONE\n2\nthree\n"


def test_a_command_that_changes_nothing_of_what_was_shown_is_no_reason_to_ask(root: Path):
    user = Cards()
    calls = [run("echo x >> other.txt"), edit("one", "ONE")]
    run_message(Setting(root), calls, user)
    assert user.asked == [["call_1", "call_2"]]


def test_an_earlier_failure_makes_only_what_differs_be_asked_about_again(root: Path):
    def meddle() -> None:
        if len(user.cards) == 1:
            (root / "b.txt").unlink()

    (root / "b.txt").write_text("b\n")
    user = Cards(asked=meddle)
    calls = [edit("b", "B", "b.txt"), edit("B", "C", "b.txt"), edit("one", "ONE")]
    results = run_message(Setting(root), calls, user)
    assert user.asked == [["call_1", "call_2", "call_3"]]
    assert outcomes(results) == ["failed", "failed", "ok"]


def test_one_that_is_rejected_skips_what_follows_and_lets_go_what_comes_before(root: Path):
    user = Cards([YES, commented(NO, "not this"), NO])
    calls = [edit("one", "ONE"), edit("two", "TWO"), edit("three", "THREE")]
    results = run_message(Setting(root), calls, user)
    assert outcomes(results) == ["ok", "rejected", "skipped"]
    assert "not this" in results[1].content
    assert (root / "a.txt").read_text() == "ONE\ntwo\nthree\n"
    assert [one.call_id for one in user.entries if isinstance(one, VerdictGiven)] == ["call_2"]


def test_the_first_rejected_skips_all(root: Path):
    user = Cards([NO, YES])
    results = run_message(Setting(root), [edit("one", "ONE"), edit("two", "TWO")], user)
    assert outcomes(results) == ["rejected", "skipped"]
    assert not any(isinstance(one, VerdictGiven) for one in user.entries)


def test_a_yes_may_come_with_words_for_each(root: Path):
    user = Cards([commented(YES, "tabs"), commented(YES, "and blanks")])
    results = run_message(Setting(root), [edit("one", "ONE"), edit("two", "TWO")], user)
    assert ["tabs" in results[0].content, "and blanks" in results[1].content] == [True, True]


def test_where_nobody_is_each_call_is_denied(root: Path):
    user = Cards([NOBODY, NOBODY], [NOBODY])
    results = run_message(Setting(root), [edit("one", "ONE"), edit("two", "TWO")], user)
    assert outcomes(results) == ["denied", "denied"]


def test_what_needs_no_question_is_counted_and_not_asked_about(root: Path):
    user = Cards()
    calls = [READ, edit("one", "ONE"), READ, run("true"), READ, DONE]
    run_message(Setting(root), calls, user)
    (card,) = user.cards
    assert [request.call_id for request in card] == ["call_2", "call_4"]
    assert card[0].unasked == (Kind.READ, Kind.READ)
    assert card[1].following == ("read_file", "attempt_completion")


ALONE = [
    pytest.param(Setting(Path(), protocol=Protocol.XML), id="XML"),
    pytest.param(Setting(Path(), before=(ParallelSwitched(on=False),)), id="one at a time"),
]


@pytest.mark.parametrize("setting", ALONE)
def test_one_call_a_message_is_asked_about_alone(setting: Setting, root: Path):
    user = Cards()
    calls = [edit("one", "ONE"), edit("two", "TWO")]
    results = run_message(replace(setting, root=root), calls, user)
    assert (user.asked, outcomes(results)) == ([["call_1"]], ["ok", "skipped"])


APART = [
    pytest.param([edit("one", "ONE"), edit("nowhere", "x")], id="what cannot be shown"),
    pytest.param([edit("one", "ONE"), ("apply_diff", {"path": 1})], id="what cannot be read"),
    pytest.param([edit("one", "ONE"), ("no_such_tool", {})], id="no tool"),
    pytest.param([edit("one", "ONE"), DONE, edit("two", "TWO")], id="behind a completion"),
    pytest.param([edit("one", "ONE"), write(".env", "x")], id="what is refused"),
]


@pytest.mark.parametrize("calls", APART)
def test_what_will_not_run_is_not_on_the_card(calls, root: Path):
    user = Cards()
    run_message(Setting(root), calls, user)
    assert user.asked[0] == ["call_1"]


def test_what_a_rule_denies_is_not_on_the_card(root: Path):
    user = Cards()
    policy = Policy(deny=("execute_command(rm)",))
    results = run_message(Setting(root, policy), [edit("one", "1"), run("rm a.txt")], user)
    assert (user.asked, outcomes(results)) == ([["call_1"]], ["ok", "denied"])


def test_behind_a_change_of_mode_nothing_is_foreseen(root: Path):
    user = Cards()
    calls = [
        edit("one", "ONE"),
        ("switch_mode", {"mode_slug": "ask", "reason": "r"}),
        edit("two", "TWO"),
    ]
    results = run_message(Setting(root), calls, user)
    assert (user.asked, outcomes(results)) == ([["call_1", "call_2"]], ["ok", "ok", "failed"])


def test_in_plan_mode_nobody_is_asked_about_what_does_not_run(root: Path):
    user = Cards()
    setting = Setting(root, before=(ApprovalSwitched(ApprovalMode.PLAN),))
    results = run_message(setting, [READ, edit("one", "ONE")], user)
    assert (user.cards, outcomes(results)) == ([], ["ok", "denied"])
    assert results[1].code == "planning"


def test_an_objection_of_a_hook_is_put_to_the_user_though_they_had_agreed(root: Path):
    hook = Hook('grep -q TWO && echo \'{"hookSpecificOutput": {"permissionDecision": "ask", '
                '"permissionDecisionReason": "look twice"}}\' || true')  # fmt: skip
    user = Cards()
    setting = Setting(root, hooks={"PreToolUse": (hook,)})
    results = run_message(setting, [edit("one", "ONE"), edit("two", "TWO")], user)
    assert user.asked == [["call_1", "call_2"], ["call_2"]]
    assert user.cards[1][0].reason == "look twice"
    assert outcomes(results) == ["ok", "ok"]


def test_a_rule_for_the_session_leaves_the_words_about_a_later_call(root: Path):
    always = Verdict(approved=True, remember=Remember.SESSION)
    user = Cards([always, commented(YES, "carefully")])
    results = run_message(Setting(root), [edit("one", "ONE"), edit("two", "TWO")], user)
    assert [one.rule for one in user.entries if isinstance(one, RuleGranted)]
    assert "carefully" in results[1].content


def test_a_no_ahead_stands_though_a_rule_was_granted_meanwhile(root: Path):
    always = Verdict(approved=True, remember=Remember.SESSION)
    user = Cards([always, NO])
    results = run_message(Setting(root), [edit("one", "ONE"), edit("two", "TWO")], user)
    assert outcomes(results) == ["ok", "rejected"]


def test_no_call_starts_without_leave_recorded_before(root: Path):
    user = Cards([YES, YES, NO, NO])
    calls = [READ, edit("one", "ONE"), run("true"), edit("two", "TWO"), run("false")]
    run_message(Setting(root), calls, user)
    started = [one.call_id for one in user.entries if isinstance(one, CallStarted)]
    assert started == ["call_1", "call_2", "call_3"]
    no_call_starts_without_leave(user.entries)


@pytest.mark.parametrize("content", [b"one\r\ntwo\r\n", b"\xef\xbb\xbfone\ntwo", b"one\n\xff\n"])
def test_what_is_foreseen_is_what_will_be_there_to_the_byte(content: bytes, root: Path):
    (root / "a.txt").write_bytes(content)
    user = Cards()
    results = run_message(Setting(root), [edit("one", "1"), edit("1", "uno")], user)
    assert (len(user.cards), outcomes(results)) == (1, ["ok", "ok"])
    preview = user.cards[0][1].preview
    assert isinstance(preview, Diff)
    assert preview.after == (root / "a.txt").read_bytes() == content.replace(b"one", b"uno")


RULES = [
    pytest.param(edit("one", "1"), Policy(), "apply_diff(/a.txt)", id="a file"),
    pytest.param(write("src/b.txt", "x"), Policy(), "write_to_file(/src)", id="in a folder"),
    pytest.param(run("git diff"), Policy(), "execute_command(git diff)", id="a command"),
    pytest.param(run("ls $x"), Policy(), "", id="a command that no rule can allow"),
    pytest.param(run("git diff"), Policy(ask=("execute_command(git)",)), "", id="asked by a rule"),
    pytest.param(write(".envrc", "x"), Policy(), "", id="protected"),
]


@pytest.mark.parametrize(("call", "policy", "rule"), RULES)
def test_the_rule_that_is_offered_would_let_the_call_run(call, policy, rule: str, root: Path):
    kept: list[str] = []
    always = Verdict(approved=True, remember=Remember.ALWAYS)
    user = Cards([always])
    setting = Setting(root, policy, keep_rule=kept.append)
    run_message(setting, [call], user)
    assert user.cards[0][0].rule == rule
    granted = [one.rule for one in user.entries if isinstance(one, RuleGranted)]
    assert granted == kept == ([rule] if rule else [])
    again = Cards()
    run_message(
        replace(setting, policy=replace(policy, allow=(rule,) if rule else ())), [call], again
    )
    assert len(again.cards) == (0 if rule else 1)


def test_a_rule_that_cannot_be_written_down_holds_for_the_session_and_that_is_said(root: Path):
    def fail(rule: str) -> None:
        raise ConfigurationError(f"no room for {rule!r}")

    always = Verdict(approved=True, remember=Remember.ALWAYS)
    user = Cards([always, YES])
    results = run_message(Setting(root, keep_rule=fail), [edit("one", "1"), edit("1", "2")], user)
    assert outcomes(results) == ["ok", "ok"]
    assert [one.message for one in user.events if isinstance(one, Notice)] == [
        "no room for 'apply_diff(/a.txt)'"
    ]

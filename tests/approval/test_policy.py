import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.approval.policy import Judgement, Policy, decide, rule_for
from agent_cli.approval.rules import Rule, parse
from agent_cli.types.approval import Decision
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ConfigurationError

ALLOW, ASK, DENY = Decision.ALLOW, Decision.ASK, Decision.DENY
STRICTNESS = [ALLOW, ASK, DENY]
READ = Effect(Kind.READ, "src/a.py")
WRITE = Effect(Kind.WRITE, "src/a.py")
PROTECTED = Effect(Kind.WRITE, ".envrc", protected=True)
OUTSIDE = Effect(Kind.READ, "/etc/hosts", outside=True)
LIST = Effect(Kind.EXECUTE, "ls -l")
PIPE = Effect(Kind.EXECUTE, "ls | wc")
SCRIPT = Effect(Kind.EXECUTE, "ls $x")
FETCH = Effect(Kind.NETWORK, "example.org")


def run(command: str) -> Effect:
    return Effect(Kind.EXECUTE, command)


DECISIONS = [
    pytest.param(Policy(deny=("t",)), "t", (), DENY, id="deny, no effects"),
    pytest.param(Policy(), "t", (), ALLOW, id="no effects"),
    pytest.param(Policy(), "t", (Effect(Kind.ASK, "?"),), ALLOW, id="a question"),
    pytest.param(Policy(), "t", (Effect(Kind.ALWAYS, "x"),), ALLOW, id="an always tool"),
    pytest.param(Policy(), "t", (Effect(Kind.MODE, "code"),), ASK, id="a change of mode"),
    pytest.param(Policy(), "t", (READ,), ALLOW, id="read by default"),
    pytest.param(Policy(), "t", (WRITE,), ASK, id="write by default"),
    pytest.param(Policy(), "t", (LIST,), ASK, id="execute by default"),
    pytest.param(Policy(), "t", (FETCH,), ASK, id="network by default"),
    pytest.param(Policy(), "t", (Effect(Kind.MCP, "s/t"),), ASK, id="mcp by default"),
    pytest.param(Policy(read=DENY), "t", (READ,), DENY, id="a kind denied"),
    pytest.param(Policy(read=DENY, yolo=True), "t", (READ,), DENY, id="yolo lifts no denied kind"),
    pytest.param(Policy(read=DENY, allow=("t",)), "t", (READ,), DENY, id="nor does a rule"),
    pytest.param(Policy(), "t", (READ, WRITE), ASK, id="the strictest decides"),
    pytest.param(Policy(write=ALLOW), "t", (WRITE,), ALLOW, id="a kind allowed"),
    pytest.param(Policy(write=ALLOW), "t", (PROTECTED,), ASK, id="protected asks"),
    pytest.param(Policy(yolo=True), "t", (PROTECTED,), ASK, id="protected asks under yolo"),
    pytest.param(Policy(allow=("t",)), "t", (PROTECTED,), ASK, id="protected asks despite rules"),
    pytest.param(Policy(), "t", (OUTSIDE,), ASK, id="outside asks"),
    pytest.param(Policy(yolo=True), "t", (OUTSIDE,), ASK, id="outside asks under yolo"),
    pytest.param(
        Policy(yolo=True), "execute_command", (OUTSIDE,), ALLOW, id="a command names what it will"
    ),
    pytest.param(Policy(allow=("t",)), "t", (OUTSIDE,), ASK, id="outside asks despite rules"),
    pytest.param(Policy(read=DENY), "t", (OUTSIDE,), DENY, id="outside can be denied"),
    pytest.param(Policy(yolo=True), "t", (WRITE, LIST, FETCH), ALLOW, id="yolo"),
    pytest.param(Policy(yolo=True, deny=("t",)), "t", (WRITE,), DENY, id="deny over yolo"),
    pytest.param(Policy(yolo=True, ask=("t",)), "t", (WRITE,), ALLOW, id="yolo over ask"),
    pytest.param(Policy(allow=("t",)), "t", (WRITE,), ALLOW, id="an allow rule"),
    pytest.param(Policy(allow=("t(*.py)",)), "t", (WRITE,), ALLOW, id="an allow pattern"),
    pytest.param(Policy(allow=("t(*.md)",)), "t", (WRITE,), ASK, id="another pattern"),
    pytest.param(Policy(allow=("u",)), "t", (WRITE,), ASK, id="another tool"),
    pytest.param(Policy(allow=("t",), deny=("t(src)",)), "t", (WRITE,), DENY, id="deny over allow"),
    pytest.param(Policy(allow=("t",), ask=("t(src)",)), "t", (WRITE,), ASK, id="ask over allow"),
    pytest.param(Policy(write=ALLOW, ask=("t(src)",)), "t", (WRITE,), ASK, id="ask over a kind"),
    pytest.param(Policy(deny=("t(SRC)",)), "t", (WRITE,), DENY, id="deny ignores case"),
    pytest.param(Policy(allow=("t(SRC)",)), "t", (WRITE,), ASK, id="allow does not"),
]
COMMANDS = [
    pytest.param(Policy(allow=("execute_command(ls)",)), LIST, ALLOW, id="plain"),
    pytest.param(Policy(allow=("execute_command",)), LIST, ALLOW, id="no pattern, plain"),
    pytest.param(Policy(allow=("execute_command(*)",)), LIST, ALLOW, id="star"),
    pytest.param(Policy(allow=("execute_command()",)), LIST, ASK, id="an empty pattern"),
    pytest.param(Policy(allow=("execute_command(ls)",)), PIPE, ASK, id="no rule for a part"),
    pytest.param(Policy(allow=("execute_command",)), PIPE, ALLOW, id="no pattern, two commands"),
    pytest.param(
        Policy(allow=("execute_command(ls)", "execute_command(wc)")), PIPE, ALLOW, id="two rules"
    ),
    pytest.param(Policy(allow=("execute_command",)), SCRIPT, ASK, id="no pattern, uncertain"),
    pytest.param(
        Policy(execute=ALLOW, allow=("execute_command(ls)",)),
        PIPE,
        ALLOW,
        id="the kind, not a rule",
    ),
    pytest.param(Policy(execute=ALLOW), PIPE, ALLOW, id="the kind is allowed"),
    pytest.param(Policy(execute=ALLOW, deny=("execute_command(wc)",)), PIPE, DENY, id="deny part"),
    pytest.param(Policy(yolo=True, deny=("execute_command(wc)",)), PIPE, DENY, id="deny, yolo"),
    pytest.param(Policy(execute=ALLOW, ask=("execute_command(wc)",)), PIPE, ASK, id="ask part"),
    pytest.param(Policy(deny=("execute_command",)), LIST, DENY, id="deny all"),
]


@pytest.mark.parametrize(("policy", "tool", "effects", "expected"), DECISIONS)
def test_decide(policy: Policy, tool: str, effects: tuple[Effect, ...], expected: Decision):
    assert decide(policy, tool, effects, ()).decision is expected


@pytest.mark.parametrize(("policy", "effect", "expected"), COMMANDS)
@pytest.mark.parametrize("tool", ["execute_command", "attempt_completion"])
def test_command_rules_hold_for_every_tool(
    policy: Policy, effect: Effect, expected: Decision, tool: str
):
    assert decide(policy, tool, (effect,), ()).decision is expected


REASONS = [
    (Policy(deny=("t(src)",)), (WRITE,), Judgement(DENY, "deny t(src)")),
    (Policy(ask=("t",)), (WRITE,), Judgement(ASK, "ask t")),
    (Policy(allow=("t",)), (WRITE,), Judgement(ALLOW, "allow t")),
    (Policy(), (READ, WRITE), Judgement(ASK, "write = ask")),
    (Policy(), (PROTECTED,), Judgement(ASK, "protected name")),
    (Policy(), (OUTSIDE,), Judgement(ASK, "outside the workspace")),
    (
        Policy(deny=("execute_command(wc)",)),
        (PIPE,),
        Judgement(DENY, "deny execute_command(wc)", "wc"),
    ),
    (
        Policy(allow=("execute_command(ls)",)),
        (PIPE,),
        Judgement(ASK, "no rule allows 'wc'", "wc"),
    ),
    (
        Policy(ask=("execute_command(wc)",)),
        (PIPE,),
        Judgement(ASK, "ask execute_command(wc)", "wc"),
    ),
    (
        Policy(allow=("execute_command(ls)", "execute_command(wc)")),
        (PIPE,),
        Judgement(ALLOW, "every command in it is allowed"),
    ),
]


@pytest.mark.parametrize(("policy", "effects", "expected"), REASONS)
def test_the_reason_names_what_decided(
    policy: Policy, effects: tuple[Effect, ...], expected: Judgement
):
    assert decide(policy, "t", effects, ()) == expected


SESSION_RULES = [
    ("t", (), None),
    ("t", (READ,), "t(/src)"),
    ("t", (READ, WRITE), "t(/src)"),
    ("t", (Effect(Kind.WRITE, "a.py"),), "t(/a.py)"),
    ("t", (Effect(Kind.WRITE, "a [1]/b/c.py"),), "t(/a \\[1]/b)"),
    ("t", (WRITE, Effect(Kind.WRITE, "docs/a.md")), None),
    ("switch_mode", (Effect(Kind.MODE, "code"),), "switch_mode(/code)"),
    ("t", (PROTECTED,), None),
    ("t", (WRITE, PROTECTED), None),
    ("t", (OUTSIDE,), None),
    ("execute_command", (LIST,), "execute_command(ls -l)"),
    ("attempt_completion", (LIST,), "execute_command(ls -l)"),
    ("execute_command", (PIPE,), None),
    ("execute_command", (run("sudo ls"),), "execute_command(sudo ls)"),
    ("execute_command", (run("env ls"),), "execute_command(env ls)"),
    ("execute_command", (run("sh -c ls"),), None),
    ("execute_command", (run("git commit -m 'a b'"),), "execute_command(git commit)"),
    ("execute_command", (run("git diff --stat x"),), "execute_command(git diff)"),
    ("execute_command", (run("git diff --output=x"),), "execute_command(git diff --output=x)"),
    ("execute_command", (run("git push origin"),), "execute_command(git push origin)"),
    ("execute_command", (run("git -C x log"),), "execute_command(git -C x log)"),
    ("execute_command", (run("npm run test -- -v"),), "execute_command(npm run test)"),
    ("execute_command", (run("python -m pytest -q"),), "execute_command(python -m pytest)"),
    ("execute_command", (run("go test ./..."),), "execute_command(go test)"),
    ("execute_command", (run("go run x.go"),), "execute_command(go run x.go)"),
    ("execute_command", (run("npm exec tool"),), "execute_command(npm exec tool)"),
    ("execute_command", (run("cargo +beta run"),), "execute_command(cargo +beta run)"),
    ("execute_command", (run("make CC=gcc all"),), "execute_command(make CC=gcc all)"),
    ("execute_command", (run("rm -rf build"),), "execute_command(rm -rf build)"),
    ("execute_command", (run("git"),), "execute_command(git)"),
    ("execute_command", (run("echo hi"),), "execute_command(echo hi)"),
    ("execute_command", (run(""),), None),
    ("fetch", (FETCH,), "fetch(/example.org)"),
    ("fetch", (FETCH, Effect(Kind.NETWORK, "example.com")), None),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "effects", "expected"), SESSION_RULES)
def test_rule_for(tool: str, effects: tuple[Effect, ...], expected: str | None):
    assert rule_for(tool, effects) == expected


EFFECTS = st.builds(
    Effect,
    st.sampled_from(Kind),
    st.sampled_from(["a.py", "src/b.py", "ls -l", "git push", "ls | rm x", "[x]*", "sudo ls", ""]),
    st.booleans(),
    st.booleans(),
)
CALLS = st.lists(EFFECTS, max_size=3).map(tuple)
TOOLS = st.sampled_from(["read_file", "execute_command", "attempt_completion"])
RULES = st.builds(
    str.__add__, TOOLS, st.sampled_from(["", "()", "(*)", "(*.py)", "(src)", "(ls)", "(git push)"])
)
LISTS = st.lists(RULES, max_size=2).map(tuple)
KINDS = st.sampled_from(Decision)
POLICIES = st.builds(Policy, KINDS, KINDS, KINDS, KINDS, KINDS, LISTS, LISTS, LISTS, st.booleans())


def strictness(
    policy: Policy, tool: str, call: tuple[Effect, ...], granted: tuple[str, ...]
) -> int:
    return STRICTNESS.index(decide(policy, tool, call, granted).decision)


@given(POLICIES, TOOLS, CALLS, LISTS, RULES)
def test_one_more_deny_rule_never_widens(
    policy: Policy, tool: str, call: tuple[Effect, ...], granted: tuple[str, ...], rule: str
):
    stricter = Policy(
        **{name: getattr(policy, name) for name in policy.__struct_fields__ if name != "deny"},
        deny=(*policy.deny, rule),
    )
    assert strictness(stricter, tool, call, granted) >= strictness(policy, tool, call, granted)


@pytest.mark.invariant("C4")
@given(POLICIES, TOOLS, CALLS, LISTS, RULES)
def test_one_more_grant_never_denies_and_never_lifts_a_denial(
    policy: Policy, tool: str, call: tuple[Effect, ...], granted: tuple[str, ...], rule: str
):
    before = strictness(policy, tool, call, granted)
    after = strictness(policy, tool, call, (*granted, rule))
    assert after <= before
    assert (after == 2) == (before == 2)


@given(POLICIES, TOOLS, CALLS, EFFECTS, LISTS)
def test_one_more_effect_never_widens(
    policy: Policy, tool: str, call: tuple[Effect, ...], more: Effect, granted: tuple[str, ...]
):
    before = strictness(policy, tool, call, granted)
    assert strictness(policy, tool, (*call, more), granted) >= before


@given(POLICIES, TOOLS, EFFECTS, LISTS)
def test_nothing_protected_or_outside_runs_unasked(
    policy: Policy, tool: str, effect: Effect, granted: tuple[str, ...]
):
    harmless = effect.kind in {Kind.ASK, Kind.ALWAYS}
    outside = effect.outside and not (policy.yolo and tool == "execute_command")
    guarded = outside or (effect.protected and effect.kind is not Kind.READ)
    if guarded and not harmless:
        assert strictness(policy, tool, (effect,), granted) > 0


@given(TOOLS, CALLS)
def test_a_session_rule_lets_the_same_call_run(tool: str, call: tuple[Effect, ...]):
    rule = rule_for(tool, call)
    if rule is not None:
        assert decide(Policy(read=ASK), tool, call, (rule,)).decision is ALLOW


def test_a_rule_is_a_tool_with_or_without_a_pattern():
    assert parse(" t ") == Rule("t")
    assert parse("t(a (b) c)") == Rule("t", "a (b) c")
    assert parse("mcp.x-y()") == Rule("mcp.x-y", "")


@pytest.mark.parametrize("text", ["", "t(", "t)", "(x)", "a b", "t(x) y"])
def test_what_is_no_rule_is_refused(text: str):
    with pytest.raises(ConfigurationError, match="tool_name"):
        parse(text)

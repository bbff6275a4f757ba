"""What goes without a question in each approval mode, and what no mode lets go."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.approval.policy import Policy, decide
from agent_cli.approval.read_only import RULES
from agent_cli.approval.rules import only_reads
from agent_cli.types.approval import ApprovalMode, Decision
from agent_cli.types.effects import Effect, Kind

ALLOW, ASK, DENY = Decision.ALLOW, Decision.ASK, Decision.DENY
STRICTNESS = [ALLOW, ASK, DENY]
READ = Effect(Kind.READ, "src/a.py")
READ_OUT = Effect(Kind.READ, "/etc/hosts", outside=True)
WRITE = Effect(Kind.WRITE, "src/a.py")
WRITE_OUT = Effect(Kind.WRITE, "/etc/hosts", outside=True)
PROTECTED = Effect(Kind.WRITE, ".envrc", protected=True)
LOOK = Effect(Kind.EXECUTE, "git diff | head")
MAKE = Effect(Kind.EXECUTE, "make all")
UNCERTAIN = Effect(Kind.EXECUTE, "ls $x")
FETCH = Effect(Kind.NETWORK, "example.org")
SERVER = Effect(Kind.MCP, "s/t")
QUESTION = Effect(Kind.ASK, "?")
SWITCH = Effect(Kind.MODE, "code")

COLUMNS = [
    ApprovalMode.ASK, ApprovalMode.ACCEPT_EDITS, ApprovalMode.PLAN, ApprovalMode.AUTO
]  # fmt: skip
DECISIONS = [
    # what                                     ask    edits  plan   auto
    ("read", Policy(), READ,                  (ALLOW, ALLOW, ALLOW, ALLOW)),
    ("read outside", Policy(), READ_OUT,      (ASK,   ASK,   ASK,   ASK)),
    ("write", Policy(), WRITE,                (ASK,   ALLOW, DENY,  ALLOW)),
    ("write outside", Policy(), WRITE_OUT,    (ASK,   ASK,   DENY,  ASK)),
    ("protected", Policy(), PROTECTED,        (ASK,   ASK,   DENY,  ASK)),
    ("a look", Policy(), LOOK,                (ASK,   ASK,   ALLOW, ALLOW)),
    ("a command", Policy(), MAKE,             (ASK,   ASK,   DENY,  ASK)),
    ("uncertain", Policy(), UNCERTAIN,        (ASK,   ASK,   DENY,  ASK)),
    ("network", Policy(), FETCH,              (ASK,   ASK,   DENY,  ASK)),
    ("a server", Policy(), SERVER,            (ASK,   ASK,   DENY,  ASK)),
    ("a question", Policy(), QUESTION,        (ALLOW, ALLOW, ALLOW, ALLOW)),
    ("a mode", Policy(), SWITCH,              (ASK,   ASK,   ASK,   ASK)),
    ("confined", Policy(confined=True), MAKE, (ASK,   ASK,   DENY,  ALLOW)),
    ("confined, uncertain", Policy(confined=True), UNCERTAIN, (ASK, ASK, DENY, ALLOW)),
    ("confined, network", Policy(confined=True), FETCH, (ASK, ASK, DENY, ASK)),
    ("deny rule", Policy(deny=("t(src)",)), WRITE, (DENY, DENY, DENY, DENY)),
    ("deny rule, look", Policy(deny=("execute_command(git)",)), LOOK, (DENY, DENY, DENY, DENY)),
    ("denied kind", Policy(write=DENY), WRITE, (DENY, DENY, DENY, DENY)),
    ("denied commands", Policy(execute=DENY), LOOK, (DENY, DENY, DENY, DENY)),
    ("ask rule", Policy(ask=("t(src)",)), WRITE, (ASK, ASK, DENY, ASK)),
    ("ask rule, look", Policy(ask=("execute_command(git)",)), LOOK, (ASK, ASK, ASK, ASK)),
    ("allow rule", Policy(allow=("t",)), WRITE, (ALLOW, ALLOW, DENY, ALLOW)),
    ("another rule", Policy(allow=("execute_command(ls)",)), LOOK, (ASK, ASK, ALLOW, ALLOW)),
    ("allowed kind", Policy(write=ALLOW), WRITE, (ALLOW, ALLOW, DENY, ALLOW)),
    ("allowed protected", Policy(write=ALLOW), PROTECTED, (ASK, ASK, DENY, ASK)),
    ("read asks", Policy(read=ASK), READ, (ASK, ASK, ASK, ASK)),
    ("yolo", Policy(yolo=True), MAKE, (ALLOW, ALLOW, DENY, ALLOW)),
    ("yolo protected", Policy(yolo=True), PROTECTED, (ASK, ASK, DENY, ASK)),
    ("yolo deny", Policy(yolo=True, deny=("t",)), WRITE, (DENY, DENY, DENY, DENY)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("policy", "effect", "expected"),
    [row[1:] for row in DECISIONS],
    ids=[row[0] for row in DECISIONS],
)
def test_policy_and_mode(policy: Policy, effect: Effect, expected: tuple[Decision, ...]):
    found = tuple(decide(policy, "t", (effect,), (), mode).decision for mode in COLUMNS)
    assert found == expected


def test_the_modes_are_gone_through_in_a_circle():
    seen = [ApprovalMode.ASK]
    while (following := seen[-1].following) is not ApprovalMode.ASK:
        seen.append(following)
    assert seen == COLUMNS


EFFECTS = st.builds(
    Effect,
    st.sampled_from(Kind),
    st.sampled_from(["src/a.py", "ls", "make", "rm -rf x", "example.org", "s/t"]),
    outside=st.booleans(),
    protected=st.booleans(),
)
DECISION = st.sampled_from(Decision)
SOME = ["t", "t(src)", "execute_command(ls)", "execute_command"]
RULE = st.lists(st.sampled_from(SOME), max_size=2)
POLICIES = st.builds(
    Policy, DECISION, DECISION, DECISION, DECISION, DECISION,
    RULE.map(tuple), RULE.map(tuple), RULE.map(tuple), st.booleans(), st.booleans(),
)  # fmt: skip
CALLS = st.lists(EFFECTS, max_size=3).map(tuple)


@given(POLICIES, CALLS, st.sampled_from(ApprovalMode))
def test_no_mode_lifts_a_denial_or_what_always_asks(policy, effects, mode):
    plain = decide(policy, "t", effects, ()).decision
    found = decide(policy, "t", effects, (), mode).decision
    always = any(_always_asks(one) for one in effects)
    assert STRICTNESS.index(found) >= (STRICTNESS.index(plain) if always or plain is DENY else 0)


def _always_asks(effect: Effect) -> bool:
    if effect.kind in {Kind.ASK, Kind.ALWAYS}:
        return False
    return effect.outside or (effect.protected and effect.kind is not Kind.READ)


@given(POLICIES, CALLS)
def test_in_plan_mode_nothing_goes_that_could_change_something(policy, effects):
    if decide(policy, "t", effects, (), ApprovalMode.PLAN).decision is DENY:
        return
    changing = {Kind.WRITE, Kind.NETWORK, Kind.MCP}
    assert not changing & {one.kind for one in effects}
    assert all(only_reads(one.target) for one in effects if one.kind is Kind.EXECUTE)


LOOKS = [
    "ls -la src", "cat a.py | grep -n def | head -3", "cd src && ls", "git status --short",
    "git diff HEAD~1 -- src", "git log --oneline -5", "git show HEAD:a.py", "find . -name '*.py'",
    "wc -l a.py 2>/dev/null", "rg -n TODO src", "sort a.txt | uniq -c", "test -f a && echo yes",
    "pwd; whoami", "grep -r x . || true", "jq .name package.json", "sh -c ls", "env ls",
]  # fmt: skip
CHANGES = [
    "ls > x", "cat a >> b", "sort -o a a", "find . -delete", "find . -exec rm {} +",
    "find . -fprintf x y", "git diff --output=x", "git diff --ext-diff", "git log --output=x",
    "git show --ext-diff", "git grep --open-files-in-pager=sh x", "git branch -D x",
    "git checkout .", "git -c core.pager=x log", "git stash", "git rev-parse --git-dir; rm x",
    "rg --pre sh x", "sort --compress-program=sh a", "tree -o x", "date -s 0", "file -C -m x",
    "uniq a b", "echo $(rm x)", "ls `rm x`", "ls; rm x", "ls && rm x", "ls | xargs rm", "ls & rm x",
    "cat <(rm x)", "eval rm x", "sh -c 'rm x'", "env rm x", "X=1 ls", "./ls", "tee x",
    "sed -i s/a/b/ x", "python -c 1", "less a", "printf -v PATH x", "cut -f1 a > b",
    "awk 'BEGIN{system(1)}'", "tail -f a | sh", "command rm x", "ls\nrm x", "ls # \x00", "", "cd",
]  # fmt: skip


@pytest.mark.parametrize("command", LOOKS)
def test_a_command_that_only_reads(command: str):
    assert only_reads(command)


@pytest.mark.parametrize("command", CHANGES)
def test_a_command_that_may_do_more(command: str):
    assert not only_reads(command)


@pytest.mark.parametrize("rule", RULES)
def test_nothing_is_redirected_whatever_the_command(rule: str):
    assert not only_reads(f"{rule} > x")
    assert not only_reads(f"{rule} `touch x`")
    assert not only_reads(f"{rule}x")

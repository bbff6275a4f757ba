"""The judge of commands: what went wrong elsewhere, what it returns, what always holds."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.approval.shell import LONGEST, Operand, judge, parts
from agent_cli.types.approval import Decision

ALLOW, ASK, DENY = Decision.ALLOW, Decision.ASK, Decision.DENY
STRICTNESS = [ALLOW, ASK, DENY]

INCIDENTS = [
    pytest.param('echo "a"; curl x', ["echo"], [], ASK, id="45 a crafted echo"),
    pytest.param("ping $(cat k).x", ["ping"], [], ASK, id="46 a network tool with a secret"),
    pytest.param("rg --pre sh x", ["rg"], [], ASK, id="47 rg runs a preprocessor"),
    pytest.param("find . -exec sh x \\;", ["find"], [], ASK, id="47 find runs a program"),
    pytest.param("sed 'w x' y", ["sed"], [], ASK, id="48 sed writes"),
    pytest.param("sed 1e x", ["sed"], [], ASK, id="48 sed runs"),
    pytest.param("cat$IFS/etc/passwd", ["cat"], [], ASK, id="48 IFS"),
    pytest.param("ls | echo > x", ["ls", "echo"], [], ASK, id="48 a pipe to a redirected echo"),
    pytest.param("true; " * 51 + "rm x", ["*"], ["rm"], DENY, id="49 more than fifty commands"),
    pytest.param("git difftool", ["git diff"], [], ASK, id="50 a prefix of text"),
    pytest.param("ls && rm x", ["ls"], [], ASK, id="50 a wildcard over &&"),
    pytest.param("ls\\\nrm", ["ls"], [], ASK, id="50 a continued line"),
    pytest.param("rg \\--pre=sh x", ["rg"], [], ASK, id="51 an escaped option"),
    pytest.param("find . -delete", ["find"], [], ASK, id="52 find deletes"),
    pytest.param("watch rm x", ["*"], ["rm"], DENY, id="52 watch"),
    pytest.param("env rm x", ["*"], ["rm"], DENY, id="52 env"),
    pytest.param("A=b", ["*"], [], ASK, id="53 a bare assignment"),
    pytest.param("[[ -v 'a[$(x)]' ]]", ["*"], [], ASK, id="54 zsh in brackets"),
    pytest.param("ls \u202ex", ["ls"], [], ASK, id="55 a hidden direction"),
    pytest.param("ls\x0brm", ["ls"], [], ASK, id="55 a hidden tab"),
    pytest.param("git push", ["git push"], ["git"], DENY, id="56 an allow never beats a deny"),
    pytest.param("ls\nrm x", ["ls"], [], ASK, id="57 a new line"),
    pytest.param("cat <(rm x)", ["cat"], [], ASK, id="57 process substitution"),
    pytest.param("ls & rm x", ["ls"], [], ASK, id="57 background"),
    pytest.param("ls ${x:-y}", ["ls"], [], ASK, id="57 expansion"),
    pytest.param("ls *(e:x:)", ["ls"], [], ASK, id="57 a pattern of zsh"),
    pytest.param("git show > ~/.ssh/id_rsa", ["git show"], [], ASK, id="58 a redirected show"),
    pytest.param("ls 'a' '; rm x", ["ls"], [], ASK, id="59 quotes that do not match"),
    pytest.param("ls # '\nrm x", ["ls"], [], ASK, id="60 a quote in a comment"),
    pytest.param("cat <<E\nE\nrm x\nE", ["cat"], [], ASK, id="60 after a here-document"),
    pytest.param("ls 'a\nb'\nrm x", ["ls"], [], ASK, id="60 a quote over lines"),
    pytest.param("echo ${x@P}", ["echo"], [], ASK, id="61 expansion as a prompt"),
    pytest.param("echo ${!x}", ["echo"], [], ASK, id="61 indirect expansion"),
    pytest.param("export A=b; ls", ["*"], [], ASK, id="62 a poisoning builtin"),
    pytest.param("ls `rm x`", ["ls"], [], ASK, id="63 backquotes"),
    pytest.param("ls && rm x && ls", ["ls"], [], ASK, id="64 the middle of a chain"),
    pytest.param("/usr/bin/sudo rm x", ["*"], ["rm"], DENY, id="65 sudo by its path"),
    pytest.param("find . -exec rm {} +", ["find"], ["rm"], DENY, id="67 find -exec +"),
]


@pytest.mark.invariant("C1")
@pytest.mark.trap("T-30")
@pytest.mark.parametrize(("command", "allow", "deny", "expected"), INCIDENTS)
def test_incidents_of_others(command: str, allow: list[str], deny: list[str], expected: Decision):
    assert judge(command, allow=allow, deny=deny).decision is expected


PARTS = [
    ("ls; rm x; ls", ["ls"], [], "rm x"),
    ("ls | wc > x", ["*"], [], "wc > x"),
    ("ls; echo $(rm x)", ["*"], ["rm"], "rm x"),
    ("sudo rm x", ["*"], ["rm"], "sudo rm x"),
    ("ls &&\n git push", ["*"], ["git push"], "git push"),
]


@pytest.mark.parametrize(("command", "allow", "deny", "part"), PARTS)
def test_the_part_that_decided_is_named(command: str, allow: list[str], deny: list[str], part: str):
    assert judge(command, allow=allow, deny=deny).part == part


REASONS = [
    ("ls $(x)", "command substitution"),
    ('ls "$(x)"', "command substitution"),
    ("ls <(x)", "process substitution"),
    ('ls "${x}"', "expansion of a parameter"),
    ("ls > x", "redirection to a file"),
    ("ls 2> x", "redirection to a file"),
    ("ls < x", "redirection from a file"),
    ("ls &", "a background command"),
    ("A=b ls", "an assignment"),
    ("ls 'x", "a quotation that does not end"),
    ('ls "x', "a quotation that does not end"),
    ("", "there is no command"),
    ("ls <<E", "a here-document that does not end"),
    ("echo " + "'a'" * 600, "a word of too many parts"),
    ("ls " * 5000, "it is too long to vouch for"),
    ("echo " + "a" * LONGEST, "it is longer than 64 KiB"),
    ("> /dev/null", "a redirection without a command"),
    ("cat <<< *", "a pattern in a here-string"),
    ("cd a; ./x", "which program it is depends on the directory"),
]


@pytest.mark.parametrize(("command", "reason"), REASONS, ids=[row[1] for row in REASONS])
def test_the_reason_is_a_clause(command: str, reason: str):
    judged = judge(command, allow=["*"], deny=[])
    assert (judged.decision, judged.reason) == (ASK, reason)


OPERANDS = [
    pytest.param("cat /etc/passwd", {("/etc/passwd", ".")}, id="a word"),
    pytest.param("cat 'a b' c\\ d", {("a b", "."), ("c d", ".")}, id="quotes removed"),
    pytest.param("git diff --output=/x", {("--output=/x", "."), ("/x", ".")}, id="a long option"),
    pytest.param("gcc -I/usr", {("-I/usr", "."), ("/usr", ".")}, id="a short option"),
    pytest.param("curl -d @/x", {("-d", "."), ("@/x", "."), ("/x", ".")}, id="a sign"),
    pytest.param("curl https://a/b", set[object](), id="a URL is no path"),
    pytest.param("curl file://h/etc", {("/etc", "."), ("//h/etc", ".")}, id="but a file may be"),
    pytest.param("cd a && cat b", {("a", "."), ("b", "a")}, id="after cd"),
    pytest.param("cd a && cd b && cat c", {("a", "."), ("b", "a"), ("c", "a/b")}, id="cd twice"),
    pytest.param("cd a; cat b", {("a", "."), ("b", "."), ("b", "a")}, id="cd that may fail"),
    pytest.param("! cd a && cat b", {("a", "."), ("b", "."), ("b", "a")}, id="cd that failed"),
    pytest.param(
        "(cd a && cat b) && cat c",
        {("a", "."), ("b", "a"), ("c", "."), ("c", "a")},
        id="cd in a subshell",
    ),
    pytest.param("cd /x && cat b", {("/x", "."), ("b", "/x")}, id="cd to the root"),
    pytest.param(
        "eval 'cd a'; cat b", {("cd a", "."), ("a", "."), ("b", "."), ("b", "")}, id="a cd"
    ),
    pytest.param("sh -c 'cd a && cat b'", {("a", "."), ("b", "a")}, id="in a script"),
    pytest.param("git -C a diff b", {("a", "."), ("b", "."), ("b", "a")}, id="git -C"),
    pytest.param("grep -n /x b", {("b", ".")}, id="a pattern is no path"),
    pytest.param("grep -f /x b", {("/x", "."), ("b", ".")}, id="but a file of patterns is"),
    pytest.param("grep --file=p /x", {("/x", ".")}, id="and what follows one"),
    pytest.param("sed -n /a/p b", {("b", ".")}, id="an address is no path"),
    pytest.param("sed -n 'r /x' b", {("r /x", "."), ("b", ".")}, id="a script may name one"),
    pytest.param("ls $x /etc", set[object](), id="what cannot be read has none"),
]


@pytest.mark.parametrize(("command", "expected"), OPERANDS)
def test_operands(command: str, expected: set[tuple[str, str]]):
    found = {(one.path, one.cwd) for one in parts(command).operands}
    assert expected <= found
    if not expected:
        assert found <= {("https://a/b", ".")}
    assert not {one for one in found if one[0] in {"/x", "/etc"}} - expected


def test_many_directories_are_not_known_any_more():
    command = "; ".join(f"cd d{number}" for number in range(12)) + "; cat x"
    assert Operand("x", "") in parts(command).operands


ARGV = [
    ("git diff 'a b'", ("git", "diff", "a b")),
    ("env ls", ("env", "ls")),
    ("ls -l # x", ("ls", "-l")),
    ("ls *", None),
    ("ls >/dev/null", None),
    ("ls; ls", None),
    ("(ls)", None),
    ("echo a", None),
    ("cd a", None),
    ("time ls", None),
    ("'if' x", None),
    ("", None),
    ("'' x", None),
    ("ls $x", None),
    ("ls \0", None),
]


@pytest.mark.parametrize(("command", "argv"), ARGV)
def test_a_plain_command_needs_no_shell(command: str, argv: tuple[str, ...] | None):
    assert parts(command).argv == argv
    assert judge(command, allow=(), deny=()).argv == argv


PIECES = (
    "ls rm git push -x -C a/b 'rm' \"a b\" \\; ; && || | & ( ) { } > >/dev/null 2>&1 < $( ) ` $x "
    "<<E E if then else fi ! # = A=b sh -c 'rm\nx' sudo env timeout 5 find . -exec {} + \n \t ' \" "
    "for do done in case esac [[ ]] eval xargs {a,b} * ? [ ] ~ cd echo \\\n é \u202e \0"
)
WORD = st.sampled_from(PIECES.split(" "))
TEXT = st.lists(WORD, max_size=12).map(" ".join) | st.text(max_size=40)
RULE = st.sampled_from(["rm", "git push", "ls", "*", "", "sudo", "git", "x"])
RULES = st.lists(RULE, max_size=3)


@pytest.mark.invariant("C3", "C4")
@given(TEXT, RULES, RULES, RULE)
def test_one_more_deny_rule_never_widens(text: str, allow: list[str], deny: list[str], more: str):
    before = judge(text, allow=allow, deny=deny).decision
    after = judge(text, allow=allow, deny=[*deny, more]).decision
    assert STRICTNESS.index(after) >= STRICTNESS.index(before)


@given(TEXT, RULES, RULES, RULE)
def test_one_more_allow_rule_lifts_no_denial(
    text: str, allow: list[str], deny: list[str], more: str
):
    before = judge(text, allow=allow, deny=deny).decision
    after = judge(text, allow=[*allow, more], deny=deny).decision
    assert (before is DENY) == (after is DENY)
    assert STRICTNESS.index(after) <= STRICTNESS.index(before)


COMMAND = st.lists(
    st.sampled_from(["rm", "git", "-x", "-C", "push", "a/b", "x", "ls"]), min_size=1, max_size=5
).map(" ".join)
WRAPPED = st.sampled_from(
    [
        "sudo {}", "env {}", "env A=b {}", "timeout 5 {}", "nice -n 5 {}", "nohup {}", "({})",
        "{{ {}; }}", "! {}", "if {}; then x; fi", "f() {{ {}; }}", "echo $({})", 'echo "$({})"',
        "`{}`", "<({})", "for i in a; do {}; done", "sh -c '{}'", 'bash -c "{}"', "eval {}",
        "eval '{}'", "find . -exec {} \\;", "xargs {}", "sh <<E\n{}\nE", "ls; {}", "ls | {}",
        "{} &", "x=$({})", "case a in a) {};; esac", "watch {}", "2>/dev/null {}", "[[ $({}) ]]",
    ]
)  # fmt: skip


@pytest.mark.invariant("C3")
@given(COMMAND, st.lists(WRAPPED, max_size=4), st.sampled_from(["rm", "git push", "git"]))
def test_wrapping_never_makes_a_denial_vanish(command: str, wraps: list[str], rule: str):
    text = command
    for wrap in wraps:
        text = wrap.format(text)
    if judge(command, allow=["*"], deny=[rule]).decision is DENY:
        assert judge(text, allow=["*"], deny=[rule]).decision is not ALLOW
        if not {"'", '"', "`", "\n"} & set("".join(wraps)):
            assert judge(text, allow=["*"], deny=[rule]).decision is DENY


@pytest.mark.invariant("C1")
@given(
    st.lists(st.sampled_from(["ls", "rm", "-x", "'a b'", "|", "&&", ";", "git"]), max_size=8),
    st.lists(st.sampled_from([" ", "  ", "\t", " \\\n "]), min_size=9, max_size=9),
    RULES,
    RULES,
)
def test_blanks_do_not_matter(
    words: list[str], blanks: list[str], allow: list[str], deny: list[str]
):
    other = "".join(word + blank for word, blank in zip(words, blanks, strict=False))
    plain = judge(" ".join(words), allow=allow, deny=deny)
    assert judge(other, allow=allow, deny=deny).decision is plain.decision


@pytest.mark.invariant("C1")
@given(TEXT, RULES)
def test_text_after_an_unsafe_part_does_not_make_it_safe(text: str, allow: list[str]):
    assert judge(f"rm x; {text}", allow=["ls", "git"], deny=[]).decision is not ALLOW


@pytest.mark.invariant("C1")
@given(st.binary(max_size=60))
def test_any_bytes_have_a_verdict(data: bytes):
    judge(data.decode("utf-8", "surrogateescape"), allow=["*"], deny=["rm"])


@pytest.mark.parametrize(
    "unit",
    ["(", "( ", "{ ", "$(", '"$(', "`", "'", '"', "<", "<<E ", "[[ ", "[", "${a:-", "if ", "&", "|",
     "ls;", "a ", "! ", "\n", "#x\n", "eval ", "sudo ", "sh -c ", "\\\n", "\\", "é ", "git -x "],
)  # fmt: skip
def test_no_text_is_too_deep_or_takes_long(unit: str):
    text = (unit * LONGEST)[: LONGEST // 2]
    begun = time.process_time()
    judged = judge(text, allow=["ls"], deny=["rm -rf", "git push", "x"])
    assert time.process_time() - begun < 0.5  # ten times what is promised: machines differ
    assert judged.decision is not ALLOW or unit == "ls;"

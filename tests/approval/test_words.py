"""Rules for commands: what they allow is little, what they deny is much."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.approval._words import LONGEST, allows, denies, plain

ALLOWED = [
    ("git diff", "git diff"),
    ("git diff", "git  diff\t--stat "),
    ("git diff", "git diff\n"),
    ("git", "git log -3"),
    (" pytest ", "pytest -q tests/a.py::test_b"),
    ("*", "anything at all"),
    ("git clone", "git clone https://example.org/a.git"),
    ("uv run pytest", "uv run pytest -x"),
]
ASKED = [
    pytest.param("git diff", "git difftool", id="words, not prefixes of text"),
    pytest.param("git diff", "git", id="fewer words than the rule"),
    pytest.param("ls", "LS", id="case"),
    pytest.param("ls", "./ls", id="another program of that name"),
    pytest.param("ls", "/tmp/ls", id="a program by its path"),
    pytest.param("", "ls", id="an empty rule"),
    pytest.param("l*", "ls", id="a star in a word is no pattern"),
    pytest.param("*", "", id="the empty command"),
    pytest.param("*", "   ", id="blanks"),
    pytest.param("ls", "ls; rm x", id="two commands"),
    pytest.param("ls", "ls\nrm x", id="two lines"),
    pytest.param("ls", "ls & rm x", id="background"),
    pytest.param("ls", "ls | sh", id="a pipe"),
    pytest.param("ls", "ls > x", id="redirection"),
    pytest.param("ls", "ls $(rm x)", id="substitution"),
    pytest.param("ls", "ls `rm x`", id="old substitution"),
    pytest.param("ls", "ls $HOME", id="expansion"),
    pytest.param("ls", "ls ~", id="home"),
    pytest.param("ls", "ls *", id="a glob"),
    pytest.param("ls", "ls {a,b}", id="braces"),
    pytest.param("ls", "ls 'a'", id="quotes"),
    pytest.param("ls", "ls \\a", id="escape"),
    pytest.param("ls", "A=b ls", id="assignment"),
    pytest.param("*", "A=b", id="assignment alone"),
    pytest.param("ls", "ls # x", id="comment"),
    pytest.param("ls", "ls \u202ex", id="an invisible character"),
    pytest.param("ls", "ls \0", id="NUL"),
    pytest.param("cat", "cat /etc/passwd", id="an absolute path"),
    pytest.param("cat", "cat ../x", id="a path above"),
    pytest.param("cat", "cat a/../../x", id="a path above in disguise"),
    pytest.param("cat", "cat ..", id="the folder above"),
    pytest.param("git", "git --git-dir=/x log", id="a path in an option"),
    pytest.param("git", "git -C/x log", id="a path attached to an option"),
    pytest.param("git", "git -C.. log", id="a path above attached to an option"),
    pytest.param("curl", "curl file://localhost/etc/passwd", id="a file by its URL"),
    pytest.param("curl", "curl -d @/etc/passwd host", id="a file by its sign"),
    pytest.param("env", "env rm x", id="a wrapper"),
    pytest.param("xargs ls", "xargs ls", id="a wrapper that the rule names"),
    pytest.param("*", "x" * (LONGEST + 1), id="too long"),
]
DENIED = [
    ("rm", "rm x"),
    ("rm", "RM x"),
    ("RM", "rm x"),
    ("rm", "/bin/rm x"),
    ("/bin/rm", "rm x"),
    ("git push", "git push origin"),
    ("git push", "git -C . push"),
    ("git push", "git -c a=b --no-pager push"),
    ("git push --force", "git push --force origin"),
    ("rm", "sudo -u root rm x"),
    ("rm", "find . -exec rm x +"),
    ("rm", "timeout 5 rm x"),
    ("rm", "uv run rm x"),
    ("rm", "ls; rm x"),
    ("rm", "ls && rm x"),
    ("rm", "{ rm x; }"),
    ("rm", "if true; then rm x; fi"),
    ("rm", "f() { rm x; }; f"),
    ("rm", 'echo "$(rm x)"'),
    ("rm", "echo `rm x`"),
    ("rm", "echo ${x:-$(rm y)}"),
    ("rm", "echo $((1+$(rm y)))"),
    ("rm", "cat <(rm x)"),
    ("rm", "FOO=1 rm x"),
    ("rm", "'r'm x"),
    ("rm", "r\\m x"),
    ("rm", "r\\\nm x"),
    ("rm", "$'rm' x"),
    ("rm", "{rm,-rf,x}"),
    ("rm", "X=/bin/rm; $X y"),
    ("rm", "rg --pre=rm x | cat"),
    ("rm", "sh -c 'rm x'"),
    ("rm", "ls\nrm x"),
    ("rm", "ls > x" * 30_000 + "; rm x"),
    ("*", ""),
]
NOT_DENIED = [
    ("rm", "rmdir x"),
    ("rm", "echo rm"),
    ("rm", "git rm x"),
    ("git push", "git commit -m push"),
    ("git push", "git"),
    ("git push", "git pull; ls push"),
    ("", "rm x"),
    ("rm", ""),
]


@pytest.mark.parametrize(("rule", "text"), ALLOWED)
def test_a_rule_allows_plain_commands_that_begin_with_its_words(rule: str, text: str):
    words = plain(text)
    assert words is not None
    assert allows(rule.split(), words)


@pytest.mark.parametrize(("rule", "text"), ASKED)
def test_a_rule_allows_nothing_else(rule: str, text: str):
    words = plain(text)
    assert words is None or not allows(rule.split(), words)


@pytest.mark.parametrize(("rule", "text"), DENIED)
def test_a_rule_denies_the_program_wherever_it_may_be(rule: str, text: str):
    assert denies(rule.split(), text)


@pytest.mark.parametrize(("rule", "text"), NOT_DENIED)
def test_a_rule_does_not_deny_words_that_only_look_alike(rule: str, text: str):
    assert not denies(rule.split(), text)


WORDS = st.lists(st.sampled_from(["rm", "git", "-x", "-C", "push", "a/b", "x"]), min_size=1)


@given(WORDS, st.text(alphabet=" ;|&$(){}<>'\"\\\n`", max_size=6))
def test_what_a_rule_denies_stays_denied_inside_other_text(words: list[str], around: str):
    command = " ".join(words)
    assert denies(words[:1], command)
    assert denies(words[:1], f"{around} {command} {around}|")


@given(st.text(max_size=30))
def test_only_harmless_characters_are_plain(text: str):
    words = plain(text)
    if words is not None:
        assert " ".join(words).split() == text.split()
        assert not set(text) & set("\"'\\$`;&|<>(){}[]*?~#!^\0")


def test_a_long_row_of_options_takes_no_time():
    assert not denies(["git", "push"], "git -x " * 50_000 + ";")

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.approval._glob import literal, matches

MATCHES = [
    ("a.py", "a.py"),
    ("a.py", "src/deep/a.py"),
    ("*.py", "src/a.py"),
    ("src", "src/a.py"),
    ("src/", "src/a.py"),
    ("/src", "src/a.py"),
    ("src/*", "src/a.py"),
    ("src/*", "src/deep/a.py"),
    ("src/**", "src/deep/a.py"),
    ("**/a.py", "a.py"),
    ("**/a.py", "x/y/a.py"),
    ("**/**/**/a.py", "x/a.py"),
    ("src/**/a.py", "src/a.py"),
    ("src/**/a.py", "src/x/y/a.py"),
    ("?.py", "a.py"),
    ("[ab].py", "b.py"),
    ("[!ab].py", "c.py"),
    ("[a-c].py", "b.py"),
    ("[", "["),
    ("[z-a]", "[z-a]"),
    (r"\*.py", "*.py"),
    ("/etc/**", "/etc/hosts"),
    ("**", "anything/at all"),
]
DIFFERS = [
    ("a.py", "ba.py"),
    ("a.py", "a.pyc"),
    ("/a.py", "src/a.py"),
    ("src/*.py", "src/deep/a.py"),
    ("src/a", "x/src/a"),
    ("*.py", "a.PY"),
    ("?", "/"),
    ("a[!b]c", "a/c"),
    (r"\*.py", "a.py"),
    ("", "a"),
    ("/", "a"),
    (" ", "a"),
]


@pytest.mark.parametrize(("pattern", "target"), MATCHES)
def test_a_pattern_names_the_target(pattern: str, target: str):
    assert matches(pattern, target)


@pytest.mark.parametrize(("pattern", "target"), DIFFERS)
def test_a_pattern_does_not_name_the_target(pattern: str, target: str):
    assert not matches(pattern, target)


def test_case_can_be_ignored():
    assert matches("*.PEM", "Key.pem", ignore_case=True)


PATHS = st.text(alphabet="ab/*?[]!^-\\.", min_size=1).filter(
    lambda path: path.strip("/") and not path.endswith("/") and not path.startswith("//")
)


@given(PATHS, PATHS)
def test_a_literal_pattern_names_its_target_alone(target: str, other: str):
    assert matches(literal(target), target)
    if matches(literal(target), other):
        assert f"{other.removeprefix('/')}/".startswith(f"{target.removeprefix('/')}/")


@given(st.text(max_size=20), st.text(max_size=20))
def test_no_pattern_is_an_error(pattern: str, target: str):
    matches(pattern, target)

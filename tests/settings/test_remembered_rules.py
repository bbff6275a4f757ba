"""Rules of the answer "always": written once, kept with what else is in their file, in force."""

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.settings.load import Folder, load, load_layers
from agent_cli.settings.places import rules_file
from agent_cli.settings.remembered import remember, remembered
from agent_cli.types.errors import ConfigurationError


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"AGENT_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)}


def test_a_rule_is_written_once_for_the_user_alone_and_holds(environ: dict[str, str]):
    path = rules_file(environ)
    remember(path, "execute_command(git diff)")
    remember(path, "apply_diff(/src)")
    remember(path, "execute_command(git diff)")
    rules = ("execute_command(git diff)", "apply_diff(/src)")
    assert (remembered(path), load(environ).approval.rules.allow) == (rules, rules)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_they_count_beside_those_of_the_users_settings(environ: dict[str, str]):
    path = rules_file(environ)
    remember(path, "b")
    (path.parent / "config.toml").write_text("[approval.rules]\nallow = ['a']\ndeny = ['c']\n")
    rules = load(environ).approval.rules
    assert (rules.allow, rules.deny) == (("a", "b"), ("c",))


def test_what_the_user_wrote_in_the_file_stays(environ: dict[str, str]):
    path = rules_file(environ)
    remember(path, "a")
    mine = path.read_text() + "# mine\n"
    path.write_text(mine)
    path.chmod(0o640)
    remember(path, "b")
    assert path.read_text().startswith(mine)
    assert remembered(path) == ("a", "b")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


WRONG = ["[[allow]\n", "allow = 3\n", "[[allow]]\nrules = 'a'\n", "[other]\nx = 1\n"]


@pytest.mark.parametrize("text", WRONG)
def test_a_file_that_cannot_be_read_is_named_and_left(environ: dict[str, str], text: str):
    path = rules_file(environ)
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=r"always\.toml"):
        remember(path, "a")
    with pytest.raises(ConfigurationError, match=r"always\.toml"):
        load(environ)
    assert path.read_text() == text


def test_a_file_that_does_not_end_in_tables_is_not_spoilt(environ: dict[str, str]):
    path = rules_file(environ)
    path.parent.mkdir(parents=True)
    path.write_text("allow = [{ rule = 'a' }]\n")
    with pytest.raises(ConfigurationError):
        remember(path, "b")
    assert remembered(path) == ("a",)


def test_the_file_counts_for_nothing_inside_the_folder_that_is_worked_in(tmp_path: Path):
    environ = {"AGENT_HOME": str(tmp_path / "work" / "x"), "HOME": str(tmp_path / "home")}
    remember(rules_file(environ), "a")
    found = load_layers(environ, folder=Folder(tmp_path / "work"))
    assert found.settings.approval.rules.allow == ()


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1), max_size=4, unique=True))
def test_any_rule_comes_back_as_it_was(tmp_path_factory, rules: list[str]):
    path = tmp_path_factory.mktemp("rules") / "always.toml"
    for rule in rules:
        remember(path, rule)
    assert (remembered(path) if rules else ()) == tuple(rules)

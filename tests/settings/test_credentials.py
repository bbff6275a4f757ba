"""Keys that were given once: who can read them, and which variable they stand for."""

import os
from pathlib import Path

import pytest
from testbed.run_agent import PROJECT, environment, run_agent

from agent_cli.settings.credentials import bring_keys, credentials_file, store_key
from agent_cli.types.errors import ConfigurationError

KEY = "sk-kept-0123456789"
FIND = ["setup", "--provider", "openai", "-m", "x", "--no-check", "--yes"]


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"AGENT_HOME": str(tmp_path / "agent")}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder that is worked in."""
    return tmp_path / "project"


def test_a_key_stands_for_a_variable_that_is_not_set(environ: dict[str, str], root: Path):
    assert store_key(environ, "OPENAI_API_KEY", KEY) == ""
    store_key(environ, "OTHER_KEY", "other")
    found = {**environ, "OTHER_KEY": "exported"}
    bring_keys(found, root)
    assert found == {**environ, "OPENAI_API_KEY": KEY, "OTHER_KEY": "exported"}


def test_nothing_comes_from_the_folder_that_is_worked_in(environ: dict[str, str], tmp_path: Path):
    store_key(environ, "ANTHROPIC_BASE_URL", "http://of-somebody-else")
    found = dict(environ)
    bring_keys(found, tmp_path)
    assert found == environ


def test_without_a_file_nothing_comes(environ: dict[str, str], root: Path):
    found = dict(environ)
    bring_keys(found, root)
    assert found == environ


@pytest.mark.parametrize(
    ("content", "mode", "why"),
    [
        pytest.param(b"{}", 0o644, "chmod 600", id="others can read it"),
        pytest.param(b"[]", 0o600, "repair or remove", id="not ours"),
        pytest.param(b'{"A": {"key": "\xff"}}', 0o600, "repair or remove", id="no text"),
        pytest.param(b'{"A": {"key": "\\u0000"}}', 0o600, "repair or remove", id="no value"),
        pytest.param(b'{"A=B": {"key": "x"}}', 0o600, "repair or remove", id="no variable"),
        pytest.param(None, 0o600, "cannot read", id="no file"),
    ],
)
def test_a_file_that_cannot_be_trusted_is_refused(
    environ: dict[str, str], root: Path, content: bytes | None, mode: int, why: str
):
    path = credentials_file(environ)
    path.parent.mkdir(parents=True)
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
        path.chmod(mode)
    with pytest.raises(ConfigurationError, match=why):
        bring_keys(environ, root)


def test_a_place_that_cannot_be_written_is_said(environ: dict[str, str], tmp_path: Path):
    (tmp_path / "agent").write_text("a file where a folder is needed")
    with pytest.raises(ConfigurationError, match="cannot"):
        store_key(environ, "OPENAI_API_KEY", KEY)


def in_keyring(tmp_path: Path) -> dict[str, str]:
    return {
        "PYTHON_KEYRING_BACKEND": "testbed.file_keyring.FileKeyring",
        "KEYRING_FILE": str(tmp_path / "keyring.json"),
        "PYTHONPATH": f"{PROJECT}{os.pathsep}{PROJECT / 'tests'}",
    }


def test_where_there_is_a_keyring_it_has_the_key(tmp_path: Path):
    home, env = tmp_path / "home", in_keyring(tmp_path)
    done = run_agent([*FIND, "--key-stdin"], cwd=tmp_path, home=home, env=env, input=f"{KEY}\n")
    assert "a keyring of the tests" in done.stdout, done.stderr
    assert KEY not in credentials_file(environment(home, None)).read_text()
    assert KEY in (tmp_path / "keyring.json").read_text()
    assert "OPENAI_API_KEY" in run_agent(["doctor"], cwd=tmp_path, home=home, env=env).stdout


def test_a_keyring_that_is_locked_is_named(tmp_path: Path):
    home, env = tmp_path / "home", in_keyring(tmp_path)
    run_agent([*FIND, "--key-stdin"], cwd=tmp_path, home=home, env=env, input=f"{KEY}\n")
    locked = env | {"KEYRING_LOCKED": "1"}
    done = run_agent(["run", "Do it."], cwd=tmp_path, home=home, env=locked)
    assert done.exit_code == 52
    assert "it is locked" in done.stderr

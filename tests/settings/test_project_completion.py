"""What a trusted folder may say of failures, completions and budgets: only what is stricter."""

from pathlib import Path

import pytest

from agent_cli.settings.load import Folder, Loaded, ProjectFile, load_layers
from agent_cli.settings.places import config_file
from agent_cli.settings.project import Reason
from agent_cli.settings.schema import CompletionSettings, Settings

USUAL = CompletionSettings().block_on


@pytest.fixture
def environ(tmp_path):
    return {"HOME": "/home/me", "AGENT_HOME": str(tmp_path / "agent")}


def loaded(environ, user, text, flags=None) -> Loaded:
    path = config_file(environ)
    path.parent.mkdir(parents=True)
    path.write_text(user)
    files = (ProjectFile(Path("/p/.agent/config.toml"), text.encode()),)
    return load_layers(environ, flags, Folder(Path("/p"), files), Path("/nonexistent/config.toml"))


def value_of(settings: Settings, path: str):
    value = settings
    for name in path.split("."):
        value = getattr(value, name)
    return value


STRICTER = {
    "turn.on_failure": ("stop", "rollback"),
    "completion.open_todos": ("allow", "block"),
    "completion.scope": ("turn", "resolved"),
    "completion.block_on": (USUAL, (*USUAL, "exit_nonzero")),
    "max_tokens": (6, 5),
    "max_seconds": (6.0, 5.0),
}


def written(path, value):
    return f"{path} = {list(value) if isinstance(value, tuple) else value!r}"


@pytest.mark.parametrize("path", STRICTER)
def test_a_folder_may_be_stricter(environ, path):
    loose, strict = STRICTER[path]
    result = loaded(environ, written(path, loose), written(path, strict))
    assert value_of(result.settings, path) == strict
    assert result.ignored == ()


@pytest.mark.parametrize("path", STRICTER)
def test_a_folder_may_not_be_more_lenient(environ, path):
    loose, strict = STRICTER[path]
    result = loaded(environ, written(path, strict), written(path, loose))
    assert value_of(result.settings, path) == strict
    reason = Reason.BUDGET if path.startswith("max") else Reason.LENIENT
    assert [(one.key, one.reason) for one in result.ignored] == [(path, reason)]


def test_checks_of_all_layers_add_up(environ):
    flags = {"completion.verify": ["given"]}
    user, project = "completion.verify = ['mine']", "completion.verify = ['theirs']"
    result = loaded(environ, user, project, flags)
    assert result.settings.completion.verify == ("mine", "theirs", "given")

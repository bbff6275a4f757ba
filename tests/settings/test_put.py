"""Single settings written into a file: they hold, and what else the file said holds as before."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from agent_cli.settings.put import put
from agent_cli.types.errors import ConfigurationError

MODEL = {("model",): "a/b"}
OWN = {("providers", "own", "base_url"): "http://h", ("providers", "own", "wire"): "openai_chat"}


@pytest.mark.parametrize(
    ("before", "values", "after"),
    [
        pytest.param("", MODEL, 'model = "a/b"\n', id="an empty file"),
        pytest.param('mode = "ask"', MODEL, 'mode = "ask"\nmodel = "a/b"\n', id="no last end"),
        pytest.param(
            "# mine\n\n[retry]\nattempts = 2\n",
            MODEL,
            '# mine\nmodel = "a/b"\n\n[retry]\nattempts = 2\n',
            id="above the tables",
        ),
        pytest.param('model = "x/y" # old\n', MODEL, 'model = "a/b"\n', id="a value before"),
        pytest.param(
            'mode = "ask"\n',
            OWN,
            'mode = "ask"\n\n[providers.own]\nbase_url = "http://h"\nwire = "openai_chat"\n',
            id="a table",
        ),
        pytest.param(
            "[providers.own.headers]\nx = '1'\n[retry]\nattempts = 2\n",
            {("providers", "own", "base_url"): "http://h"},
            "[retry]\nattempts = 2\n\n[providers.own]\n"
            'base_url = "http://h"\n\n[providers.own.headers]\nx = "1"\n',
            id="a table with one below",
        ),
    ],
)
def test_values_are_put_where_they_belong(
    before: str, values: dict[Any, object], after: str, tmp_path: Path
):
    path = tmp_path / "config.toml"
    path.write_text(before)
    put(path, values)
    assert path.read_text() == after
    assert tomllib.loads(after)


@pytest.mark.parametrize(
    "before",
    [
        pytest.param("model = '''\nx/y\n'''\n", id="a value of several lines"),
        pytest.param("providers = { own = { base_url = 'http://x' } }\n", id="an inline table"),
    ],
)
def test_what_is_written_otherwise_is_left(before: str, tmp_path: Path):
    path = tmp_path / "config.toml"
    path.write_text(before)
    with pytest.raises(ConfigurationError, match="by hand"):
        put(path, {**MODEL, **OWN})
    assert path.read_text() == before

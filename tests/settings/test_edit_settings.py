import tomllib
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agent_cli.settings.edit import add_server, remove_server
from agent_cli.settings.load import read_file
from agent_cli.settings.schema import McpServer
from agent_cli.types.errors import ConfigurationError

SERVER = McpServer(command="npx", args=("-y", 'a "b"', "ü\n"), env={"A KEY": "x\x7f"}, timeout=5)
WRITTEN = """\
# my settings
model = "a/b"  # the good one

[approval]
write = "allow"

# the forge
[mcp.servers.forge]
url = "http://h"
headers = { A = "b" }

# what follows is about hooks
[[hooks.PreToolUse]]
command = "x"
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "config.toml"


def servers(path: Path) -> dict[str, object]:
    return tomllib.loads(path.read_text())["mcp"]["servers"]


def test_a_new_file_is_the_users_alone(path: Path):
    add_server(path, "x", SERVER)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert list(path.parent.iterdir()) == [path]
    assert read_file(path)["mcp"]["servers"]["x"] == {
        "command": "npx", "args": ["-y", 'a "b"', "ü\n"], "env": {"A KEY": "x\x7f"}, "timeout": 5.0,
    }  # fmt: skip


def test_adding_leaves_every_line_as_it_is(path: Path):
    path.parent.mkdir()
    path.write_text(WRITTEN)
    path.chmod(0o640)
    add_server(path, "my server", McpServer(url="http://x"))
    assert path.read_text() == WRITTEN + '\n[mcp.servers."my server"]\nurl = "http://x"\n'
    assert path.stat().st_mode & 0o777 == 0o640


def test_removing_takes_only_its_own_lines(path: Path):
    path.parent.mkdir()
    path.write_text(WRITTEN + '\n[mcp.servers.forge.env]\nA = "b"\n')
    remove_server(path, "forge")
    assert path.read_text().removesuffix("\n") == WRITTEN.replace(
        '[mcp.servers.forge]\nurl = "http://h"\nheaders = { A = "b" }\n', ""
    )


def test_line_ends_may_be_of_either_kind(path: Path):
    path.parent.mkdir()
    path.write_bytes(b"model = 'a/b'\r\n[mcp.servers.x]\r\nurl = 'http://h'\r\n[retry]\r\n")
    remove_server(path, "x")
    assert path.read_bytes() == b"model = 'a/b'\r\n[retry]\r\n"


def test_a_link_stays_one(path: Path, tmp_path: Path):
    real = tmp_path / "dotfiles.toml"
    real.write_text("")
    path.parent.mkdir()
    path.symlink_to(real)
    add_server(path, "x", SERVER)
    assert path.is_symlink()
    assert "x" in servers(real)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param("mcp = 1", "by hand", id="no table"),
        pytest.param("mcp = { wait = 1 }", "by hand", id="a closed table"),
        pytest.param("[mcp.servers.x]\nurl = 'http://h'", "remove it first", id="there already"),
        pytest.param("x = ", "not valid TOML", id="broken"),
    ],
)
def test_what_cannot_be_added_is_said(text: str, why: str, path: Path):
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=why):
        add_server(path, "x", SERVER)
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param("", "no server 'x'.*servers: none", id="an empty file"),
        pytest.param("mcp.servers.y.url = 'a'", "servers: y", id="another"),
        pytest.param("mcp.servers.x.url = 'a'", "by hand", id="no table of its own"),
        pytest.param("[mcp.servers]\nx = { url = 'a' }", "by hand", id="inline"),
        pytest.param(
            "[mcp.servers.x]\nurl='a'\n[a]\nb = '''\n[mcp.servers.x]\n'''",
            "by hand",
            id="in a text",
        ),
    ],
)
def test_what_cannot_be_removed_is_said(text: str, why: str, path: Path):
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=why):
        remove_server(path, "x")
    assert path.read_text() == text


@pytest.mark.parametrize("data", [b"\xff", None])
def test_a_file_that_cannot_be_read_is_left(data: bytes | None, path: Path):
    path.parent.mkdir()
    if data is None:
        path.mkdir()
    else:
        path.write_bytes(data)
    with pytest.raises(ConfigurationError, match="cannot read"):
        add_server(path, "x", SERVER)


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="cannot"):
        add_server(tmp_path / "file" / "config.toml", "x", SERVER)


WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@example(name="\x85", args=["\u2028"], env={})
@given(name=WORDS, args=st.lists(WORDS), env=st.dictionaries(WORDS, WORDS))
def test_whatever_is_added_can_be_read_and_removed(
    name: str, args: list[str], env: dict[str, str], tmp_path_factory: pytest.TempPathFactory
):
    path = tmp_path_factory.mktemp("edit") / "config.toml"
    path.write_text(WRITTEN)
    add_server(path, f"n{name}", McpServer(command="c", args=tuple(args), env=env))
    found = read_file(path)["mcp"]["servers"][f"n{name}"]
    assert found.get("args", []) == args
    assert found.get("env", {}) == env
    remove_server(path, f"n{name}")
    assert tomllib.loads(path.read_text()) == tomllib.loads(WRITTEN)

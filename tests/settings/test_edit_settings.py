import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agent_cli.settings import rewrite
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


@pytest.mark.invariant("I15")
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
        pytest.param("", "no server 'x'.*servers: -", id="an empty file"),
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


ADD = """
import sys
from pathlib import Path
from agent_cli.settings.edit import add_server, remove_server
from agent_cli.settings.schema import McpServer
path, name = Path(sys.argv[1]), sys.argv[2]
for number in range(15):
    add_server(path, f"{name}{number}", McpServer(command="c"))
    if number % 3 == 0:
        remove_server(path, f"{name}{number}")
"""


@pytest.mark.invariant("I15")
def test_processes_at_once_lose_none_of_their_changes(path: Path):
    path.parent.mkdir()
    path.write_text(WRITTEN)
    started = [subprocess.Popen([sys.executable, "-c", ADD, path, name]) for name in "abcd"]
    assert [process.wait() for process in started] == [0, 0, 0, 0]
    added = {f"{name}{number}" for name in "abcd" for number in range(15) if number % 3}
    assert servers(path).keys() == {"forge", *added}
    assert path.read_text().startswith(WRITTEN)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.invariant("I15")
def test_what_an_editor_writes_meanwhile_is_not_lost(path: Path, monkeypatch: pytest.MonkeyPatch):
    path.parent.mkdir()
    path.write_text(WRITTEN)
    real, edits = rewrite.os.urandom, ["# edited\n"]

    def urandom(count: int) -> bytes:
        if edits:  # the moment between reading and replacing
            path.write_text(path.read_text() + edits.pop())
        return real(count)

    monkeypatch.setattr(rewrite.os, "urandom", urandom)
    add_server(path, "x", SERVER)
    assert path.read_text().startswith(WRITTEN + "# edited\n")
    assert "x" in servers(path)


KILLED = """
import os, signal, sys
from pathlib import Path
from agent_cli.settings import edit
from agent_cli.settings.schema import McpServer
left = [int(sys.argv[2])]
def dying(name):
    real = getattr(os, name)
    def act(*args, **kwargs):
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **kwargs)
    setattr(os, name, act)
for name in ("open", "fdopen", "fchmod", "fsync", "rename", "replace", "close"):
    dying(name)
edit.add_server(Path(sys.argv[1]), "x", McpServer(command="c"))
"""


@pytest.mark.invariant("I15")
@pytest.mark.parametrize("step", range(10))
def test_killed_at_any_step_it_leaves_the_old_file_or_the_new_one(path: Path, step: int):
    path.parent.mkdir()
    path.write_text(WRITTEN)
    done = subprocess.run([sys.executable, "-c", KILLED, path, str(step)], check=False)
    assert done.returncode in (0, -9)
    assert path.read_text() in (WRITTEN, WRITTEN + '\n[mcp.servers.x]\ncommand = "c"\n')
    add_server(path, "y", SERVER)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.invariant("I15")
def test_a_full_disk_leaves_the_old_settings(path: Path, monkeypatch: pytest.MonkeyPatch):
    path.parent.mkdir()
    path.write_text(WRITTEN)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(rewrite.os, "fsync", full)
    with pytest.raises(ConfigurationError, match="No space"):
        add_server(path, "x", SERVER)
    assert path.read_text() == WRITTEN
    assert list(path.parent.iterdir()) == [path]

import json
from pathlib import Path

import msgspec
import pytest

from agent_cli.mcp.config import FoldersFile, Known, Server, known
from agent_cli.settings.schema import McpServer
from agent_cli.trust.manifest import Manifest

ROOT = Path("/work")
ENVIRON = {"HOME": "/home/me", "TOKEN": "secret-token", "EMPTY": ""}


def users(environ: dict[str, str] = ENVIRON, **servers: dict[str, object]) -> Known:
    settings = {name: msgspec.convert(one, McpServer) for name, one in servers.items()}
    return known(settings, ROOT, environ)


def folders(servers: object, **mine: McpServer) -> Known:
    content = json.dumps({"mcpServers": servers}).encode()
    return known(mine, ROOT, ENVIRON, FoldersFile(content, Manifest()))


def test_a_program_runs_in_the_folder_with_its_variables():
    found = users(x={"command": "run", "args": ["~/a", "b~"], "env": {"A": "1"}, "timeout": 5})
    assert found == Known(
        (Server("x", ("run", "/home/me/a", "b~"), {"A": "1"}, ROOT, timeout=5.0),)
    )


def test_an_address_has_headers():
    found = users(x={"url": "https://h/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}})
    assert found.servers[0].url == "https://h/mcp"
    assert found.servers[0].headers == {"Authorization": "Bearer secret-token"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${TOKEN}", "secret-token"), ("${env:TOKEN}", "secret-token"), ("$TOKEN", "$TOKEN"),
        ("a${NO:-b}c", "abc"), ("${EMPTY:-b}", "b"), ("${NO:-}", ""),
        ("${TOKEN:-b}", "secret-token"),
    ],
)  # fmt: skip
def test_variables_are_filled_in(text: str, value: str):
    found = users(x={"command": "run", "args": [text], "env": {"A": text}})
    assert found.servers[0].argv[1] == value
    assert found.servers[0].environ == {"A": value}


@pytest.mark.parametrize(
    ("server", "why"),
    [
        pytest.param({}, "either `command` or `url`", id="neither"),
        pytest.param({"command": "a", "url": "http://b"}, "either", id="both"),
        pytest.param({"url": "file:///etc/passwd"}, "http://", id="a file"),
        pytest.param({"command": "a", "args": ["${NO}"]}, "NO is not set", id="no variable"),
    ],
)
def test_what_cannot_be_used_is_said(server: dict[str, object], why: str):
    found = users(x=server, y={"command": "good"})
    assert [one.name for one in found.servers] == ["y"]
    assert len(found.problems) == 1
    assert why in found.problems[0]


def test_a_disabled_server_is_left_out():
    assert users(x={"command": "a", "disabled": True}) == Known()


def test_a_trusted_folder_brings_servers():
    found = folders({"My Server": {"command": "./run", "args": ["-x"], "alwaysAllow": ["all"]}})
    assert found == Known((Server("My-Server", ("./run", "-x"), {}, ROOT, trusted=Manifest()),))


@pytest.mark.trap("T-24")
def test_the_users_server_stands_over_the_folders():
    found = folders({"x": {"command": "theirs"}}, x=McpServer(command="mine"))
    assert [one.argv for one in found.servers] == [("mine",)]
    assert "two of this name" in found.problems[0]


@pytest.mark.parametrize(
    ("server", "why"),
    [
        pytest.param({"command": "a", "cwd": "sub"}, "leave out `cwd`", id="elsewhere"),
        pytest.param({"type": "sse", "url": "http://a"}, "'sse' is not supported", id="sse"),
        pytest.param({"command": ["a"]}, "Expected `str`", id="wrong type"),
        pytest.param("run", "Expected `object`", id="a text"),
        pytest.param({"command": "a", "env": {"A": 1}}, "Expected `str`", id="a number"),
    ],
)
def test_a_folders_fault_leaves_its_other_servers(server: object, why: str):
    found = folders({"bad": server, "good": {"type": "http", "url": "http://a", "timeout": 9e9}})
    assert [(one.name, one.timeout) for one in found.servers] == [("good", 3600.0)]
    assert why in found.problems[0]


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff", b'{"mcpServers": 1}', b"[" * 100_000])
def test_a_broken_file_is_said(content: bytes):
    found = known({}, ROOT, ENVIRON, FoldersFile(content, Manifest()))
    assert found.servers == ()
    assert ".mcp.json cannot be read" in found.problems[0]


def test_a_file_without_servers_brings_none():
    assert known({}, ROOT, ENVIRON, FoldersFile(b"{}", Manifest())) == Known()


def test_a_name_needs_something_readable():
    assert "letters or digits" in folders({"...": {"command": "a"}}).problems[0]

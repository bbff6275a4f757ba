"""Public servers, as everybody uses them; fetched with npm, so only at night."""

import os
import pwd
import shutil
import subprocess
from pathlib import Path

import pytest
from testbed.servers import Heard, with_hub

from agent_cli.mcp.config import Server
from agent_cli.mcp.hub import Hub
from agent_cli.tools.base import Blocks, Failure

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(600)]
SCOPE = "@modelcontextprotocol"


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("npm") is None:
        pytest.skip("there is no npm")
    folder = tmp_path_factory.mktemp("npm")
    done = subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", f"{SCOPE}/server-filesystem",
         f"{SCOPE}/server-everything"],
        cwd=folder, capture_output=True, text=True, check=False,
        env={"PATH": os.environ["PATH"], "HOME": pwd.getpwuid(os.getuid()).pw_dir},
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"npm cannot fetch the servers: {done.stderr[-300:]}")
    return folder / "node_modules/.bin"


def test_the_filesystem_server_reads_and_writes(programs: Path, tmp_path: Path):
    async def about(hub: Hub, heard: Heard) -> None:
        tools = await hub.offer(native=True, hidden=lambda name: False)
        assert heard == []
        assert {"mcp__files__write_file", "mcp__files__read_text_file"} < set(tools)
        await hub.call("files", "write_file", {"path": path, "content": "hello"}, print)
        assert await hub.call("files", "read_text_file", {"path": path}, print) == "hello"
        outside = await hub.call("files", "read_text_file", {"path": "/etc/passwd"}, print)
        assert isinstance(outside, Failure)

    path = str(tmp_path / "a.txt")
    words = (str(programs / "mcp-server-filesystem"), str(tmp_path))
    with_hub(about, Server("files", words, cwd=tmp_path, timeout=60))
    assert Path(path).read_text() == "hello"


def test_the_everything_server_does_everything(programs: Path, tmp_path: Path):
    async def about(hub: Hub, heard: Heard) -> None:
        tools = await hub.offer(native=True, hidden=lambda name: False)
        assert "mcp__all__echo" in tools
        assert "demo://resource" in tools["access_mcp_resource"].description
        assert await hub.call("all", "echo", {"message": "hi"}, print) == "Echo: hi"
        assert "5" in str(await hub.call("all", "get-sum", {"a": 2, "b": 3}, print))
        image = await hub.call("all", "get-tiny-image", {}, print)
        assert isinstance(image, Blocks)
        assert image.images[0].media_type == "image/png"
        assert await hub.call("all", "get-structured-content", {"location": "Chicago"}, print)
        said: list[str] = []
        steps = {"duration": 1, "steps": 2}
        await hub.call("all", "trigger-long-running-operation", steps, said.append)
        assert said
        wrong = await hub.call("all", "get-sum", {"a": "x"}, print)
        assert isinstance(wrong, Failure)
        text = await hub.read("all", "demo://resource/dynamic/text/1")
        assert "Resource 1" in str(text)

    words = (str(programs / "mcp-server-everything"),)
    with_hub(about, Server("all", words, cwd=tmp_path, timeout=60))

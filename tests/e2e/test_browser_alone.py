"""`agent tool browser_action` with a real browser: what is shown, and what ends with the agent."""

import json
import os
import signal
import socket
import sys
import time
from pathlib import Path

import pytest
from testbed.run_agent import run_agent, start_process

from agent_cli.processes.tree import read
from agent_cli.tools._browser import installed

pytestmark = [
    pytest.mark.skipif(
        installed(os.environ.get("PATH")) is None,
        reason="needs the extra 'browser' and a Chromium on PATH",
    ),
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
]


def below(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [one for child in children for one in (int(child), *below(int(child)))]


def alive(pids: list[int]) -> list[int]:
    return [pid for pid in pids if read(pid) is not None]


def test_a_page_of_the_project_is_shown(project: Path, home: Path):
    (project / "page.html").write_text("<h1>Hi</h1><script>console.log('hello')</script>")
    url = (project / "page.html").as_uri()
    asked = ["tool", "browser_action", json.dumps({"action": "launch", "url": url})]
    done = run_agent(asked, cwd=project, home=home)
    assert done.exit_code == 0, done.stdout
    result = json.loads(done.stdout)
    assert result["asked"] is False
    text, image = result["content"]
    assert "[log] hello" in text["text"]
    assert image["media_type"] == "image/jpeg"


def test_an_agent_that_is_killed_leaves_no_browser(project: Path, home: Path):
    config = home / "agent" / "config"
    config.mkdir(parents=True)
    (config / "config.toml").write_text("[web]\nallow_local = true\n")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        asked = ["tool", "browser_action", json.dumps({"action": "launch", "url": url}), "--yes"]
        process = start_process(asked, cwd=project, home=home)
        connection, _ = server.accept()  # the browser is up, and waits for its page
        started = below(process.pid)
        assert len(started) > 4
        process.send_signal(signal.SIGKILL)
        process.communicate()
        deadline = time.monotonic() + 5
        while alive(started):
            assert time.monotonic() < deadline, alive(started)
        connection.close()

"""Coding agents of others, installed from npm at fixed versions, and run at the proxy without care.

Each has a home of its own and is told by its own variables or files where its model is.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES
from testbed.managed_service import Behaviour, ToolService, found
from testbed.proxied import Proxied, configured, serving
from testbed.replies import Call
from testbed.server import VALIDATORS, ModelServer, Script, Validate

PACKAGES = ("@anthropic-ai/claude-code@2.1.197", "@openai/codex@0.169.0", "opencode-ai@1.18.33")
CODEX = """
model = "m"
model_provider = "proxied"
[model_providers.proxied]
name = "proxied"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "PROXY_KEY"
"""
Json = dict[str, Any]


class Place(NamedTuple):
    """Where an agent runs."""

    programs: Path
    home: Path
    work: Path
    url: str


class Agent(NamedTuple):
    wire: str
    native: Call
    """A call of a tool of its own that reads `a.py`."""
    prepare: Callable[[Place], tuple[list[str], dict[str, str]]]
    """Returns its words and variables."""


def _claude(place: Place) -> tuple[list[str], dict[str, str]]:
    words = [str(place.programs / "claude"), "-p", "--dangerously-skip-permissions", "--model", "m"]
    environ = {"ANTHROPIC_BASE_URL": place.url, "ANTHROPIC_API_KEY": "k", "IS_SANDBOX": "1"}
    return words, environ | {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}


def _codex(place: Place) -> tuple[list[str], dict[str, str]]:
    (place.home / ".codex").mkdir()
    (place.home / ".codex/config.toml").write_text(CODEX.format(url=place.url))
    words = [str(place.programs / "codex"), "exec", "--skip-git-repo-check"]
    return [*words, "--dangerously-bypass-approvals-and-sandbox"], {"PROXY_KEY": "k"}


def _opencode(place: Place) -> tuple[list[str], dict[str, str]]:
    options = {"baseURL": f"{place.url}/v1", "apiKey": "k"}
    provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"m": {}}}
    config = {"provider": {"proxied": provider}, "autoupdate": False, "share": "disabled"}
    (place.work / "opencode.json").write_text(json.dumps(config))
    words = [str(place.programs / "opencode"), "run", "-m", "proxied/m"]
    return words, {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1"}


AGENTS = {
    "claude-code": Agent(ANTHROPIC_MESSAGES, Call("Bash", {"command": "cat a.py"}), _claude),
    "codex": Agent(OPENAI_RESPONSES, Call("exec_command", {"cmd": "cat a.py"}), _codex),
    "opencode": Agent(
        OPENAI_CHAT, Call("bash", {"command": "cat a.py", "description": "Read."}), _opencode
    ),
}


def install(folder: Path) -> Path:
    """Install all of them; return where the programs are."""
    npm = shutil.which("npm")
    assert npm is not None
    words = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), *PACKAGES]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "node_modules" / ".bin"


def _tamed(body: Json) -> Json:
    """The request without what these agents send beyond the public API."""
    body = {name: value for name, value in body.items() if name != "client_metadata"}
    if "system" in body:  # Claude Code has messages of the system amid the others
        messages = [one for one in body["messages"] if one["role"] != "system"]
        body["messages"] = messages
    return body


def _tolerant(wire: str) -> Validate:
    return lambda body: VALIDATORS[wire](_tamed(body))


class AgentsServer(ModelServer):
    """As strict as any about what the proxy makes of a history."""

    validators = {wire: _tolerant(wire) for wire in VALIDATORS}  # noqa: RUF012 - as its parent's


@contextmanager
def before(
    script: Script, folder: Path, behaviour: Behaviour = found, **parts: Any
) -> Generator[Proxied]:
    """A proxy with two managed tools before a scripted model."""
    with AgentsServer(script) as upstream, ToolService(behaviour) as tools:
        known = Proxied(upstream, tools, folder)
        config = configured(f"http://127.0.0.1:{upstream.port}", tools, folder, **parts)
        with serving(known, config):
            yield known


def run(agent: Agent, programs: Path, folder: Path, port: int) -> subprocess.CompletedProcess[str]:
    """Let the agent answer one question about `a.py`, which says what it holds."""
    place = Place(programs, folder / "home", folder / "work", f"http://127.0.0.1:{port}")
    place.home.mkdir()
    place.work.mkdir()
    (place.work / "a.py").write_text("print('the very text of a.py')\n")
    words, environ = agent.prepare(place)
    return subprocess.run(
        [*words, "What is in a.py?"],
        cwd=place.work,
        env={"PATH": os.environ["PATH"], "HOME": str(place.home), "TERM": "dumb", **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )

"""What a start does not import: every name here costs the user a tenth of a second or more."""

import subprocess
import sys
from pathlib import Path

import pytest
from testbed.replies import Call, Say
from testbed.run_agent import environment
from testbed.server import ModelServer

HEAVY = {
    "anthropic",
    "httpx",
    "httpx2",
    "mcp",
    "openai",
    "opentelemetry",
    "prompt_toolkit",
    "psycopg",
    "pydantic",
    "pygments",
    "rich.markdown",
}

LIST_MODULES = """
import sys
from agent_cli.__main__ import main
sys.argv[0] = "agent"
try:
    main()
except SystemExit as leaving:
    assert not leaving.code, leaving.code
finally:
    with open(%r, "w") as file:
        file.write("\\n".join(sys.modules))
"""


def loaded(args: list[str], home: Path, server: ModelServer | None = None) -> set[str]:
    """Run the command in a child process; return every module it had imported in the end."""
    listing = home.parent / "modules"
    done = subprocess.run(
        [sys.executable, "-c", LIST_MODULES % str(listing), *args],
        cwd=home.parent,
        env=environment(home, server),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(listing.read_text().splitlines())


LIST = ["tool", "list_files", '{"path":"."}']


@pytest.mark.parametrize(
    "args", [["--version"], ["--help"], ["sessions"], ["stats"], ["models", "--help"], LIST]
)
def test_a_command_without_a_model_loads_no_heavy_module(args: list[str], tmp_path: Path):
    assert loaded(args, tmp_path / "home") & HEAVY == set()


def test_the_version_loads_nothing_but_itself(tmp_path: Path):
    ours = {name for name in loaded(["--version"], tmp_path / "home") if "agent_cli" in name}
    assert ours == {"agent_cli", "agent_cli.__main__"}


@pytest.mark.parametrize("model", ["anthropic/m", "openai/m"])
def test_a_one_shot_request_loads_no_heavy_module(model: str, tmp_path: Path):
    done = Call("attempt_completion", {"result": "All done."})
    with ModelServer([Say(calls=[done])]) as server:
        modules = loaded(["run", "-y", "-m", model, "Do it."], tmp_path / "home", server)
    assert modules & HEAVY == set()
    assert "agent_cli.runtime.agent" in modules

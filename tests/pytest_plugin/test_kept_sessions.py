"""Sessions that a repository keeps are tests of their own, where the plugin is loaded."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from testbed.replies import Call, Say
from testbed.run_agent import PROJECT, environment, run_agent
from testbed.server import ModelServer

READ = Call("read_file", {"files": [{"path": "README.md"}]})
WRITE = Call("write_to_file", {"path": "a.txt", "content": "a\n"})
DONE = Call("attempt_completion", {"result": "All done."})
SCRIPT = [Say(calls=[READ, WRITE]), Say(calls=[DONE])]


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A folder with one session and what it began with."""
    project, home, kept = (tmp_path / name for name in ("project", "home", "kept"))
    project.mkdir()
    (project / "README.md").write_text("# It adds numbers\n")
    shutil.copytree(project, kept / "first.workspace")
    with ModelServer(SCRIPT) as server:
        arguments = ["run", "-y", "-m", "anthropic/test-model", "Do it."]
        done = run_agent(arguments, cwd=project, home=home, server=server)
    assert done.exit_code == 0, done.stderr
    (session,) = home.glob("agent/data/sessions/*/*.jsonl")
    shutil.copy(session, kept / "first.session.jsonl")
    return kept


def pytest_run(kept: Path, home: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "agent_cli.pytest_plugin", "-q", "."]
    env = environment(home, None)
    env["PYTHONPATH"] = str(PROJECT)
    env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    return subprocess.run(
        command, cwd=kept, env=env, capture_output=True, text=True, timeout=60, check=False
    )


def test_what_comes_out_the_same_passes(kept: Path, tmp_path: Path):
    done = pytest_run(kept, tmp_path / "other")
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout
    assert not (kept / "first.workspace/a.txt").exists()


def test_what_comes_out_otherwise_fails_and_says_where(kept: Path, tmp_path: Path):
    (kept / "first.workspace/README.md").write_text("# It multiplies\n")
    done = pytest_run(kept, tmp_path / "other")
    assert done.returncode == 1
    assert "turn 1, read_file" in done.stdout
    assert "content is not the same" in done.stdout
    assert "It multiplies" in done.stdout
    assert "Traceback" not in done.stdout


def test_without_a_workspace_the_record_answers(kept: Path, tmp_path: Path):
    shutil.rmtree(kept / "first.workspace")
    done = pytest_run(kept, tmp_path / "other")
    assert done.returncode == 0, done.stdout


def test_a_file_that_is_no_session_is_an_error_that_says_so(kept: Path, tmp_path: Path):
    (kept / "second.session.jsonl").write_text("{}\n")
    done = pytest_run(kept, tmp_path / "other")
    assert done.returncode == 1
    assert "holds no session" in done.stdout

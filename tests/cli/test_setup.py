"""`agent setup`: a model chosen, its key tried and kept, by flags and at a terminal."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from testbed.model_lists import KEY, listing
from testbed.run_agent import Completed, environment, run_agent, start_agent
from testbed.terminals import leave

from agent_cli.settings.credentials import credentials_file
from agent_cli.settings.places import config_file


def setup(
    project: Path, home: Path, *args: str, url: str = "", key: str = "", **env: str
) -> Completed:
    urls = {"OPENAI_BASE_URL": f"{url}/v1", "ANTHROPIC_BASE_URL": url} if url else {}
    return run_agent(
        ["setup", *args], cwd=project, home=home, input=f"{key}\n", env={**urls, **env}
    )


def settings(home: Path) -> dict[str, object]:
    return tomllib.loads(config_file(environment(home, None)).read_text())


@pytest.mark.parametrize("provider", ["openai", "anthropic", "openai-chat"])
def test_a_key_is_tried_and_kept_for_its_owner_alone(project: Path, home: Path, provider: str):
    with listing("large", "small") as url:
        done = setup(
            project, home, "--provider", provider, "--key-stdin", "--yes", url=url, key=KEY
        )
    assert (done.exit_code, done.stderr) == (0, "")
    assert settings(home) == {"model": f"{provider}/large"}
    kept = credentials_file(environment(home, None))
    assert kept.stat().st_mode & 0o777 == 0o600
    assert list(json.loads(kept.read_text()).values()) == [{"key": KEY}]
    assert KEY not in done.stdout
    assert done.stdout.endswith("Next: agent\n")


def test_a_key_that_is_refused_is_not_kept(project: Path, home: Path):
    with listing("large") as url:
        args = ("--provider", "openai", "--key-stdin", "--yes")
        done = setup(project, home, *args, url=url, key="sk-wrong")
    assert done.exit_code == 41
    assert "the key was refused" in done.stderr
    assert not config_file(environment(home, None)).exists()
    assert not credentials_file(environment(home, None)).exists()


def test_any_compatible_server_becomes_a_provider(project: Path, home: Path):
    with listing("mine", wants_key=False) as url:
        done = setup(project, home, "--url", f"{url}/v1", "--provider", "house", "--yes")
    assert done.exit_code == 0, done.stderr
    assert settings(home) == {
        "model": "house/mine",
        "providers": {"house": {"base_url": f"{url}/v1", "wire": "openai_chat"}},
    }


def test_a_variable_of_ones_own_is_named_and_its_key_not_kept(project: Path, home: Path):
    with listing("mine") as url:
        args = ("--url", f"{url}/v1", "--key-env", "HOUSE_KEY", "--yes")
        done = setup(project, home, *args, HOUSE_KEY=KEY)
    assert done.exit_code == 0, done.stderr
    (own,) = settings(home)["providers"].values()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
    assert own["api_key_env"] == "HOUSE_KEY"
    assert not credentials_file(environment(home, None)).exists()


def test_a_kept_key_stands_for_its_variable(project: Path, home: Path):
    with listing("large") as url:
        args = ("--provider", "openai", "--key-stdin", "--yes")
        setup(project, home, *args, url=url, key=KEY)
        again = setup(project, home, "--provider", "openai", "-m", "large", "--yes", url=url)
    assert again.exit_code == 0, again.stderr
    assert "OPENAI_API_KEY" in run_agent(["doctor"], cwd=project, home=home).stdout


@pytest.mark.parametrize(
    ("args", "why"),
    [
        pytest.param((), "no terminal to ask on", id="nobody to ask"),
        pytest.param(("--provider", "nobody"), "unknown provider 'nobody'", id="unknown"),
        pytest.param(("--url", "ftp://h"), "begins with http", id="no web address"),
        pytest.param(("--provider", "ollama", "--no-check"), "say which model", id="no model"),
    ],
)
def test_what_is_missing_is_said(project: Path, home: Path, args: tuple[str, ...], why: str):
    done = setup(project, home, *args)
    assert done.exit_code == 2
    assert why in " ".join(done.stderr.replace("│", " ").split())


def test_without_a_list_the_named_model_is_taken(project: Path, home: Path):
    args = ("--provider", "openai", "-m", "unseen", "--key-stdin", "--yes")
    done = setup(project, home, *args, url="http://127.0.0.1:9", key=KEY)
    assert done.exit_code == 0, done.stderr
    assert "could not be listed" in done.stderr
    assert settings(home) == {"model": "openai/unseen"}


def test_other_settings_stay_as_they_are(project: Path, home: Path):
    path = config_file(environment(home, None))
    path.parent.mkdir(parents=True)
    path.write_text('# mine\nmodel = "old/one"\nmode = "ask"\n\n[retry]\nattempts = 2  # few\n')
    args = ("--provider", "ollama", "-m", "new", "--no-check", "--yes")
    assert setup(project, home, *args).exit_code == 0
    assert path.read_text() == (
        '# mine\nmode = "ask"\nmodel = "ollama/new"\n\n[retry]\nattempts = 2  # few\n'
    )


def pastes(terminal: Any) -> None:
    """Choose a model and its key, up to the last question."""
    terminal.expect(r"1\. paste a key: anthropic, openai")
    terminal.expect("Number: ")
    terminal.sendline("1")
    terminal.expect("Provider")
    terminal.sendline("openai")
    terminal.expect("not shown")
    terminal.sendline(KEY)
    terminal.expect("Model .large.: ")
    terminal.sendline("small")
    terminal.expect("Write it")


def test_a_person_chooses_pastes_and_agrees(project: Path, home: Path):
    with listing("large", "small") as url:
        env = {"OPENAI_BASE_URL": f"{url}/v1", "OLLAMA_HOST": "127.0.0.1:9"}
        terminal = start_agent(["setup"], cwd=project, home=home, env=env)
        pastes(terminal)
        terminal.sendline("")
        terminal.expect("Next: agent")
        seen = terminal.before
        terminal.wait()
    assert terminal.exitstatus == 0
    terminal.close()
    assert KEY not in seen
    assert settings(home) == {"model": "openai/small"}


def test_the_end_of_what_is_typed_is_no_yes(project: Path, home: Path):
    with listing("large", "small") as url:
        env = {"OPENAI_BASE_URL": f"{url}/v1", "OLLAMA_HOST": "127.0.0.1:9"}
        terminal = start_agent(["setup"], cwd=project, home=home, env=env)
        pastes(terminal)
        terminal.sendeof()
        terminal.wait()
    assert terminal.exitstatus == 1
    terminal.close()
    assert not config_file(environment(home, None)).exists()


def test_who_sets_up_at_the_first_start_goes_on_with_that_key(project: Path, home: Path):
    with listing("large", "small") as url:
        env = {"OPENAI_BASE_URL": f"{url}/v1", "OLLAMA_HOST": "127.0.0.1:9"}
        terminal = start_agent([], cwd=project, home=home, env=env)
        terminal.expect(r"\[q\]uit\? ")
        terminal.sendline("s")
        pastes(terminal)
        terminal.sendline("")
        terminal.expect("agent, model openai/small")
        leave(terminal)


def test_the_first_start_offers_demo_and_setup(project: Path, home: Path):
    terminal = start_agent([], cwd=project, home=home, env={"OLLAMA_HOST": "127.0.0.1:9"})
    terminal.expect(r"\[s\]et up a model, watch the \[d\]emo, or \[q\]uit\? ")
    terminal.sendline("s")
    terminal.expect("Number: ")
    terminal.sendline("x")
    terminal.expect("none of them")
    terminal.wait()
    assert terminal.exitstatus == 2
    terminal.close()


def test_who_wants_neither_is_told_what_was_looked_for(project: Path, home: Path):
    terminal = start_agent([], cwd=project, home=home, env={"OLLAMA_HOST": "127.0.0.1:9"})
    terminal.expect(r"\[q\]uit\? ")
    terminal.sendline("q")
    terminal.expect("there is no model to ask")
    terminal.wait()
    assert terminal.exitstatus == 41
    terminal.close()

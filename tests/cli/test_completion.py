"""`agent completion`: a shell completes what there is."""

import subprocess
from pathlib import Path

import pytest
from testbed.run_agent import run_agent


def completed(script: str, *words: str) -> list[str]:
    ask = f"{script}\nCOMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}\n_agent\n"
    shown = subprocess.run(
        ["bash", "-c", ask + 'printf "%s\\n" "${COMPREPLY[@]}"'],
        capture_output=True,
        text=True,
        check=True,
    )
    return shown.stdout.split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        pytest.param(("agent", "se"), ["sessions", "setup"], id="a command"),
        pytest.param(("agent", "--cont"), ["--continue"], id="an option of the bare command"),
        pytest.param(("agent", "run", "--cont"), ["--continue"], id="the same for run"),
        pytest.param(("agent", "setup", "--key"), ["--key-env", "--key-stdin"], id="an option"),
        pytest.param(("agent", "proxy", "exp"), ["explain"], id="a command below"),
    ],
)
def test_bash_completes(words: tuple[str, ...], expected: list[str], project: Path, home: Path):
    script = run_agent(["completion", "bash"], cwd=project, home=home).stdout
    assert completed(script, *words) == expected


def test_zsh_and_fish_have_theirs(project: Path, home: Path):
    zsh = run_agent(["completion", "zsh"], cwd=project, home=home).stdout
    assert zsh.startswith("autoload")
    fish = run_agent(["completion", "fish"], cwd=project, home=home).stdout
    assert "complete -c agent -n '__fish_seen_subcommand_from setup' -a '--provider" in fish


def test_another_shell_is_refused(project: Path, home: Path):
    done = run_agent(["completion", "tcsh"], cwd=project, home=home)
    assert done.exit_code == 2
    assert "'tcsh' is none of bash, zsh, fish" in " ".join(done.stderr.split())

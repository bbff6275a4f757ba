"""git in repositories whose configuration names programs: none of them may run.

Every vector plants a script that leaves a file behind, and is first shown to work.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from testbed.hostile_git import VECTORS, Repository, attributes

from agent_cli.processes.git import directory


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.__name__)
def test_reading_runs_no_program_of_the_repository(
    vector: Callable[[Repository], None], repository: Repository
):
    vector(repository)
    assert repository.ran({}), "the vector does not work"
    extra = repository.neutral()
    assert extra is not None
    assert not repository.canary.exists(), "reading the configuration ran the script"
    assert repository.ran(extra) == []
    assert "changed again" in repository.run("git diff", extra)
    assert "a.txt" in repository.run("git status", extra)


def test_a_bare_repository_inside_of_another_is_refused(repository: Repository):
    bare = repository.root / "docs"
    repository.git("init", "-q", "--bare", "docs")
    repository.git("config", "core.bare", "false", cwd=bare)
    repository.git("config", "core.worktree", ".", cwd=bare)
    repository.git("config", "core.fsmonitor", str(repository.script), cwd=bare)
    assert repository.ran({}, bare)
    extra = repository.neutral(bare)
    assert extra is None or repository.ran(extra, bare) == []
    outer = repository.neutral()
    assert outer is not None
    assert repository.ran(outer, bare) == []


def test_a_repository_cannot_show_files_from_elsewhere(repository: Repository):
    outside = repository.script.parent / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("secret\n")
    repository.config("core.worktree", str(outside))
    assert "secret" in repository.run("git diff", {})
    extra = repository.neutral()
    assert extra is not None
    assert "secret" not in repository.run("git diff", extra)
    assert "changed" in repository.run("git diff", extra)
    assert repository.neutral(repository.root, outside) is None


def test_the_users_own_configuration_stays_in_force(repository: Repository):
    """As long as it does not stand in the repository."""
    (repository.home / ".gitconfig").write_text(
        f'[diff "mine"]\n\ttextconv = {repository.script}\n[core]\n\tfsmonitor = false\n'
    )
    attributes(repository, "diff=mine")
    extra = repository.neutral()
    assert extra is not None
    assert "git diff HEAD~1" in repository.ran(extra)
    repository.config("diff.mine.textconv", "false")
    again = repository.neutral()
    assert again is not None
    assert "git diff HEAD~1" in repository.ran(again)


def test_an_alias_of_the_repository_runs_nothing(repository: Repository):
    repository.config("alias.st", f"!{repository.script}")
    repository.run("git st", {})
    assert repository.canary.exists()
    repository.canary.unlink()
    repository.run("git st", repository.neutral() or {})
    assert not repository.canary.exists()


def test_fetching_names_no_program_as_transport(repository: Repository):
    repository.config("remote.e.url", f"ext::touch {repository.canary}")
    repository.config("protocol.ext.allow", "always")
    repository.run("git fetch e", {})
    assert repository.canary.exists()
    repository.canary.unlink()
    assert "not allowed" in repository.run("git fetch e", repository.neutral() or {})
    assert not repository.canary.exists()


@pytest.mark.parametrize("key", ["remote.o.uploadpack", "remote.o.receivepack"])
def test_nobody_vouches_for_what_cannot_be_overridden(repository: Repository, key: str):
    repository.config(key)
    assert repository.neutral() is None


def test_logging_in_asks_the_users_helpers_only(repository: Repository):
    (repository.home / ".gitconfig").write_text("[credential]\n\thelper = mine\n")
    repository.config("credential.helper")
    extra = repository.neutral() or {}
    helpers = repository.run("git config --get-all credential.helper", extra).splitlines()
    assert helpers[-2:] == ["", "mine"]


def test_a_proxy_of_the_repository_is_not_used(repository: Repository):
    repository.config("core.gitProxy")
    assert (repository.neutral() or {})["GIT_PROXY_COMMAND"] == ""


def test_values_already_in_the_environment_are_kept(repository: Repository):
    own = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "me"}
    extra = repository.neutral(environ=repository.environ | own)
    assert extra is not None
    assert "GIT_CONFIG_KEY_0" not in extra
    assert repository.run("git config user.name", own | extra) == "me\n"


@pytest.mark.parametrize(
    "text",
    [
        "[broken",
        '[alias "\udcff"]\n\tcommand = x\n',
        "".join(f"[alias]\nx{n} = y\n" for n in range(60_000)),
    ],
    ids=["broken", "a name that is no text", "too many"],
)
def test_nobody_vouches_for_configuration_that_cannot_be_read(repository: Repository, text: str):
    with (repository.root / ".git" / "config").open("ab") as file:
        file.write(text.encode(errors="surrogateescape"))
    assert repository.neutral() is None


@pytest.mark.parametrize(
    "text",
    [
        '[submodule "\udcff"]\npath = a\n',
        "".join(f'[submodule "{n:099}"]\npath=a\n' for n in range(6_000)),
    ],
    ids=["a name that is no text", "too many"],
)
def test_nobody_vouches_for_submodules_that_cannot_be_named(repository: Repository, text: str):
    (repository.root / ".gitmodules").write_bytes(text.encode(errors="surrogateescape"))
    assert repository.neutral() is None


def test_a_value_that_outgrows_every_bound_is_not_vouched_for(repository: Repository):
    with (repository.root / ".git" / "config").open("a") as file:
        file.write("[alias]\nx = " + "y" * 5_000_000 + "\n")
    assert repository.neutral() is None


def test_nobody_vouches_where_git_cannot_be_started(repository: Repository):
    assert repository.neutral(environ={"PATH": str(repository.home)}) is None


def test_outside_of_a_repository_there_is_nothing_to_fear(repository: Repository):
    extra = repository.neutral(repository.home)
    assert extra is not None
    assert "GIT_WORK_TREE" not in extra


@pytest.mark.parametrize(
    ("command", "place"),
    [("git log", "/w"), ("git -C a -C b log", "/w/a/b"), ("git --no-pager -C /x log -C y", "/x"),
     ("git", "/w"), ("git -C", "/w")],
)  # fmt: skip
def test_the_directory_is_where_git_works(command: str, place: str):
    assert directory(command.split(), Path("/w")) == Path(place)

"""What goes along with the user's words: files, folders, git, commands; through gate and limits."""

import asyncio
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from testbed.dispatched import Answering

from agent_cli.runtime.git_mentions import LONGEST
from agent_cli.runtime.mentions import ROOM, Along, Attachments
from agent_cli.runtime.toolbox import Options, toolbox
from agent_cli.settings.schema import Settings
from agent_cli.types.brought import Brought

PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 2000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src/app.py").write_text("print(1)\n")
    (folder / "secret.txt").write_text("swordfish\n")
    (folder / ".agentignore").write_text("secret*\n")
    return folder


def along(
    root: Path, text: str, *, files: Iterable[Brought] = (), deny: tuple[str, ...] = ()
) -> Along:
    options = Options(
        root,
        {"PATH": "/usr/bin:/bin", "HOME": str(root.parent), "SHELL": "/bin/sh"},
        model="",
        ephemeral=True,
        spills=False,
        disallowed_tools=deny,
        brought=tuple(files),
    )
    box = toolbox(Settings(), options, Answering(yes=True))

    async def look() -> Along:
        try:
            return await Attachments(box).along(text)
        finally:
            await box.processes.close()

    return asyncio.run(look())


def test_a_file_is_attached_with_line_numbers(root: Path):
    said = along(root, "Explain @src/app.py.").text
    assert said.startswith('<file_content name="src/app.py">\n')
    assert "1 | print(1)" in said


def test_a_folder_is_listed(root: Path):
    said = along(root, "Explain @src/ and @.").text
    assert '<folder_content name="src/">' in said
    assert "app.py" in said


def test_an_image_is_attached_as_one(root: Path):
    (root / "a.png").write_bytes(PNG)
    found = along(root, "What is @a.png?")
    assert [image.media_type for image in found.images] == ["image/png"]


@pytest.mark.parametrize(
    "text", ["@dataclass", "mail ada@example.org", r"\@src/app.py", "@deadbeef", "@none/here.py"]
)
def test_what_is_not_there_is_no_mention(root: Path, text: str):
    assert along(root, text) == Along()


@pytest.mark.parametrize("name", ["secret.txt", "./secret.txt", "src/../secret.txt"])
def test_what_is_ignored_is_refused(root: Path, name: str):
    said = along(root, f"Read @{name}").text
    assert "swordfish" not in said
    assert "could not be attached" in said


def test_what_lies_outside_is_not_read(root: Path):
    (root.parent / "other.txt").write_text("swordfish")
    (root / "link").symlink_to(root.parent / "other.txt")
    said = along(root, "Read @../other.txt and @link").text
    assert "swordfish" not in said
    assert said.count("outside the workspace") == 2


@pytest.mark.parametrize("rule", ["read_file(src/*)", "read_file"])
def test_a_deny_rule_stands(root: Path, rule: str):
    said = along(root, "Read @src/app.py", deny=(rule,)).text
    assert "print(1)" not in said
    assert "could not be attached" in said


def test_a_binary_file_is_refused_clearly(root: Path):
    (root / "a.bin").write_bytes(b"\0\1\2")
    assert "could not be attached" in along(root, "@a.bin").text


def test_attachments_have_a_limit_together(root: Path):
    for number in range(6):
        (root / f"f{number}.txt").write_text("x" * 80 * 1000)
    said = along(root, " ".join(f"@f{number}.txt" for number in range(6))).text
    assert len(said) < ROOM + 10_000
    assert "all the room" in said


COMMAND = Brought("commands", "review.md", "review.md", "---\nmode: ask\n---\nReview $1.")


def test_a_command_that_is_typed_goes_along_expanded(root: Path):
    found = along(root, "/review main", files=[COMMAND])
    assert found.text == '<command name="review">\nReview main.\n</command>'
    assert found.mode == "ask"


def test_the_arguments_of_a_command_may_mention(root: Path):
    assert "print(1)" in along(root, "/review @src/app.py", files=[COMMAND]).text


def test_a_word_that_is_no_command_is_a_word(root: Path):
    assert along(root, "/usr/bin is full", files=[COMMAND]) == Along()


def test_a_page_is_refused_where_the_policy_denies_it(root: Path):
    said = along(root, "@http://127.0.0.1:9/x", deny=("web_fetch(*)",)).text
    assert "could not be attached" in said


def git(root: Path, *argv: str) -> str:
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    done = subprocess.run(
        ["git", *identity, *argv], cwd=root, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(root: Path) -> Path:
    git(root, "init", "-q")
    git(root, "add", "-f", ".")
    git(root, "commit", "-q", "-m", "The first step")
    return root


def test_changes_since_the_last_commit_are_attached(repository: Path):
    (repository / "src/app.py").write_text("print(2)\n")
    (repository / "secret.txt").write_text("swordfish two\n")
    (repository / "new.py").write_text("x")
    said = along(repository, "Review @git-changes").text
    assert said.startswith('<git_changes name="git-changes">')
    assert "-print(1)" in said
    assert "+print(2)" in said
    assert "new.py" in said
    assert "swordfish" not in said
    assert "secret" not in said


def test_a_repository_without_a_commit_has_changes_too(root: Path):
    git(root, "init", "-q")
    git(root, "add", "src")
    assert "+print(1)" in along(root, "@git-changes").text


def test_where_nothing_changed_that_is_said(repository: Path):
    assert "Nothing has changed" in along(repository, "@git-changes").text


def test_where_there_is_no_repository_that_is_said(root: Path):
    assert "git cannot be asked" in along(root, "@git-changes").text


def test_a_commit_is_attached_without_what_is_ignored(repository: Path):
    name = git(repository, "rev-parse", "HEAD")
    for spelled in (name, name[:7]):
        said = along(repository, f"Explain @{spelled}.").text
        assert said.startswith(f'<git_commit name="{spelled}">')
        assert "The first step" in said
        assert "+print(1)" in said
        assert "swordfish" not in said


def test_a_commit_of_ignored_files_alone_shows_no_diff(repository: Path):
    (repository / "secret.txt").write_text("swordfish two\n")
    git(repository, "commit", "-q", "-a", "-m", "Hidden")
    said = along(repository, f"@{git(repository, 'rev-parse', 'HEAD')}").text
    assert "Hidden" in said
    assert "swordfish" not in said
    assert "diff --git" not in said


def test_a_long_diff_is_cut_and_says_so(repository: Path):
    (repository / "src/app.py").write_text("print(2)\n" * 50_000)
    said = along(repository, "@git-changes").text
    assert len(said) < LONGEST + 2000
    assert "The rest was left out" in said


def test_no_program_of_the_repository_runs(repository: Path):
    canary = repository.parent / "canary"
    script = repository.parent / "script"
    script.write_text(f"#!/bin/sh\ntouch {canary}\n")
    script.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(script))
    git(repository, "config", "diff.external", str(script))
    (repository / "src/app.py").write_text("print(2)\n")
    assert "+print(2)" in along(repository, "@git-changes").text
    assert not canary.exists()


def test_a_file_called_like_a_commit_is_the_file(repository: Path):
    (repository / "deadbeef").write_text("a file\n")
    assert "1 | a file" in along(repository, "@deadbeef").text


def test_a_workspace_within_a_repository_shows_its_own_part(repository: Path):
    (repository / "README.md").write_text("other\n")
    (repository / "src/app.py").write_text("print(2)\n")
    (repository / "src/new.py").write_text("x")
    said = along(repository / "src", "@git-changes").text
    assert "+print(2)" in said
    assert "new.py" in said
    assert "README" not in said
    git(repository, "commit", "-q", "-a", "-m", "Second")
    said = along(repository / "src", f"@{git(repository, 'rev-parse', 'HEAD')}").text
    assert "+print(2)" in said

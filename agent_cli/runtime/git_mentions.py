"""What git says of the work in progress or of a commit, for a message that mentions it.

Rule 1: no program that the repository names runs (`processes/git.py`).
Rule 2: what the path gate refuses is not shown, in no version of it: git is told each path that
it may show, by its own name.
"""

from pathlib import Path

from agent_cli.context._texts import fill, table
from agent_cli.processes.git import neutral
from agent_cli.processes.run import Processes
from agent_cli.types.errors import ToolError
from agent_cli.workspace.gate import Workspace

LONGEST = 100_000
"""Characters of a diff."""
MOST_FILES = 300
"""Of a diff, or new."""
_SECONDS = 20
_NAMES_LONGEST = 1_000_000
_PLAIN = ("--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--relative")
_NOTHING_YET = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""The empty tree: what a repository without a commit is compared with."""


class Repository:
    """The repository of a workspace, looked at through the path gate."""

    def __init__(self, processes: Processes, workspace: Workspace) -> None:
        self._processes = processes
        self._workspace = workspace

    async def changes(self) -> str:
        """Return what differs from the last commit; raises ToolError where git cannot tell."""
        git = await self._git()
        head = await git.run("rev-parse", "-q", "--verify", "HEAD")
        base = "HEAD" if head is not None else _NOTHING_YET
        listed = await git.run("diff", *_PLAIN, "--name-only", "-z", base)
        new = await git.run("ls-files", "-o", "--exclude-standard", "-z")
        if listed is None or new is None:
            raise ToolError(_texts()["no_git"])
        parts = [await self._diff(git, ("diff", *_PLAIN, base), listed)]
        names = self._visible(new)
        if names:
            parts.append(fill(_texts()["new_files"], names="\n".join(names)))
        return "\n\n".join(filter(None, parts)) or _texts()["nothing_changed"]

    async def commit(self, name: str) -> str | None:
        """Return message and changes of a commit; None where there is none of this name."""
        git = await self._git()
        found = await git.run("rev-parse", "-q", "--verify", f"{name}^{{commit}}")
        if found is None:
            return None
        show = ("show", *_PLAIN, "--diff-merges=first-parent")
        full = found.strip()
        message = await git.run("show", "-s", "--no-color", "--format=medium", full)
        listed = await git.run(*show, "--format=", "--name-only", "-z", full)
        if message is None or listed is None:
            raise ToolError(_texts()["no_git"])
        return f"{message.strip()}\n\n{await self._diff(git, (*show, '--format=', full), listed)}"

    async def _diff(self, git: "_Git", argv: tuple[str, ...], listed: str) -> str:
        names = self._visible(listed)
        if not names:  # without a path git would show every file
            return ""
        shown = await git.run(*argv, "--", *names, longest=LONGEST)
        return (shown or "").strip()

    def _visible(self, listed: str) -> list[str]:
        names = [name for name in listed.split("\0") if name and "\ufffd" not in name]
        return [name for name in names[:MOST_FILES] if self._workspace.visible(name)]

    async def _git(self) -> "_Git":
        if not self._processes.finds("git"):
            raise ToolError(_texts()["no_git"])
        quiet = self._processes.forgetting()
        extra = await neutral(quiet, [self._workspace.root], self._processes.environ)
        if extra is None:
            raise ToolError(_texts()["no_git"])
        literal = {"GIT_LITERAL_PATHSPECS": "1", "GIT_PAGER": "cat"}
        return _Git(quiet.adding(extra | literal), self._workspace.root)


class _Git:
    """git that starts nothing else."""

    def __init__(self, processes: Processes, root: Path) -> None:
        self._processes = processes
        self._root = root

    async def run(self, *argv: str, longest: int = _NAMES_LONGEST) -> str | None:
        """Return what it prints, cut with a word about it; None if it fails."""
        pieces: list[str] = []
        length = 0

        def keep(text: str) -> None:
            nonlocal length
            pieces.append(text[: max(0, longest - length)])
            length += len(text)

        try:
            finished = await self._processes.run(
                ("git", "--no-pager", *argv), cwd=self._root, timeout=_SECONDS, on_output=keep
            )
        except (OSError, ValueError):
            return None
        if finished.exit_code != 0:
            return None
        cut = f"\n{fill(_texts()['cut'], most=str(longest))}" if length > longest else ""
        return "".join(pieces) + cut


def _texts() -> dict[str, str]:
    texts: dict[str, str] = table("system/phrases.toml")["mentions"]
    return texts

"""A repository that wants to run a program, in every way that git knows."""

import asyncio
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from agent_cli.processes.git import neutral
from agent_cli.processes.run import Processes

READING = [
    "git status",
    "git --no-pager diff",
    "git diff HEAD~1",
    "git log -p",
    "git log --show-signature",
    "git show HEAD",
    "git grep -n word",
    "git blame a.txt",
    "git show HEAD:a.txt",
]


class Repository:
    """A repository with history and a change, and a script that tells that it ran."""

    def __init__(self, base: Path) -> None:
        self.root = base / "work"
        self.canary = base / "canary"
        self.script = base / "evil.sh"
        self.home = base / "home"
        self.home.mkdir()
        self.script.write_text(f'#!/bin/sh\ntouch {self.canary}\ncat "$@" 2>/dev/null\n')
        self.script.chmod(0o755)
        create(self)

    @property
    def environ(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), "LC_ALL": "C.UTF-8"}

    def git(self, *words: str, cwd: Path | None = None) -> str:
        return subprocess.run(
            ("git", *words), cwd=cwd or self.root, env=self.environ, text=True, check=True,
            capture_output=True,
        ).stdout  # fmt: skip

    def config(self, key: str, value: str | None = None) -> None:
        self.git("config", key, str(self.script) if value is None else value)

    def touch(self) -> None:
        """Make git look at the files again."""
        (self.root / "a.txt").write_text("word\nchanged again\n")
        os.utime(self.root / "a.txt", (1, 1))

    def ran(self, extra: Mapping[str, str], cwd: Path | None = None) -> list[str]:
        """Return the commands during which the script ran."""
        found: list[str] = []
        for command in READING:
            self.touch()
            self.run(command, extra, cwd)
            if self.canary.exists():
                found.append(command)
                self.canary.unlink()
        return found

    def run(self, command: str, extra: Mapping[str, str], cwd: Path | None = None) -> str:
        return subprocess.run(
            command.split(), cwd=cwd or self.root, env=self.environ | dict(extra), check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
        ).stdout.decode(errors="replace")  # fmt: skip

    def neutral(self, *places: Path, environ: Mapping[str, str] | None = None):
        known = self.environ if environ is None else environ
        return asyncio.run(neutral(Processes(known), places or (self.root,), known))


def create(repository: Repository) -> None:
    root = repository.root
    root.mkdir()
    repository.git("init", "-q", "-b", "main")
    repository.git("config", "user.email", "a@example.org")
    repository.git("config", "user.name", "a")
    for text in ("word\n", "word\nmore\n"):
        (root / "a.txt").write_text(text)
        repository.git("add", "a.txt")
        repository.git("commit", "-q", "-m", text)
    (root / "a.txt").write_text("word\nchanged\n")


def attributes(repository: Repository, text: str) -> None:
    (repository.root / ".gitattributes").write_text(f"*.txt {text}\n")


def fsmonitor(repository: Repository) -> None:
    repository.config("core.fsmonitor")


def hook(repository: Repository) -> None:
    path = repository.root / ".git" / "hooks" / "post-index-change"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(repository.script.read_bytes())
    path.chmod(0o755)


def hooks_elsewhere(repository: Repository) -> None:
    hook(repository)
    (repository.root / ".git" / "hooks").rename(repository.root / "scripts")
    repository.config("core.hooksPath", "scripts")


def external_diff(repository: Repository) -> None:
    repository.config("diff.external")


def diff_driver(repository: Repository) -> None:
    attributes(repository, "diff=Evil.One")
    repository.config("diff.Evil.One.command")


def textconv(repository: Repository) -> None:
    attributes(repository, "diff=evil")
    repository.config("diff.evil.textconv")


def clean_filter(repository: Repository) -> None:
    attributes(repository, "filter=evil")
    repository.config("filter.evil.clean")
    repository.config("filter.evil.required", "true")


def process_filter(repository: Repository) -> None:
    attributes(repository, "filter=evil")
    repository.config("filter.evil.process")


def filter_by_info(repository: Repository) -> None:
    info = repository.root / ".git" / "info"
    info.mkdir(exist_ok=True)
    (info / "attributes").write_text("a.txt filter=evil\n")
    repository.config("filter.evil.clean")


def filter_by_core_attributes(repository: Repository) -> None:
    (repository.root / "attributes").write_text("a.txt filter=evil\n")
    repository.config("core.attributesFile", str(repository.root / "attributes"))
    repository.config("filter.evil.clean")


def included(repository: Repository) -> None:
    (repository.root / "more").write_text(f"[core]\n\tfsmonitor = {repository.script}\n")
    repository.config("include.path", "../more")


def included_on_condition(repository: Repository) -> None:
    attributes(repository, "filter=evil")
    (repository.root / "more").write_text(f'[filter "evil"]\n\tclean = {repository.script}\n')
    repository.config("includeIf.onbranch:main.path", "../more")


def worktree_config(repository: Repository) -> None:
    repository.config("extensions.worktreeConfig", "true")
    attributes(repository, "diff=evil")
    repository.git("config", "--worktree", "diff.evil.textconv", str(repository.script))


def gpg(repository: Repository) -> None:
    """Sign a commit with a program that says anything, and have it checked."""
    signer = repository.script.with_name("sign.sh")
    signer.write_text(
        '#!/bin/sh\ncat >/dev/null\necho "[GNUPG:] SIG_CREATED " >&2\n'
        "echo -----BEGIN PGP SIGNATURE-----\necho\necho x\necho -----END PGP SIGNATURE-----\n"
    )
    signer.chmod(0o755)
    repository.git("-c", f"gpg.program={signer}", "commit", "-q", "-S", "-am", "signed")
    repository.config("gpg.program")
    repository.config("log.showSignature", "true")


def git_file(repository: Repository) -> None:
    (repository.root / ".git").rename(repository.root / "elsewhere")
    (repository.root / ".git").write_text("gitdir: elsewhere\n")
    repository.config("core.fsmonitor")


def nested(repository: Repository, key: str) -> Path:
    inner = repository.root / "inner"
    inner.mkdir()
    repository.git("init", "-q", cwd=inner)
    (inner / "b.txt").write_text("b\n")
    (inner / ".gitattributes").write_text("*.txt filter=evil\n")
    repository.git("add", ".", cwd=inner)
    repository.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "b", cwd=inner)
    repository.git("-c", "advice.addEmbeddedRepo=false", "add", "inner")
    repository.git("config", key, str(repository.script), cwd=inner)
    (inner / "b.txt").write_text("c\n")
    os.utime(inner / "b.txt", (1, 1))
    return inner


def nested_repository(repository: Repository) -> None:
    nested(repository, "filter.evil.clean")


def submodule_that_wants_a_look(repository: Repository) -> None:
    nested(repository, "filter.evil.clean")
    (repository.root / ".gitmodules").write_text(
        '[submodule "x y"]\n\tpath = inner\n\turl = ./inner\n\tignore = none\n'
    )
    repository.git("add", ".gitmodules")
    repository.git("commit", "-qm", "module")


def submodule_known_by_the_index(repository: Repository) -> None:
    submodule_that_wants_a_look(repository)
    (repository.root / ".gitmodules").unlink()


def submodule_set_by_configuration(repository: Repository) -> None:
    submodule_that_wants_a_look(repository)
    repository.config("submodule.x y.ignore", "none")


VECTORS: list[Callable[[Repository], None]] = [
    fsmonitor, hook, hooks_elsewhere, external_diff, diff_driver, textconv, clean_filter,
    process_filter, filter_by_info, filter_by_core_attributes, included, included_on_condition,
    worktree_config, gpg, git_file, nested_repository, submodule_that_wants_a_look,
    submodule_known_by_the_index, submodule_set_by_configuration,
]  # fmt: skip

"""Names that make other programs run something or weaken a guard: writing them always asks."""

import os
import re
import unicodedata
from collections.abc import Iterator

_NAMES = frozenset(
    {
        # version control and editors
        ".git", ".gitmodules", ".gitattributes", ".gitconfig", ".husky", ".vscode", ".idea",
        # tools that run what these say
        ".mcp.json", ".envrc", ".npmrc",
        # shells
        ".profile", ".login", ".logout", ".inputrc", ".xprofile", ".xinitrc", ".xsession",
        ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases",
        ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout",
        ".cshrc", ".tcshrc", ".kshrc", ".mkshrc", "config.fish",
        # ours
        ".agent", ".agents", ".claude", ".agentignore", "agents.md",
    }
)  # fmt: skip

_BARE_FILES = frozenset({"head", "packed-refs", "config", "config.worktree", "commondir"})
"""Last names by which a folder becomes, or changes as, a bare repository."""

_BARE_BELOW = re.compile(
    r"(?:^|/)(?:refs/(?:heads|tags|remotes)/.|objects/(?:info|pack|[0-9a-f]{2})/."
    r"|hooks/(?:(?:pre|post)-[a-z-]+|(?:prepare-)?commit-msg|applypatch-msg|update|proc-receive"
    r"|reference-transaction|push-to-checkout|sendemail-validate|fsmonitor-watchman)$)"
)
_BARE_PARTS = frozenset(
    {"hooks", "objects", "refs", "info", "logs", "modules", "worktrees", "description"}
)
_DEPTH = 3
_MOST = 20_000
"""Entries that are looked at for one sandbox."""
_SHORT_GIT = re.compile(r"git~\d+")
_IGNORABLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\ufe00-\ufe0f\uffa0"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def is_protected(relative: str) -> bool:
    """Whether one of the names along the path is protected, whatever its case or disguise."""
    parts = [plain(part) for part in relative.split("/")]
    if any(map(_is_name, parts)):
        return True
    return parts[-1] in _BARE_FILES or _BARE_BELOW.search("/".join(parts)) is not None


def protected_below(root: str) -> Iterator[str]:
    """Yield the paths of protected names in a directory and a few levels below it.

    Names that are protected in a bare repository only are not meant: `config` is mostly another.
    """
    waiting = [(root, 0)]
    seen = 0
    while waiting and seen < _MOST:
        folder, depth = waiting.pop()
        for entry in _entries(folder):
            seen += 1
            if _is_name(plain(entry.name)):
                yield entry.path
            elif depth < _DEPTH and entry.is_dir(follow_symlinks=False):
                waiting.append((entry.path, depth + 1))


def _entries(folder: str) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:  # gone, or not to be read
        return []


def _is_name(part: str) -> bool:
    return part in _NAMES or part.endswith(".code-workspace") or bool(_SHORT_GIT.fullmatch(part))


def bare_repositories(relative: str) -> tuple[str, ...]:
    """Return the directories that, if they hold a HEAD, make this path a bare repository's."""
    parts = relative.split("/")
    return tuple(
        "/".join(parts[:depth]) for depth in range(len(parts)) if plain(parts[depth]) in _BARE_PARTS
    )


def below_git(absolute: str) -> bool:
    """Whether a component is `.git`; asked of the whole path, a root may itself lie in one."""
    return any(plain(part) == ".git" for part in absolute.split("/"))


def plain(name: str) -> str:
    """Fold away what a file system or a reader may not see."""
    visible = "".join(char for char in name if unicodedata.category(char) not in {"Cf", "Cc"})
    folded = unicodedata.normalize("NFKC", _IGNORABLE.sub("", visible)).casefold()
    return folded.split(":", 1)[0].rstrip(". ")

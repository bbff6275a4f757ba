"""Which Markdown files a session has: the user's own, then the folder's, if it is trusted."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from agent_cli.settings.own_texts import own_texts
from agent_cli.settings.places import config_directory, home, is_inside
from agent_cli.trust.standing import Standing
from agent_cli.types.brought import Brought
from agent_cli.types.errors import ConfigurationError

_SKILLS = (".claude/skills/", ".agent/skills/", ".agents/skills/")
"""Of a name that is there twice, the later place counts."""
_FOLDERS = frozenset({"modes", "commands", "skills", "rules"})


def brought(root: Path, environ: Mapping[str, str], standing: Standing) -> tuple[Brought, ...]:
    """Return them in the order in which a later one takes the place of an earlier one."""
    return (*_own(root, environ), *_of_the_project(standing))


def _own(root: Path, environ: Mapping[str, str]) -> Iterator[Brought]:
    with suppress(ConfigurationError):  # who has no home has nothing there
        place = home(environ)
        yield from _texts(place / ".claude", root, environ, only_skills=True)
        yield from _texts(place / ".agents", root, environ, only_skills=True)
    yield from _texts(config_directory(environ), root, environ)


def _texts(
    base: Path, root: Path, environ: Mapping[str, str], *, only_skills: bool = False
) -> Iterator[Brought]:
    if is_inside(base, root, environ):  # its author could have written them
        return
    wanted = "skills".__eq__ if only_skills else _acts
    for folder, name, path, text in own_texts(base, wanted):
        yield Brought(folder, name, str(path), text)


def _acts(folder: str) -> bool:
    return folder in _FOLDERS or folder.startswith("rules-")


def _of_the_project(standing: Standing) -> Iterator[Brought]:
    files = [file.path for file in standing.manifest.files if file.path.endswith(".md")]
    for path in sorted(files, key=_rank):
        content = standing.content(path)
        if content is None:
            continue
        top, _, below = path.partition("/")
        folder, _, name = below.partition("/")
        if name and (path.startswith(_SKILLS) or (top == ".agent" and _acts(folder))):
            text = content.decode("utf-8", errors="replace")
            yield Brought(folder, name, path, text, project=True)


def _rank(path: str) -> tuple[int, str]:
    places = (index for index, start in enumerate(_SKILLS) if path.startswith(start))
    return next(places, -1), path

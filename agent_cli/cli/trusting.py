"""The one place that decides whether a folder acts: by what was trusted, a flag, or a question."""

import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from agent_cli.cli.trust_view import ignored_remark, one_line, refusals, shown
from agent_cli.i18n.catalog import prefer, say
from agent_cli.settings.load import Folder, Loaded, ProjectFile, load_layers
from agent_cli.settings.places import data_directory, is_inside
from agent_cli.settings.schema import Settings
from agent_cli.trust.manifest import CONFIG, LOCAL_CONFIG, MCP, Manifest
from agent_cli.trust.standing import Standing, of

if TYPE_CHECKING:
    from agent_cli.mcp.config import FoldersFile

_YES = frozenset({"y", "yes"})


class InForce(Struct, frozen=True):
    """What holds for work in a folder."""

    settings: Settings
    standing: Standing
    hooked: Manifest | None
    """What the folder was trusted with, if that brings hooks."""
    own_checks: tuple[str, ...]
    """The checks that are not the folder's."""


def settings_in(
    root: Path,
    environ: Mapping[str, str],
    flags: Mapping[str, object],
    *,
    trust: bool,
    interactive: bool,
) -> InForce:
    """Return the settings for work in a folder, with the folder's own if it is trusted.

    Says on standard error what has no effect.
    """
    loaded = load_layers(environ, flags, Folder(root))
    prefer(loaded.settings.language)
    standing = decide(root, environ, trust=trust, interactive=interactive)
    files = _settings_files(root, standing)
    own = loaded.settings
    if files:
        loaded = load_layers(environ, flags, Folder(root, files))
        prefer(loaded.settings.language)
    for ignored in loaded.ignored:
        sys.stderr.write(ignored_remark(ignored) + "\n")
    hooked = standing.manifest if loaded.settings.hooks != own.hooks else None
    return InForce(loaded.settings, standing, hooked, own.completion.verify)


def layers_in(root: Path, environ: Mapping[str, str]) -> Loaded:
    """Return what every layer says for work in a folder, without a question or a word."""
    return load_layers(
        environ, None, Folder(root, _settings_files(root, standing_of(root, environ)))
    )


def folders_servers(standing: Standing) -> "FoldersFile | None":
    """Return the servers of a trusted folder."""
    content = standing.content(MCP)
    if content is None:
        return None
    from agent_cli.mcp.config import FoldersFile  # noqa: PLC0415 - few folders have servers

    return FoldersFile(content, standing.manifest)


def standing_of(root: Path, environ: Mapping[str, str]) -> Standing:
    """Return how the folder stands, without a question or a word."""
    return of(root, store_for(root, environ))


def decide(root: Path, environ: Mapping[str, str], *, trust: bool, interactive: bool) -> Standing:
    """Return how the folder stands for this run; asks the person who is there, if need be."""
    standing = standing_of(root, environ)
    if standing.trusted or not standing.manifest.acts:
        return standing
    if not standing.can_be_trusted:
        why = refusals(standing)
        _remark(say("this folder cannot be trusted, so nothing of it has effect: {why}", why=why))
        return standing
    if trust:
        return replace(standing, trusted=True)
    if interactive and ask(root, environ, standing):
        return replace(standing, trusted=True)
    names = ", ".join(one_line(file.path) for file in standing.manifest.files)
    _remark(
        say(
            "this folder is not trusted, so these have no effect: {names}; "
            "look at them with `agent trust`",
            names=names,
        )
    )
    return standing


def ask(root: Path, environ: Mapping[str, str], standing: Standing) -> bool:
    """Show all that would act, and keep a yes; anything else is a no."""
    store = store_for(root, environ)
    if store is None:
        _remark(say("your data directory lies in this folder, so no trust in it can be kept"))
        return False
    sys.stdout.write(shown(root, standing))
    _forget_what_was_typed()
    sys.stdout.write(say("Trust this folder? [y]es, [N]o: "))
    sys.stdout.flush()
    if sys.stdin.readline().strip().lower() not in _YES:
        return False
    keep(store, root, standing)
    return True


def keep(store: Path, root: Path, standing: Standing) -> None:
    """Trust what was looked at, which is not always what lies there now."""
    from agent_cli.trust.store import give  # noqa: PLC0415 - only where a folder acts

    give(store, root, standing.manifest)


def store_for(root: Path, environ: Mapping[str, str]) -> Path | None:
    """Return the place of what was trusted; None if the folder's author could write there."""
    store = data_directory(environ) / "trust.json"
    return None if is_inside(store, root, environ) else store


def _settings_files(root: Path, standing: Standing) -> tuple[ProjectFile, ...]:
    contents = ((name, standing.content(name)) for name in (CONFIG, LOCAL_CONFIG))
    return tuple(
        ProjectFile(root / name, content) for name, content in contents if content is not None
    )


def _forget_what_was_typed() -> None:
    """Drop keys pressed before there was a question: they are no answer to it."""
    import termios  # noqa: PLC0415 - only for a question

    with suppress(termios.error, OSError):
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def _remark(text: str) -> None:
    sys.stderr.write(text + "\n")

"""`agent trust`: what of a folder would act, and whether it may."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from agent_cli.cli.options import directory
from agent_cli.cli.trust_view import shown, state
from agent_cli.cli.trusting import ask, keep, store_for
from agent_cli.i18n.catalog import say
from agent_cli.trust.standing import Standing, of
from agent_cli.types.errors import ConfigurationError


def command(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="The folder; this one without it.")
    ] = None,
    show: Annotated[
        bool, typer.Option("--show", help="Only show it; exit 0 if it may act.")
    ] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Trust it no more.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Trust it without a question.")] = False,
) -> None:
    """Show what a folder would change, and trust it or not; exit 0 if it may act."""
    if show + revoke + yes > 1:
        raise typer.BadParameter(say("choose one of --show, --revoke and --yes"))
    root = directory(folder)
    if revoke:
        _revoke(root)
        return
    standing = of(root, store_for(root, os.environ))
    sys.stdout.write(state(standing) + "\n")
    if standing.trusted or not standing.manifest.acts:
        return
    if show or not standing.can_be_trusted:
        sys.stdout.write(shown(root, standing))
        raise typer.Exit(1)
    if not (_keep(root, standing) if yes else _asked(root, standing)):
        sys.stdout.write(say("not trusted") + "\n")
        raise typer.Exit(1)
    sys.stdout.write(say("trusted, as it is now") + "\n")


def _asked(root: Path, standing: Standing) -> bool:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        sys.stdout.write(shown(root, standing))
        raise typer.BadParameter(say("there is no terminal to ask on: add --yes"))
    return ask(root, os.environ, standing)


def _keep(root: Path, standing: Standing) -> bool:
    keep(_store(root), root, standing)
    return True


def _revoke(root: Path) -> None:
    from agent_cli.trust.store import revoke  # noqa: PLC0415 - as in `trusting`

    revoked = revoke(_store(root), root)
    sys.stdout.write((say("trusted no more") if revoked else say("it was not trusted")) + "\n")


def _store(root: Path) -> Path:
    store = store_for(root, os.environ)
    if store is None:
        raise ConfigurationError(
            say(
                "your data directory lies in this folder, so no trust in it can be kept: put "
                "AGENT_HOME or XDG_DATA_HOME elsewhere"
            )
        )
    return store

"""The first start with nothing to ask: a demo or the setup, instead of an error alone."""

import sys

import typer

from agent_cli.cli.model_choice import NoModelError
from agent_cli.i18n.catalog import say


def offer(nothing: NoModelError) -> None:
    """Show what was looked for and run what the user chooses; return once a model is set up.

    Raises Exit after the demo, and the error itself if the user wants neither.
    """
    sys.stderr.write(f"{nothing}\n\n")
    sys.stderr.write(say("[s]et up a model, watch the [d]emo, or [q]uit? "))
    sys.stderr.flush()
    answer = sys.stdin.readline().strip().lower()
    if answer in {"d", "demo"}:
        from agent_cli.cli import demo  # noqa: PLC0415 - this way only

        demo.command(yes=False, keep=False)
        raise typer.Exit
    if answer not in {"s", "setup"}:
        raise nothing
    from agent_cli.cli import setup  # noqa: PLC0415 - this way only

    setup.command()

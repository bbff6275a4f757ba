"""`agent`, `agent "text"`, `agent -p "text"`: a session, with a person or for one task."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from agent_cli.cli.model_choice import choose_model
from agent_cli.cli.resume import resume_path
from agent_cli.cli.work import Run, run_once, run_repl, with_standard_input
from agent_cli.runtime.assemble import Options
from agent_cli.settings.load import load

_OPT = typer.Option


def command(
    prompt: Annotated[list[str] | None, typer.Argument(help="What is to be done.")] = None,
    once: Annotated[
        bool, _OPT("--print", "-p", "--prompt", help="Do this one task and exit.")
    ] = False,
    output_format: Annotated[
        str, _OPT("--output-format", help="text, json or stream-json, with --print.")
    ] = "text",
    json: Annotated[bool, _OPT("--json", help="Short for --output-format stream-json.")] = False,
    model: Annotated[str, _OPT("--model", "-m", help="provider/name, or replay:FILE.")] = "",
    mode: Annotated[str, _OPT("--mode", "--agent", help="code, architect, ask, …")] = "",
    protocol: Annotated[str, _OPT("--protocol", help="native or xml.")] = "",
    parallel: Annotated[
        bool | None,
        _OPT("--parallel-tool-calls/--no-parallel-tool-calls", help="Several calls a message."),
    ] = None,
    transport: Annotated[str, _OPT("--transport", help="direct or sdk.")] = "",
    max_turns: Annotated[int | None, _OPT("--max-turns", help="Model responses at most.")] = None,
    max_cost: Annotated[
        float | None, _OPT("--max-cost", "--max-budget-usd", "--max-price", help="US dollars.")
    ] = None,
    yolo: Annotated[
        bool, _OPT("--yolo", "-y", help="Ask nothing; deny rules and protected names stay.")
    ] = False,
    allowed_tools: Annotated[
        list[str] | None, _OPT("--allowed-tools", help="Rules that are allowed, comma-separated.")
    ] = None,
    disallowed_tools: Annotated[
        list[str] | None, _OPT("--disallowed-tools", help="Rules that are denied.")
    ] = None,
    cwd: Annotated[Path | None, _OPT("--cwd", "-C", "--cd", help="Work in this directory.")] = None,
    add_dir: Annotated[
        list[Path] | None, _OPT("--add-dir", help="One more directory to work in.")
    ] = None,
    ephemeral: Annotated[
        bool, _OPT("--ephemeral", "--no-session", help="Keep no session file.")
    ] = False,
    continue_: Annotated[
        bool, _OPT("--continue", "-c", help="Go on with the last session here.")
    ] = False,
    resume: Annotated[
        str, _OPT("--resume", "-r", "--session", "-s", help="Go on with a session, by id.")
    ] = "",
    record: Annotated[Path | None, _OPT("--record", help="Write a cassette of the run.")] = None,
) -> None:
    """Work on the code in this directory, together with a model."""
    root = directory(cwd)
    flags = {
        "model": model or None,
        "mode": mode or None,
        "protocol": protocol or None,
        "transport": transport or None,
        "parallel_tool_calls": parallel,
        "max_turns": max_turns,
        "max_cost": max_cost,
    }
    given = {name: value for name, value in flags.items() if value is not None}
    settings = load(os.environ, given)
    path = resume_path(os.environ, root, latest=continue_, session_id=resume)
    interactive = not once and sys.stdin.isatty() and sys.stdout.isatty()
    options = Options(
        cwd=root,
        environ=os.environ,
        model=choose_model(settings, os.environ, path),
        add_dirs=tuple(add_dir or ()),
        yolo=yolo,
        allowed_tools=rules(allowed_tools),
        disallowed_tools=rules(disallowed_tools),
        ephemeral=ephemeral,
        interactive=interactive,
        resume=path,
        record=record,
    )
    text = " ".join(prompt or ())
    if interactive:
        run_repl(Run(settings, options, text))
        return
    from agent_cli.frontends.headless.registry import output  # noqa: PLC0415 - this way only

    run = Run(settings, options, with_standard_input(text))
    raise typer.Exit(run_once(run, output("stream-json" if json else output_format)))


def directory(cwd: Path | None) -> Path:
    """Return the directory to work in."""
    root = (cwd or Path()).absolute()
    if not root.is_dir():
        raise typer.BadParameter(f"{str(cwd)!r} is not a directory", param_hint="--cwd")
    return root


def rules(given: list[str] | None) -> tuple[str, ...]:
    """Split comma-separated rules; a comma inside parentheses belongs to the rule."""
    found: list[str] = []
    for text in given or ():
        depth, start = 0, 0
        for position, character in enumerate(text):
            depth += (character == "(") - (character == ")")
            if character == "," and depth == 0:
                found.append(text[start:position])
                start = position + 1
        found.append(text[start:])
    return tuple(rule.strip() for rule in found if rule.strip())

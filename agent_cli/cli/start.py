"""`agent`, `agent "text"`, `agent -p "text"`: a session, with a person or for one task."""

import os
import sys

import typer

from agent_cli.cli import options as given
from agent_cli.cli.bringing import brought
from agent_cli.cli.model_choice import NoModelError, choose_model
from agent_cli.cli.options import Flags, directory
from agent_cli.cli.person import with_a_person
from agent_cli.cli.resume import resume_path
from agent_cli.cli.trusting import folders_servers, settings_in
from agent_cli.cli.work import Run, run_once, with_standard_input
from agent_cli.frontends.given_text import given as text_given
from agent_cli.i18n.catalog import say
from agent_cli.runtime.toolbox import Options
from agent_cli.settings.credentials import bring_keys


def command(
    prompt: given.Prompt = None,
    once: given.Print = False,
    output_format: given.OutputFormat = "text",
    json: given.Json = False,
    model: given.Model = "",
    mode: given.Mode = "",
    protocol: given.Protocol = "",
    parallel: given.Parallel = None,
    transport: given.Transport = "",
    max_turns: given.MaxTurns = None,
    max_tokens: given.MaxTokens = None,
    max_cost: given.MaxCost = None,
    max_time: given.MaxTime = "",
    verify: given.Verify = None,
    approval_mode: given.ApprovalMode = "",
    yolo: given.Yolo = False,
    sandbox: given.Sandbox = "",
    trust: given.Trust = False,
    allowed_tools: given.Allowed = None,
    disallowed_tools: given.Disallowed = None,
    cwd: given.Cwd = None,
    add_dir: given.AddDir = None,
    ephemeral: given.Ephemeral = False,
    continue_: given.Continue = False,
    resume: given.Resume = "",
    fork: given.Fork = False,
    record: given.Record = None,
    plain: given.Plain = False,
) -> None:
    """Work on the code in this directory, together with a model."""
    _first(Flags(**locals()))


def _first(flags: Flags) -> None:
    """Start, with an offer where there is nothing to ask."""
    root = directory(flags.cwd)
    bring_keys(os.environ, root)
    try:
        start(flags)
    except NoModelError as nothing:
        if not _interactive(flags):
            raise
        from agent_cli.cli.first_start import offer  # noqa: PLC0415 - this once

        offer(nothing)
        bring_keys(os.environ, root)
        start(flags)


def _interactive(flags: Flags) -> bool:
    return not flags.once and sys.stdin.isatty() and sys.stdout.isatty()


def start(flags: Flags) -> None:
    """Run the session; leaves with its exit status."""
    interactive = _interactive(flags)
    root = directory(flags.cwd)
    refuse_contradictions(flags)
    in_force = settings_in(
        root, os.environ, flags.settings(), trust=flags.trust, interactive=interactive
    )
    settings = in_force.settings
    added = tuple(directory(path, "--add-dir") for path in flags.add_dir or ())
    typed, text = task_text(flags, interactive=interactive)
    path = resume_path(os.environ, root, latest=flags.continue_, session_id=flags.resume)
    options = Options(
        cwd=root,
        environ=os.environ,
        model=choose_model(flags.model, settings, os.environ, path),
        add_dirs=added,
        yolo=flags.yolo,
        allowed_tools=rules(flags.allowed_tools),
        disallowed_tools=rules(flags.disallowed_tools),
        ephemeral=flags.ephemeral,
        interactive=interactive,
        resume=path,
        fork=flags.fork,
        record=flags.record,
        trusted=in_force.hooked,
        folders_servers=folders_servers(in_force.standing),
        brought=brought(root, os.environ, in_force.standing),
        own_checks=in_force.own_checks,
        mode=settings.mode if flags.mode else "",
        protocol=settings.protocol if flags.protocol else None,
        parallel_tool_calls=flags.parallel,
        approval=settings.approval.mode if flags.approval_mode else None,
    )
    if interactive:
        raise typer.Exit(with_a_person(Run(settings, options, text)))
    raise typer.Exit(_alone(Run(settings, options, text, typed), flags))


def _alone(run: Run, flags: Flags) -> int:
    from agent_cli.frontends.headless.registry import output  # noqa: PLC0415 - this way only

    return run_once(run, output("stream-json" if flags.json else flags.output_format))


def refuse_contradictions(flags: Flags) -> None:
    if flags.ephemeral and (flags.continue_ or flags.resume):
        raise typer.BadParameter(
            say("a session that is gone on with is kept"), param_hint="--ephemeral"
        )
    if flags.fork and not (flags.continue_ or flags.resume):
        raise typer.BadParameter(say("say which session, with -c or --resume"), param_hint="--fork")


def task_text(flags: Flags, *, interactive: bool) -> tuple[str | None, str]:
    """Return what the user wrote of it, if not all, and what is to be done.

    `-` stands for standard input, which is read in any case.
    """
    words = [] if flags.prompt == ["-"] else flags.prompt or []
    text = text_given(" ".join(words))
    if interactive:
        return None, text
    whole = with_standard_input(text)
    if not whole.strip():
        raise typer.BadParameter(say("say what is to be done, as an argument or on standard input"))
    return text or None, whole


def rules(given_rules: list[str] | None) -> tuple[str, ...]:
    """Split comma-separated rules; a comma inside parentheses belongs to the rule."""
    found: list[str] = []
    for text in given_rules or ():
        depth, start_of_rule = 0, 0
        for position, character in enumerate(text):
            depth += (character == "(") - (character == ")")
            if character == "," and depth == 0:
                found.append(text[start_of_rule:position])
                start_of_rule = position + 1
        found.append(text[start_of_rule:])
    return tuple(rule.strip() for rule in found if rule.strip())

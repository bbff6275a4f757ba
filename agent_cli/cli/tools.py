"""`agent tools`: what tools there are, and all there is to know of one, as the tools say it."""

import os
import shlex
import sys
import textwrap
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Annotated

import msgspec
import typer

from agent_cli.cli.bringing import brought
from agent_cli.cli.options import Cwd, directory
from agent_cli.cli.tool_facts import Facts, Parameter, facts
from agent_cli.cli.trusting import folders_servers, standing_of
from agent_cli.frontends.headless.one_call import FixedAnswer
from agent_cli.i18n.catalog import say
from agent_cli.runtime.toolbox import Options, toolbox
from agent_cli.settings.load import load
from agent_cli.tools._reasons import OF_EVERY_TOOL
from agent_cli.tools.base import Reason
from agent_cli.tools.registry import built_in
from agent_cli.types.approval import Verdict

_WIDTH = 96
_SHORT = 60


def command(
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="The tool; all of them without it.")
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="As JSON, one object a tool.")] = False,
    cwd: Cwd = None,
) -> None:
    """Show the parameters, effects, limits and failures of tools, and where they are offered.

    Tools of MCP servers are shown by `agent mcp test`.
    """
    if name and name not in built_in():
        nearest = get_close_matches(name, built_in(), 1)
        meant = say("did you mean {name}?", name=nearest[0]) if nearest else _hint()
        problem = say("there is no tool {name}", name=repr(name))
        raise typer.BadParameter(f"{problem}: {meant}", param_hint="NAME")
    known = [one for one in _all(cwd) if not name or one.name == name]
    if json:
        sys.stdout.write(msgspec.json.encode(known[0] if name else known).decode() + "\n")
    elif name:
        sys.stdout.write("\n".join(_page(known[0])) + "\n")
    else:
        sys.stdout.write("\n".join(_overview(known)) + "\n")


def _hint() -> str:
    return say("{command} lists them", command="`agent tools`")


def _all(cwd: Cwd) -> list[Facts]:
    """Return the facts of every tool, as a session in this directory would have it."""
    settings, root = load(os.environ), directory(cwd)
    standing = standing_of(root, os.environ)
    options = Options(
        root,
        os.environ,
        model="",
        ephemeral=True,
        spills=False,
        folders_servers=folders_servers(standing),
        brought=brought(root, os.environ, standing),
    )
    here = toolbox(settings, options, FixedAnswer(Verdict(approved=False, answered=False)))
    modes = here.customs.modes.known
    return [facts(tool, modes, available=name in here.tools) for name, tool in built_in().items()]


def _overview(known: list[Facts]) -> Iterator[str]:
    for one in known:
        shown = textwrap.shorten(_first_sentence(one.description), _SHORT, placeholder="…")
        missing = "" if one.available else f" ({say('not available here')})"
        yield f"{one.name:27}{one.kind:8} {shown}{missing}"
    yield ""
    yield say("Any tool's call also fails for these reasons:")
    yield from _reasons(OF_EVERY_TOOL)


def _first_sentence(text: str) -> str:
    return text.partition(". ")[0].removesuffix(".")


def _unavailable(one: Facts) -> str:
    return say("no, it needs {what}", what=one.needs)


def _page(one: Facts) -> Iterator[str]:
    yield one.name
    yield from _indented(one.description)
    yield ""
    yield f"{say('Kind')}: {one.kind}"
    yield f"{say('Available here')}: {say('yes') if one.available else _unavailable(one)}"
    yield f"{say('Offered in the modes')}: {', '.join(_modes(one))}"
    yield from _section(say("Parameters"), [_parameter(found) for found in one.parameters])
    yield from _example(one)
    touched = [f"{effect.kind}: {effect.target}" for effect in one.effects]
    yield from _section(say("Effects, which modes and approvals go by"), touched)
    yield from _section(say("Limits"), list(one.limits))
    yield from ("", f"{say('Failures')}:", *_reasons(one.failures))
    yield from ("", say("Any tool's call also fails for these reasons:"))
    yield from _reasons(OF_EVERY_TOOL)


def _modes(one: Facts) -> Iterator[str]:
    for offered in one.modes:
        files = say("only files that match {pattern}", pattern=offered.files)
        yield f"{offered.mode} ({files})" if offered.files else offered.mode


def _section(title: str, lines: list[str]) -> Iterator[str]:
    yield from ("", f"{title}:")
    for line in lines or [say("none")]:
        yield from _indented(line)


def _example(one: Facts) -> Iterator[str]:
    """Yield a line that can be typed as it stands."""
    if one.example is not None:
        arguments = shlex.quote(bytes(one.example).decode())
        yield from ("", say("Example:"), f"  agent tool {one.name} {arguments}")


def _parameter(one: Parameter) -> str:
    need = say("required") if one.required else say("optional")
    limits = "; ".join(one.limits)
    head = f"{one.name} ({one.type}, {need}{f', {limits}' if limits else ''})"
    return f"{head}: {one.description}" if one.description else head


def _reasons(reasons: tuple[Reason, ...]) -> Iterator[str]:
    for reason in reasons:
        code = f" ({reason.code})" if reason.code not in (None, reason.name) else ""
        yield from _indented(f"{reason.name}{code}: {reason.when}")


def _indented(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield from textwrap.wrap(
            line, _WIDTH, initial_indent="  ", subsequent_indent="    ", break_long_words=False
        )

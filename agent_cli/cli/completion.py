"""`agent completion`: what a shell needs to complete our commands and options."""

import sys
from typing import Annotated, Any

import typer

from agent_cli.cli import main
from agent_cli.i18n.catalog import say

_BASH = """\
_agent() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} words
    case ${{COMP_WORDS[1]}} in
{cases}
    *) words='{first}' ;;
    esac
    if [[ $COMP_CWORD == 1 ]]; then words='{first}'; fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _agent agent
"""
_ZSH = "autoload -U +X bashcompinit && bashcompinit\n"
_FISH = "complete -c agent -n '{when}' -a '{words}'\n"
_SHELLS = ("bash", "zsh", "fish")


def command(
    shell: Annotated[str, typer.Argument(help="bash, zsh or fish.")],
) -> None:
    """Print the completion script of a shell: eval "$(agent completion bash)" in its start file."""
    if shell not in _SHELLS:
        raise typer.BadParameter(
            say("{name!r} is none of {names}", name=shell, names=", ".join(_SHELLS))
        )
    words = {name: " ".join(_words(typer.main.get_command(main.app_of(name)))) for name in _names()}
    first = " ".join([*main.COMMANDS, *words["start"].split()])
    words["run"] = words["start"]
    sys.stdout.write(_fish(words, first) if shell == "fish" else _bash(words, first, shell))


def _names() -> list[str]:
    return ["start", *(name for name in main.COMMANDS if name != "run")]


def _words(command: Any) -> list[str]:
    """Return what can follow: subcommands, their options, and its own."""
    below = getattr(command, "commands", {})
    options = [option for param in command.params for option in param.opts if option[0] == "-"]
    deeper = [word for name in below for word in _words(below[name])]
    return list(dict.fromkeys([*below, *options, "--help", *deeper]))


def _bash(words: dict[str, str], first: str, shell: str) -> str:
    cases = "\n".join(f"    {name}) words='{one}' ;;" for name, one in words.items())
    return (_ZSH if shell == "zsh" else "") + _BASH.format(cases=cases, first=first)


def _fish(words: dict[str, str], first: str) -> str:
    lines = [_FISH.format(when="__fish_use_subcommand", words=first)]
    for name, one in words.items():
        lines.append(_FISH.format(when=f"__fish_seen_subcommand_from {name}", words=one))
    return "".join(lines)

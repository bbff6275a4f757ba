"""`/theme`: the colours in force and how they look, or others from now on."""

from typing import get_args

from rich.text import Text

from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.frontends.terminal.theme import Theme, choose_theme
from agent_cli.i18n.catalog import say
from agent_cli.settings.schema import ThemeName

_NAMES: dict[str, ThemeName] = {name: name for name in get_args(ThemeName)}


def run(here: Here, argument: str) -> Answer:
    """Show the theme in force; the one that is named is from now on, until the program ends."""
    if argument:
        name = _NAMES.get(argument)
        if name is None:
            return say("there are the themes {names}", names=", ".join(_NAMES))
        environ = here.outside.options.environ
        here.view.dress(choose_theme(environ, name, plain=here.theme.plain))
    theme = here.theme
    shown = Text(say("theme {name}", name=say("plain: words only") if theme.plain else theme.name))
    if not theme.plain:
        shown.append("\n").append(_sample(theme))
    told = say(
        'for good: theme = "dark" under [terminal] in the settings; there are {names}',
        names=", ".join(_NAMES),
    )
    return shown.append(f"\n{told}", style=theme.dim)


def _sample(theme: Theme) -> Text:
    roles = {
        say("heading"): theme.heading,
        say("tool"): theme.tool,
        say("added"): theme.added,
        say("removed"): theme.removed,
        say("warning"): theme.warning,
        say("error"): theme.error,
        say("reasoning"): theme.reasoning,
    }
    return Text("  ").join(Text(name, style=style) for name, style in roles.items())


COMMAND = Command(
    name="theme",
    help="show the colours in force, or switch to another theme",
    hint="[THEME]",
    run=run,
    while_working=True,
)

"""`/theme`: the colours in force, and how they look."""

from rich.text import Text

from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.frontends.terminal.theme import THEMES, Theme
from agent_cli.i18n.catalog import say


def run(here: Here, argument: str) -> Answer:
    """Show a theme, the one in force if none is named."""
    theme = THEMES.get(argument) if argument else here.theme
    if theme is None:
        return say("there are the themes {names}", names=", ".join(THEMES))
    in_force = say("plain: words only") if here.theme.plain else here.theme.name
    shown = Text(say("theme {name}", name=in_force))
    if not theme.plain:
        shown.append("\n").append(_sample(theme))
    told = say(
        'another one: theme = "dark" under [terminal] in the settings; there are {names}',
        names=", ".join(["auto", *THEMES]),
    )
    return shown.append(f"\n{told}", style=here.theme.dim)


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
    help="show the colours in force, or those of another theme",
    hint="[THEME]",
    run=run,
    while_working=True,
)

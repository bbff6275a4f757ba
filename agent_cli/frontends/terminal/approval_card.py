"""The card that asks about one call: what it would do, all of it, before it is done."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from agent_cli.frontends.sanitiser import in_one_line, visible
from agent_cli.i18n.catalog import say
from agent_cli.types.approval import CommandLine, Diff, Preview, Remember, Request, Verdict

_YES = frozenset({"y", "yes", "1"})
_ALWAYS = frozenset({"a", "always", "2"})
_NO = frozenset({"n", "no", "3", ""})


def approval_card(request: Request) -> RenderableType:
    """Return the card for the request."""
    parts = card_parts(request)
    return Panel(Group(*parts[1:]), title=parts[0], title_align="left", border_style="yellow")


def card_parts(request: Request) -> list[Text]:
    """Return what stands on the card, its title first; each part begins a line."""
    parts = [Text(in_one_line(request.tool), style="bold yellow"), *_shown(request.preview)]
    for effect in request.effects:
        if effect.outside:
            where = say("outside the workspace: {target}", target=in_one_line(effect.target))
            parts.append(Text(where, style="bold red"))
        if effect.protected:
            what = say("protected name: {target}", target=in_one_line(effect.target))
            parts.append(Text(what, style="bold red"))
    if request.reason:
        parts.append(Text(visible(request.reason), style="dim"))
    if request.following:
        names = ", ".join(request.following)
        parts.append(Text(in_one_line(say("then: {names}", names=names)), style="dim"))
    return parts


def question() -> str:
    """Return the line that asks for the verdict."""
    return say("[y]es, [a]lways in this session, [n]o, or say why not: ")


def read_verdict(answer: str) -> Verdict:
    """Turn what was typed into a verdict; anything else than a choice is a no with a reason."""
    word = answer.strip().lower()
    if word in _YES:
        return Verdict(approved=True)
    if word in _ALWAYS:
        return Verdict(approved=True, remember=Remember.SESSION)
    if word in _NO:
        return Verdict(approved=False)
    return Verdict(approved=False, feedback=answer.strip())


def _shown(preview: Preview) -> Sequence[Text]:
    match preview:
        case Diff(path, unified):
            return [Text(in_one_line(path), style="bold"), _coloured(unified)]
        case CommandLine(command, cwd, sandbox):
            wall = say("in a sandbox ({wall})", wall=sandbox) if sandbox else say("no sandbox")
            return [
                Text(f"$ {visible(command)}", style="bold"),
                Text(in_one_line(f"{cwd}, {wall}"), style="dim"),
            ]
        case _:
            return [Text(visible(preview.text))]


def _coloured(unified: str) -> Text:
    text = Text()
    styles = {"+": "green", "-": "red", "@": "cyan"}
    for line in unified.removesuffix("\n").split("\n"):
        text.append(f"{visible(line)}\n", style=styles.get(line[:1], ""))
    return text

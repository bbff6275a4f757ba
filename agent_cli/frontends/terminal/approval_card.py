"""The card that asks about calls: what they would do, all of it, before it is done."""

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from agent_cli.approval.rules import COMMANDS, parse
from agent_cli.frontends.sanitiser import in_one_line, visible
from agent_cli.frontends.terminal.diff_lines import counted, in_short
from agent_cli.frontends.terminal.diff_view import DiffView
from agent_cli.frontends.terminal.theme import THEMES, Theme
from agent_cli.i18n.catalog import say, say_many
from agent_cli.types.approval import CommandLine, Diff, Preview, Request
from agent_cli.types.effects import Effect, Kind

_ORDER = (Kind.READ, Kind.WRITE, Kind.EXECUTE, Kind.NETWORK, Kind.MCP, Kind.ALWAYS)


def approval_card(requests: Sequence[Request], theme: Theme) -> RenderableType:
    """Return the card for the calls of one message that are asked about together."""
    title = Text(in_one_line(requests[0].tool) if len(requests) == 1 else summary(requests))
    title.stylize(theme.warning)
    parts = list(_parts(requests, theme))
    if theme.plain:
        return Group(title, *parts)
    return Panel(Group(*parts), title=title, title_align="left", border_style=theme.warning)


def summary(requests: Sequence[Request]) -> str:
    """Say in one line what the calls do together, those that need no answer included."""
    counts = Counter([*map(leading, requests), *requests[0].unasked])
    said = {kind: _counted(kind, counts[kind]) for kind in _ORDER if counts[kind]}
    diffs = [one.preview.unified for one in requests if isinstance(one.preview, Diff)]
    if diffs and Kind.WRITE in said:
        added, removed = zip(*map(counted, diffs), strict=True)
        said[Kind.WRITE] += f" {in_short(sum(added), sum(removed))}"
    return ", ".join(said.values())


def leading(request: Request) -> Kind:
    """Return what the call does, in one word: the most that it does."""
    kinds = {effect.kind for effect in request.effects}
    return next((kind for kind in reversed(_ORDER) if kind in kinds), Kind.ALWAYS)


def card_parts(request: Request) -> list[Text]:
    """Return one call's card as text, its title first; each part begins a line."""
    theme = THEMES["ansi"]
    title = Text(in_one_line(request.tool), style=theme.warning)
    return [title, *_shown(request.preview, theme), *_about(request, theme)]


def meaning(rule: str) -> str:
    """Say what a rule would let go unasked."""
    parsed = parse(rule)
    if parsed.tool == COMMANDS:
        what = say("commands that begin with: {words}", words=parsed.pattern)
    else:
        what = say("{tool} of {place}", tool=parsed.tool, place=parsed.pattern)
    return in_one_line(what)


def _parts(requests: Sequence[Request], theme: Theme) -> Iterator[RenderableType]:
    for number, request in enumerate(requests, 1):
        if len(requests) > 1:
            head = f"{number}. {in_one_line(request.tool)}"
            yield Text(head, style=theme.strong) if theme.plain else _line(head, theme)
        preview = request.preview
        if isinstance(preview, Diff):
            yield Text(in_one_line(preview.path), style=theme.strong)
            yield DiffView(preview.unified, theme, names=False)
        else:
            yield from _shown(preview, theme)
        yield from _about(request, theme, following=number == len(requests))


def _line(head: str, theme: Theme) -> Rule:
    return Rule(Text(head), align="left", style=theme.marker)


def _about(request: Request, theme: Theme, *, following: bool = True) -> Iterator[Text]:
    """Yield what else there is to know of a call."""
    yield from _warnings(request.effects, theme)
    if request.reason:
        yield Text(visible(request.reason), style=theme.dim)
    if request.part and not _is_all(request.part, request.preview):
        yield Text(say("because of: {part}", part=visible(request.part)), style=theme.warning)
    if following and request.following:
        names = say("then: {names}", names=", ".join(request.following))
        yield Text(in_one_line(names), style=theme.dim)


def _warnings(effects: tuple[Effect, ...], theme: Theme) -> Iterator[Text]:
    for effect in effects:
        target = in_one_line(effect.target)
        if effect.outside:
            yield Text(say("outside the workspace: {target}", target=target), style=theme.error)
        if effect.protected:
            yield Text(say("protected name: {target}", target=target), style=theme.error)


def _is_all(part: str, preview: Preview) -> bool:
    return isinstance(preview, CommandLine) and part.strip() == preview.command.strip()


def _shown(preview: Preview, theme: Theme) -> list[Text]:
    match preview:
        case Diff(path, unified):
            return [Text(in_one_line(path), style=theme.strong), _coloured(unified, theme)]
        case CommandLine(command, cwd, sandbox):
            wall = say("in a sandbox ({wall})", wall=sandbox) if sandbox else say("no sandbox")
            return [
                Text(f"$ {visible(command)}", style=theme.strong),
                Text(in_one_line(f"{cwd}, {wall}"), style=theme.dim),
            ]
        case _:
            return [Text(visible(preview.text))]


def _coloured(unified: str, theme: Theme) -> Text:
    text = Text()
    styles = {"+": theme.added, "-": theme.removed, "@": theme.place}
    for line in unified.removesuffix("\n").split("\n"):
        text.append(f"{visible(line)}\n", style=styles.get(line[:1], ""))
    return text


def _counted(kind: Kind, count: int) -> str:
    match kind:
        case Kind.READ:
            return say_many("{count} read", "{count} reads", count)
        case Kind.WRITE:
            return say_many("{count} edit", "{count} edits", count)
        case Kind.EXECUTE:
            return say_many("{count} command", "{count} commands", count)
        case Kind.NETWORK:
            return say_many("{count} call to the network", "{count} calls to the network", count)
        case Kind.MCP:
            return say_many("{count} call to a server", "{count} calls to servers", count)
        case _:
            return say_many("{count} other call", "{count} other calls", count)

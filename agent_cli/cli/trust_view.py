"""What a person sees before trusting a folder: all of it, sanitised, or what has changed."""

from pathlib import Path

from agent_cli.frontends.sanitiser import visible
from agent_cli.i18n.catalog import say
from agent_cli.settings.project import Ignored, Reason
from agent_cli.trust.manifest import Obstacle, Refusal
from agent_cli.trust.standing import Standing

_MARGIN = "  │ "
"""Before every line of a file, so that none can pass for ours."""


def shown(root: Path, standing: Standing) -> str:
    """Return the text to show, nothing of it cut."""
    if standing.known:
        head = say("{root} has changed since you trusted it:", root=one_line(str(root)))
        parts = [
            _section(change.path, _change(standing, number))
            for number, change in enumerate(standing.changes)
        ]
    else:
        head = say("{root} would change what agent does:", root=one_line(str(root)))
        parts = [_section(file.path, _text(file.content)) for file in standing.manifest.files]
    warning = say(
        "Hooks and servers among this run as you, whenever agent works here. "
        "Trust it only if you trust who wrote it."
    )
    return "\n".join([head, "", *parts, warning, ""])


def refusals(standing: Standing) -> str:
    """Return what stands in the way of trusting the folder."""
    return "; ".join(refused(refusal) for refusal in standing.manifest.refusals)


def ignored_remark(ignored: Ignored) -> str:
    """Return the sentence about a setting that has no effect."""
    place, why = one_line(ignored.place), _why(ignored.reason)
    if not ignored.key:
        return say("{place} has no effect: {why}", place=place, why=why)
    key = one_line(ignored.key)
    return say("{place}: {key} has no effect: {why}", place=place, key=key, why=why)


def state(standing: Standing) -> str:
    """Return how the folder stands, in a few words."""
    if not standing.manifest.acts:
        return say("nothing here needs it")
    if not standing.can_be_trusted:
        return say("this folder cannot be trusted: {why}", why=refusals(standing))
    if standing.trusted:
        return say("this folder is trusted")
    if standing.known:
        return say("this folder has changed since it was trusted")
    return say("this folder is not trusted")


def one_line(text: str) -> str:
    """Return a name or a path as it can stand within a line."""
    return visible(text).replace("\n", "␊")


def _section(path: str, text: str) -> str:
    lines = "\n".join(_MARGIN + line for line in text.split("\n"))
    return f"{one_line(path)}\n{lines}\n"


def _change(standing: Standing, number: int) -> str:
    change = standing.changes[number]
    if change.removed:
        return say("no longer there")
    return visible(change.diff) or _text(standing.manifest.content(change.path) or b"")


def _text(content: bytes) -> str:
    return visible(content.decode("utf-8", errors="backslashreplace")).removesuffix("\n")


def refused(refusal: Refusal) -> str:
    """Return why something cannot be looked at."""
    path = one_line(refusal.path)
    match refusal.obstacle:
        case Obstacle.LINK:
            return say("{path} is a link", path=path)
        case Obstacle.SPECIAL:
            return say("{path} is a device, pipe or socket", path=path)
        case Obstacle.TOO_LARGE:
            return say("{path} is too large to look at", path=path)
        case Obstacle.TOO_MANY:
            return say("{path} holds too much to look at", path=path)
        case Obstacle.TOO_DEEP:
            return say("{path} lies too deep", path=path)
        case Obstacle.UNREADABLE:
            return say("{path} cannot be read", path=path)


def _why(reason: Reason) -> str:
    sentences = {
        Reason.ADDRESS: say("where requests and keys go is not a project's to say"),
        Reason.LOOSENS: say("a project cannot allow what you are asked about"),
        Reason.LENIENT: say("about failures a project can only be stricter than you are"),
        Reason.BUDGET: say("what may be spent is not a project's to raise"),
        Reason.PROGRAM: say("which programs run, and how, is not a project's to say"),
        Reason.TRUST: say("a folder cannot trust itself"),
        Reason.MODEL: say("you have set up no such provider"),
        Reason.NOT_OFFERED: say("it is not among what a project may set"),
        Reason.UNSAFE: say("others than root could have written it"),
        Reason.INSIDE: say("it lies in the folder that is worked in"),
    }
    return sentences[reason]

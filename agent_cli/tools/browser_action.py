"""browser_action: drive a browser, and see what it shows."""

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote, unquote, urlsplit

from msgspec import Meta

from agent_cli.network.hosts import WORKSPACE, address_of, look_up, parse_url
from agent_cli.tools._browser import TIMEOUT, Browser
from agent_cli.tools._browser_words import HEIGHT, WIDTH, Action, Order, Seen
from agent_cli.tools.base import Blocks, Output, Reason, Services, Tool, ToolArguments, ToolContext
from agent_cli.types.approval import Words
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import BlockedPathError, ToolError
from agent_cli.types.messages import Image
from agent_cli.types.outcomes import Code
from agent_cli.workspace.gate import Workspace

if TYPE_CHECKING:
    from agent_cli.network.filtering import Serve

_NUMBER = r"\s*(\d{1,5})\s*"
_PLACE = re.compile(rf"{_NUMBER}[,x]{_NUMBER}(?:@{_NUMBER}[,x]{_NUMBER})?")
_SIZE = re.compile(rf"{_NUMBER}[,x]{_NUMBER}")
_SMALLEST, _LARGEST = 100, 4000
"""Pixels of the page's width and height."""
_MOST_REFUSED = 20
_ICON = "favicon.ico"
_KEYS = {"cmd": "Meta", "command": "Meta", "ctrl": "Control", "option": "Alt", "esc": "Escape"}
_NEEDS = {
    "launch": "url",
    "click": "coordinate",
    "hover": "coordinate",
    "type": "text",
    "press": "text",
    "resize": "size",
}


class Arguments(ToolArguments, frozen=True):
    action: Annotated[
        Action,
        Meta(
            description="launch (url), click, hover (coordinate), type, press (text), "
            "resize (size), scroll_down, scroll_up, screenshot or close."
        ),
    ]
    url: Annotated[
        str | None,
        Meta(description="http(s)://…, or file:///… of a file in the workspace."),
    ] = None
    coordinate: Annotated[
        str | None,
        Meta(description='"x,y@WIDTHxHEIGHT": a place in a screenshot of that size.'),
    ] = None
    text: Annotated[
        str | None, Meta(description='What to type; or the key to press: "Enter", "Ctrl+a".')
    ] = None
    size: Annotated[str | None, Meta(description='Width and height in pixels: "900,600".')] = None


class BrowserAction(Tool[Arguments]):
    name = "browser_action"
    description = (
        "Drive a browser: launch a URL first, then click, hover, type, press, resize, scroll or "
        "take a screenshot, and close it last. Every result has a screenshot and what the page "
        f"wrote to its console. The page is {WIDTH}x{HEIGHT} pixels unless resized. A page that "
        "goes to another host is left: launch that host to go there."
    )
    kind = Kind.NETWORK
    arguments = Arguments
    example = Arguments("click", coordinate="450,300@900x600")
    touches = (
        Effect(Kind.NETWORK, "the host of url"),
        Effect(Kind.READ, "the file that url names"),
    )
    limits = (
        f"{TIMEOUT:g} seconds for one action, the start of the browser included.",
        f"{_SMALLEST} to {_LARGEST:,} pixels of width and height.",
        "One browser in a session, one page in it: new windows are closed.",
    )
    failures = (
        Reason("missing", "What the action needs is not given.", Code.INVALID_ARGUMENTS),
        Reason(
            "form",
            "The coordinate or the size is malformed or out of range.",
            Code.INVALID_ARGUMENTS,
        ),
        Reason("url", "The URL is none of the web, or names a user."),
        Reason("blocked", "The file is not one of the workspace.", Code.BLOCKED_PATH),
        Reason("not_launched", "There is no page yet on which to act."),
        Reason("host", "The host is not found, or is a local one and not allowed."),
        Reason("page", "The browser says that the action failed, or the page cannot be loaded."),
        Reason("elsewhere", "The page went to another host, and was left."),
        Reason("browser", "The browser cannot be started, or ended by itself."),
        Reason("timeout", "The browser did not answer in time, and was closed.", Code.TIMED_OUT),
    )
    needs = "the extra 'browser', a Chromium on PATH, and a model that sees images"

    def available(self, services: Services) -> bool:
        return services.browser is not None and services.vision

    def effects(self, arguments: Arguments, context: ToolContext) -> tuple[Effect, ...]:
        """Name the host or file that a launch opens; what follows stays with it."""
        order = _order(arguments, context)
        if order.action == "launch":
            file = _file(arguments, context)
            return (file or Effect(Kind.NETWORK, urlsplit(order.url).netloc),)
        if order.action != "close" and not _browser(context).host:
            raise ToolError("there is no browser: launch a URL first")
        return ()

    def preview(self, arguments: Arguments, context: ToolContext) -> Words:
        return Words(f"open {arguments.url} in the browser" if arguments.url else arguments.action)

    async def run(self, arguments: Arguments, context: ToolContext) -> Output:
        browser, order = _browser(context), _order(arguments, context)
        if order.action == "close":
            await browser.close()
            return "The browser is closed."
        if order.action == "launch":
            serve = _serving(context.workspace) if _file(arguments, context) else None
            local = context.services.web_local
            if serve is None:  # what may not be reached is refused before a browser is started
                await look_up(parse_url(order.url), local=local)
            seen = await browser.launch(order, context.processes, local=local, serve=serve)
        else:
            seen = await browser.act(order)
        notes = _notes(seen, browser.refused())
        if seen.error:
            raise ToolError("\n".join([f"{order.action} failed: {seen.error}", *notes]))
        await _leave(seen, browser)
        text = "\n".join([_done(order.action, seen), *notes])
        return Blocks(text, (Image("image/jpeg", seen.image),))


def _browser(context: ToolContext) -> Browser:
    if context.services.browser is None:
        raise ToolError("no browser is installed that could be driven")
    return context.services.browser


def _order(arguments: Arguments, context: ToolContext) -> Order:
    """Return what is ordered; ToolError for what is missing or has the wrong form."""
    action = arguments.action
    needed = _NEEDS.get(action)
    given = getattr(arguments, needed) if needed else ""
    if given is None or (needed and not given):
        raise ToolError(f"{action} needs {needed!r}", Code.INVALID_ARGUMENTS)
    match needed:
        case "url":
            file = _file(arguments, context)
            return Order(action, url=_place_of(file) if file else _web(given))
        case "coordinate":
            return _pointing(action, given)
        case "size":
            return _resizing(given)
        case "text":
            return Order(action, text=_keys(given) if action == "press" else given)
        case _:
            return Order(action)


def _web(text: str) -> str:
    url = parse_url(text)
    if url.netloc == WORKSPACE:
        raise ToolError("a file of the workspace is opened with file:///… and its path")
    return address_of(url)


def _file(arguments: Arguments, context: ToolContext) -> Effect | None:
    """Return the effect of opening a file, if that is what the URL names; only the workspace's."""
    url = arguments.url or ""
    if not url.lower().startswith("file:"):
        return None
    effect = context.workspace.effect(Kind.READ, unquote(urlsplit(url).path))
    if effect.outside or PurePosixPath(effect.target).is_absolute():
        raise BlockedPathError(f"{url!r} is not a file of the workspace: no other is opened")
    return effect


def _place_of(file: Effect) -> str:
    return f"http://{WORKSPACE}/{quote(file.target)}"


def _serving(workspace: Workspace) -> "Serve":
    """Return what gives a page files of the workspace: those that `read_file` would read."""
    import mimetypes  # noqa: PLC0415 - 3 ms, and only for files

    def serve(path: str) -> tuple[str, bytes]:
        if path == _ICON and not workspace.is_file(path):
            return "image/x-icon", b""  # browsers ask for it unasked; a page that has none is fine
        if not workspace.visible(path):
            raise ToolError(f"{path!r} is not a file of the workspace")
        return mimetypes.guess_type(path)[0] or "application/octet-stream", workspace.read(path)

    return serve


def _pointing(action: Action, text: str) -> Order:
    found = _PLACE.fullmatch(text)
    if found is None:
        raise ToolError(
            f'the coordinate {text!r} is not of the form "x,y@WIDTHxHEIGHT"',
            Code.INVALID_ARGUMENTS,
        )
    x, y = int(found[1]), int(found[2])
    width, height = int(found[3] or WIDTH), int(found[4] or HEIGHT)
    if x >= width or y >= height:
        raise ToolError(
            f"the coordinate {text!r} lies outside of {width}x{height}", Code.INVALID_ARGUMENTS
        )
    return Order(action, x=x / width, y=y / height)


def _resizing(text: str) -> Order:
    found = _SIZE.fullmatch(text)
    if found is None:
        raise ToolError(f'the size {text!r} is not of the form "900,600"', Code.INVALID_ARGUMENTS)
    width, height = int(found[1]), int(found[2])
    if min(width, height) < _SMALLEST or max(width, height) > _LARGEST:
        raise ToolError(
            f"the size {text!r} is not between {_SMALLEST} and {_LARGEST} pixels",
            Code.INVALID_ARGUMENTS,
        )
    return Order("resize", width=width, height=height)


def _keys(text: str) -> str:
    """Return the keys in the words that the browser's driver knows."""
    if text == "+":
        return text
    names = (name.strip() for name in text.split("+"))
    return "+".join(_KEYS.get(name.lower(), _capital(name)) for name in names)


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:] if len(name) > 1 else name


async def _leave(seen: Seen, browser: Browser) -> None:
    """Leave a page of a host that nobody has agreed to."""
    url = urlsplit(seen.url)
    if url.netloc in {"", browser.host}:
        return
    await browser.act(Order("launch", url="about:blank"))
    raise ToolError(
        f"the page went to another host and was left: launch {seen.url!r} if you want to go there"
    )


def _done(action: str, seen: Seen) -> str:
    size = f"{seen.width}x{seen.height}"
    return (
        f"{action}: done. The page is {_shown(seen.url)}\n"
        f'The screenshot is {size} pixels: give places in it as "x,y@{size}".'
    )


def _shown(url: str) -> str:
    place = f"http://{WORKSPACE}/"
    return f"file: {unquote(url.removeprefix(place))}" if url.startswith(place) else url


def _notes(seen: Seen, refused: tuple[str, ...]) -> list[str]:
    notes = ["Console:", *seen.logs] if seen.logs else ["(No new logs)"]
    if refused:
        notes.append(f"Not reached, since it may not be: {', '.join(refused[:_MOST_REFUSED])}")
    return notes


TOOL = BrowserAction()

"""The program that drives the browser, through Playwright: orders come in, what is seen goes out.

It is a program of its own so that the browser, Playwright's own driver and all they start lie in
the one process tree that ends with the session.
"""

import os
import sys
import time
from base64 import b64encode
from typing import TYPE_CHECKING

import msgspec

from agent_cli.tools._browser_words import HEIGHT, WIDTH, Order, Seen

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright

_NAVIGATION = 15_000
"""Milliseconds that a page has to load."""
_STEADY = 5.0
"""Seconds that a page has to stop changing."""
_PAUSE = 150
"""Milliseconds between two looks at whether it still changes."""
_LOGS = 50
_LONGEST_LOG = 1_000
_QUALITY = 75
_ARGUMENTS = (
    "--proxy-bypass-list=<-loopback>",
    # Nothing goes past the proxy.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    # It is the page that is wanted, not what the browser itself has to tell its maker.
    "--allow-browser-signin=false",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-pings",
)


def main() -> None:
    """Do what is ordered until there are no more orders: program and port come as arguments."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - 110 ms, here alone

    program, port = sys.argv[1:]
    with sync_playwright() as playwright:
        driven = _Driven(playwright, program, port)
        try:
            for line in sys.stdin.buffer:
                seen = driven.obey(msgspec.json.decode(line, type=Order))
                sys.stdout.buffer.write(msgspec.json.encode(seen) + b"\n")
                sys.stdout.buffer.flush()
        finally:
            driven.close()


class _Driven:
    """One browser with one page."""

    def __init__(self, playwright: "Playwright", program: str, port: str) -> None:
        self._playwright = playwright
        self._program = program
        self._port = port
        self._browser: Browser | None = None
        self._page: Page | None = None
        self._logs: list[str] = []

    def obey(self, order: Order) -> Seen:
        from playwright.sync_api import Error  # noqa: PLC0415 - as above

        if order.action == "close":
            self.close()
            return Seen()
        try:
            page = self._page or self._launch()
            _do(page, order)
            _settle(page)
            return self._seen(page)
        except Error as error:
            logs, self._logs = tuple(self._logs[:_LOGS]), []
            return Seen(error=error.message.partition("\nCall log:")[0].strip(), logs=logs)

    def close(self) -> None:
        browser, self._browser = self._browser, None
        if browser is not None:
            browser.close()

    def _launch(self) -> "Page":
        as_root = () if os.geteuid() else ("--no-sandbox",)  # root has no sandbox to go into
        self._browser = self._playwright.chromium.launch(
            executable_path=self._program,
            args=[*_ARGUMENTS, *as_root],
            proxy={"server": f"http://127.0.0.1:{self._port}"},
        )
        context = self._browser.new_context(
            viewport={"width": WIDTH, "height": HEIGHT},
            accept_downloads=False,
            service_workers="block",
        )
        self._page = page = context.new_page()
        page.on("console", self._note)
        page.on("pageerror", lambda error: self._logs.append(f"[error] {error}"))
        context.on("page", self._close_window)
        return page

    def _note(self, message: "ConsoleMessage") -> None:
        self._logs.append(f"[{message.type}] {message.text}"[:_LONGEST_LOG])

    def _close_window(self, window: "Page") -> None:
        self._logs.append(f"[window] {window.url} was to be opened in a new window, and is not")
        window.close()

    def _seen(self, page: "Page") -> Seen:
        image = page.screenshot(type="jpeg", quality=_QUALITY, scale="css")
        size = page.viewport_size or {"width": WIDTH, "height": HEIGHT}
        logs, self._logs = tuple(self._logs[:_LOGS]), []
        return Seen(page.url, size["width"], size["height"], b64encode(image).decode(), logs)


def _do(page: "Page", order: Order) -> None:
    size = page.viewport_size or {"width": WIDTH, "height": HEIGHT}
    x, y = order.x * size["width"], order.y * size["height"]
    match order.action:
        case "launch":
            page.goto(order.url, timeout=_NAVIGATION)
        case "click":
            page.mouse.click(x, y)
        case "hover":
            page.mouse.move(x, y)
        case "type":
            page.keyboard.type(order.text)
        case "press":
            page.keyboard.press(order.text)
        case "resize":
            page.set_viewport_size({"width": order.width, "height": order.height})
        case "scroll_down" | "scroll_up":
            page.mouse.wheel(0, size["height"] * (1 if order.action == "scroll_down" else -1))
        case "screenshot" | "close":
            pass


def _settle(page: "Page") -> None:
    """Wait until the page looks the same twice, but not for ever."""
    from playwright.sync_api import Error  # noqa: PLC0415 - as above

    end = time.monotonic() + _STEADY
    before = None
    while time.monotonic() < end:
        page.wait_for_timeout(_PAUSE)
        try:
            page.wait_for_load_state("load", timeout=_PAUSE)
            now = page.content()
        except Error:  # it still loads, or goes elsewhere at this moment
            continue
        if now == before:
            return
        before = now

"""browser_action: what is ordered, what is asked about, and where it is offered."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from testbed.bench import Bench, asked

from agent_cli.tools import _browser
from agent_cli.tools._browser import Browser, installed
from agent_cli.tools._browser_words import Order
from agent_cli.tools.base import Services
from agent_cli.tools.browser_action import TOOL, _order
from agent_cli.types.approval import Words
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import BlockedPathError, ToolError


def bench(root: Path) -> Bench:
    made = Bench(TOOL, root)
    services = Services(browser=Browser("none"))
    made.context = msgspec.structs.replace(made.context, services=services)
    return made


def launched(root: Path, before: Callable[[], None] = lambda: None) -> None:
    used = bench(root)

    async def whole() -> None:
        try:
            await used.context.processes.run("true", cwd=root)
            before()
            await used.start(action="launch", url="http://1.1.1.1/")
        finally:
            await used.context.processes.close()

    asyncio.run(whole())


def test_a_driver_that_falls_over_says_why(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(_browser, "_CHILD", "raise SystemExit('no such thing')")
    with pytest.raises(ToolError, match="the browser ended: no such thing"):
        launched(tmp_path)


def test_a_driver_that_cannot_be_started_is_an_error(tmp_path: Path, monkeypatch):
    nowhere = str(tmp_path / "none")
    with pytest.raises(ToolError, match="the browser cannot be started: "):
        launched(tmp_path, lambda: monkeypatch.setattr(sys, "executable", nowhere))


def test_a_start_that_is_cancelled_leaves_nothing(tmp_path: Path):
    used = bench(tmp_path)

    async def whole() -> None:
        call = asyncio.ensure_future(used.start(action="launch", url="http://1.1.1.1/"))
        await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await used.context.processes.close()

    asyncio.run(whole())
    with pytest.raises(ToolError, match="launch a URL first"):
        asyncio.run(Browser("none").act(Order("screenshot")))


WRONG = {
    "no url": ({"action": "launch"}, "launch needs 'url'"),
    "no place": ({"action": "click"}, "click needs 'coordinate'"),
    "no text": ({"action": "type", "text": ""}, "type needs 'text'"),
    "no key": ({"action": "press"}, "press needs 'text'"),
    "no size": ({"action": "resize"}, "resize needs 'size'"),
    "words for a place": ({"action": "click", "coordinate": "left"}, "is not of the form"),
    "outside": ({"action": "click", "coordinate": "900,0"}, "lies outside of 900x600"),
    "words for a size": ({"action": "resize", "size": "big"}, "is not of the form"),
    "too small": ({"action": "resize", "size": "10,400"}, "not between 100 and 4000"),
    "too large": ({"action": "resize", "size": "400x5000"}, "not between 100 and 4000"),
    "another scheme": ({"action": "launch", "url": "chrome://settings"}, "is not a URL"),
    "our own host": ({"action": "launch", "url": "http://workspace.invalid/x"}, "file:///"),
    "not launched": ({"action": "click", "coordinate": "1,1"}, "launch a URL first"),
}


@pytest.mark.parametrize(("arguments", "says"), WRONG.values(), ids=WRONG)
def test_wrong_arguments_are_refused_before_anybody_is_asked(tmp_path: Path, arguments, says):
    with pytest.raises(ToolError, match=says):
        bench(tmp_path).effects(**arguments)


def test_files_outside_the_workspace_are_refused(tmp_path: Path):
    with pytest.raises(BlockedPathError, match="is not a file of the workspace"):
        bench(tmp_path).effects(action="launch", url="file:///etc/passwd")


def test_a_launch_names_its_host_and_what_follows_stays_there(tmp_path: Path):
    used = bench(tmp_path)
    call = used.call(action="launch", url="https://Example.com/a#b")
    assert call.effects() == (Effect(Kind.NETWORK, "example.com"),)
    assert call.preview() == Words("open https://Example.com/a#b in the browser")
    assert used.effects(action="close") == ()
    assert used.preview(action="close") == Words("close")


@pytest.mark.parametrize(
    ("written", "pressed"),
    [
        ("Enter", "Enter"),
        ("cmd+a", "Meta+a"),
        ("ctrl + shift+tab", "Control+Shift+Tab"),
        ("+", "+"),
    ],
)
def test_keys_have_the_names_that_people_use(tmp_path: Path, written: str, pressed: str):
    call = bench(tmp_path).call(action="press", text=written)
    assert _order(call.arguments, call.context).text == pressed


def test_it_is_offered_where_it_can_work():
    assert TOOL.available(Services(browser=Browser("x")))
    assert not TOOL.available(Services(browser=Browser("x"), vision=False))
    assert not TOOL.available(Services())


def test_without_a_browser_or_its_driver_there_is_none(tmp_path: Path, monkeypatch):
    assert installed(str(tmp_path)) is None
    monkeypatch.setitem(sys.modules, "playwright", None)
    monkeypatch.setattr(_browser, "find_spec", lambda _: None)
    assert installed(os.environ.get("PATH")) is None
    with pytest.raises(ToolError, match="no browser is installed"):
        asked(TOOL, tmp_path, action="close").run()

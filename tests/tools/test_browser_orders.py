"""browser_action: what is ordered, what is asked about, and where it is offered."""

import os
import sys
from pathlib import Path

import msgspec
import pytest
from testbed.bench import Bench, asked

from agent_cli.tools import _browser
from agent_cli.tools._browser import Browser, installed
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

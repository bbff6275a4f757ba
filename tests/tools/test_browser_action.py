"""browser_action: a real browser on pages of the loopback and the workspace."""

import asyncio
import os
import sys
from base64 import b64decode
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
import pytest
from testbed.bench import Bench
from testbed.loopback import Answer, Loopback

from agent_cli.processes.tree import read
from agent_cli.tools import _browser
from agent_cli.tools._browser import Browser, installed
from agent_cli.tools.base import Blocks, Output, Services
from agent_cli.tools.browser_action import TOOL
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ToolError

PROGRAM = installed(os.environ.get("PATH"))
needs_a_browser = pytest.mark.skipif(
    PROGRAM is None, reason="needs the extra 'browser' and a Chromium on PATH"
)

PAGE = b"""<!doctype html><title>t</title><body style="margin:0;height:3000px">
<button style="position:absolute;left:0;top:0;width:300px;height:100px"
 onclick="console.log('clicked at', event.clientX, event.clientY)"
 onmousemove="console.warn('moved')">x</button>
<input id=i autofocus style="position:absolute;top:200px" oninput="console.log('is', this.value)"
 onkeydown="if (event.key == 'a' && event.ctrlKey) console.log('all')">
<a style="position:absolute;left:0;top:400px;font-size:60px" href="http://localhost:1/">away</a>
<script>console.log('ready'); addEventListener('scroll', () => console.log('at', scrollY));
addEventListener('resize', () => console.log('size', innerWidth, innerHeight));</script>"""


def page(body: bytes = PAGE) -> Answer:
    return Answer((body,), headers={"content-type": "text/html"})


ICON = Answer(status=404)


def bench(root: Path, *, local: bool = True, program: str = PROGRAM or "none") -> Bench:
    made = Bench(TOOL, root)
    browser = Browser(program)
    services = Services(web_local=local, browser=browser)
    made.context = msgspec.structs.replace(made.context, services=services)
    return made


Doing = Callable[[Bench, Loopback], Awaitable[None]]


def drive(used: Bench, doing: Doing, *answers: Answer) -> None:
    async def whole() -> None:
        async with Loopback(*answers, *[ICON] * 9) as server:
            try:
                await doing(used, server)
            finally:
                assert used.context.services.browser is not None
                await used.context.services.browser.close()
                await used.context.processes.close()

    asyncio.run(whole())


def text(output: Output) -> str:
    assert isinstance(output, Blocks), output
    (image,) = output.images
    assert image.media_type == "image/jpeg"
    assert b64decode(image.data).startswith(b"\xff\xd8\xff")
    return output.text


@needs_a_browser
def test_a_page_is_driven_and_seen(tmp_path: Path):
    async def doing(used: Bench, server: Loopback) -> None:
        async def act(action: str, **rest: str) -> str:
            return text(await used.start(action=action, **rest))

        said = await act("launch", url=server.url)
        assert f"launch: done. The page is {server.url}/" in said
        assert '"x,y@900x600"' in said
        assert "[log] ready" in said
        assert "[log] is hi" in await act("type", text="hi")
        assert "[log] all" in await act("press", text="Ctrl+a")
        assert "clicked at 100 50" in await act("click", coordinate="50,25@450x300")
        assert "[warning] moved" in await act("hover", coordinate="120x60")
        assert "[log] size 500 400" in await act("resize", size="500,400")
        assert "[log] at 400" in await act("scroll_down")
        assert "[log] at 0" in await act("scroll_up")
        assert "(No new logs)" in await act("screenshot")
        assert await used.start(action="close") == "The browser is closed."
        with pytest.raises(ToolError, match="launch a URL first"):
            await used.start(action="screenshot")

    drive(bench(tmp_path), doing, page())


@needs_a_browser
def test_a_page_that_goes_to_another_host_is_left(tmp_path: Path):
    async def doing(used: Bench, server: Loopback) -> None:
        elsewhere = server.url.replace("127.0.0.1", "localhost")
        server.answers[0] = page(PAGE.replace(b"http://localhost:1", elsewhere.encode()))
        await used.start(action="launch", url=server.url)
        with pytest.raises(ToolError, match="the page went to another host and was left"):
            await used.start(action="click", coordinate="60,440")
        assert "about:blank" in text(await used.start(action="screenshot"))

    drive(bench(tmp_path), doing, page(), page(), page())


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_this_machine_is_not_reached_unless_allowed(tmp_path: Path, host: str):
    async def doing(used: Bench, server: Loopback) -> None:
        with pytest.raises(ToolError, match="allow_local = true"):
            await used.start(action="launch", url=f"http://{host}:{server.port}/")
        assert server.connections == 0

    drive(bench(tmp_path, local=False), doing)


@needs_a_browser
def test_a_page_of_the_workspace_is_served_and_reaches_nobody(tmp_path: Path):
    (tmp_path / "site").mkdir()
    (tmp_path / ".agentignore").write_text("secret.js\n")
    (tmp_path / "secret.js").write_text("console.log('secret')")
    (tmp_path / "site" / "a b.js").write_text("console.log('script ran')")

    async def doing(used: Bench, server: Loopback) -> None:
        tags = "".join(
            f"<script src='{source}'></script>"
            for source in ("a b.js", "/secret.js", f"{server.url}/x.js", "file:///etc/passwd")
        )
        (tmp_path / "site" / "index.html").write_text(f"<!doctype html>{tags}")
        call = used.call(action="launch", url=(tmp_path / "site" / "index.html").as_uri())
        assert call.effects() == (Effect(Kind.READ, "site/index.html"),)
        said = text(await call.start(approved=True))
        assert "The page is file: site/index.html" in said
        assert "[log] script ran" in said
        assert "[log] secret" not in said
        assert said.partition("Not reached, since it may not be: ")[2] == f"{server.url}/x.js"
        assert server.connections == 0

    drive(bench(tmp_path), doing)


@needs_a_browser
def test_what_cannot_be_loaded_fails_with_the_reason(tmp_path: Path):
    async def doing(used: Bench, server: Loopback) -> None:
        with pytest.raises(ToolError, match=r"launch failed: Page\.goto: net::ERR_"):
            await used.start(action="launch", url="http://127.0.0.1:1/")
        with pytest.raises(ToolError, match="press failed: "):
            await used.start(action="press", text="Nonsense")

    drive(bench(tmp_path), doing)


@needs_a_browser
def test_new_windows_are_closed_and_told(tmp_path: Path):
    async def doing(used: Bench, server: Loopback) -> None:
        await used.start(action="launch", url=server.url)
        said = text(await used.start(action="click", coordinate="10,10"))
        assert "was to be opened in a new window, and is not" in said

    opener = b"<body onclick=\"window.open('about:blank')\" style=height:500px>x"
    drive(bench(tmp_path), doing, page(opener))


def below(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [one for child in children for one in (int(child), *below(int(child)))]


def name_of(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text().strip()


@needs_a_browser
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_everything_ends_with_the_session(tmp_path: Path):
    started: list[int] = []

    async def doing(used: Bench, server: Loopback) -> None:
        await used.start(action="launch", url=server.url)
        started.extend(below(os.getpid()))
        names = " ".join(name_of(pid) for pid in started)
        assert "node" in names
        assert "chrom" in names

    drive(bench(tmp_path), doing, page())
    assert len(started) > 4
    assert [pid for pid in started if read(pid) is not None] == []


@needs_a_browser
def test_a_call_that_is_cancelled_closes_the_browser(tmp_path: Path):
    async def doing(used: Bench, server: Loopback) -> None:
        await used.start(action="launch", url=server.url)
        call = asyncio.ensure_future(used.start(action="screenshot"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert used.context.services.browser is not None
        assert used.context.services.browser.host == ""

    drive(bench(tmp_path), doing, page())


@needs_a_browser
def test_silence_closes_the_browser(tmp_path: Path, monkeypatch):
    async def doing(used: Bench, server: Loopback) -> None:
        await used.start(action="launch", url=server.url)
        monkeypatch.setattr(_browser, "TIMEOUT", 0.001)
        with pytest.raises(ToolError, match="did not answer within"):
            await used.start(action="screenshot")
        with pytest.raises(ToolError, match="launch a URL first"):
            await used.start(action="screenshot")

    drive(bench(tmp_path), doing, page())


@needs_a_browser
def test_a_program_that_is_no_browser_is_an_error(tmp_path: Path):
    async def doing(used: Bench, server: Loopback) -> None:
        with pytest.raises(ToolError, match="launch failed: "):
            await used.start(action="launch", url=server.url)

    drive(bench(tmp_path, program="/bin/false"), doing)

"""The browser of a session: one at most, driven by a program of its own behind a proxy of ours."""

import asyncio
import os
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from agent_cli.processes.dialogue import Dialogue
from agent_cli.processes.run import Processes
from agent_cli.tools._browser_words import Order, Seen
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code

if TYPE_CHECKING:
    from agent_cli.network.filtering import FilteringProxy, Serve

TIMEOUT = 60.0
"""Seconds for one action, the start of the browser included."""
_PROGRAMS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
)
_ITS_OWN = frozenset(
    {
        "accounts.google.com",
        "clients2.google.com",
        "content-autofill.googleapis.com",
        "edgedl.me.gvt1.com",
        "optimizationguide-pa.googleapis.com",
        "redirector.gvt1.com",
        "safebrowsing.googleapis.com",
        "update.googleapis.com",
    }
)
"""What browsers of this kind talk with for their own ends, whatever they are told at the start."""
_GOODBYE = 5.0
"""Seconds that the browser has to close by itself."""
_CHILD = (
    "import sys; sys.path[:0] = sys.argv.pop(1).split(sys.argv.pop(1)); "
    "from agent_cli.tools._browser_child import main; main()"
)


def installed(path: str | None) -> str | None:
    """Return the program of a browser that can be driven; None if it or its driver is missing."""
    import shutil  # noqa: PLC0415 - 4 ms, asked once a session

    if find_spec("playwright") is None:
        return None
    return next(filter(None, (shutil.which(name, path=path) for name in _PROGRAMS)), None)


class Browser:
    """Started with the first page, and closed with the session at the latest."""

    def __init__(self, program: str) -> None:
        self.program = program
        self.host = ""
        """The host of the page that the user has agreed to; empty while no browser runs."""
        self._dialogue: Dialogue | None = None
        self._proxy: FilteringProxy | None = None

    async def launch(
        self, order: Order, processes: Processes, *, local: bool, serve: "Serve | None"
    ) -> Seen:
        """Open a page, in the browser that runs if there is one. Raises ToolError."""
        if self._dialogue is None or self._proxy is None:
            await self._start(processes)
        assert self._proxy is not None
        self._proxy.local, self._proxy.serve = local, serve
        self.host = urlsplit(order.url).netloc
        self._proxy.unwanted = _ITS_OWN - {self.host}
        return await self.act(order)

    async def act(self, order: Order) -> Seen:
        """Have it done; whatever goes wrong in between closes the browser. Raises ToolError."""
        dialogue = self._dialogue
        if dialogue is None:
            raise ToolError("there is no browser: launch a URL first")
        try:
            async with asyncio.timeout(TIMEOUT):
                await dialogue.say(msgspec.json.encode(order) + b"\n")
                answer = await dialogue.line()
            seen = msgspec.json.decode(answer, type=Seen)
        except TimeoutError as error:
            await self._end()
            raise ToolError(
                f"the browser did not answer within {TIMEOUT:g} s and was closed", Code.TIMED_OUT
            ) from error
        except (OSError, msgspec.DecodeError) as error:
            last = dialogue.errors.rpartition("\n")[2][:500]
            await self._end()
            raise ToolError(f"the browser ended: {last or error}") from error
        except BaseException:  # its answer would be taken for that to the next order
            await self._end()
            raise
        return seen

    def refused(self) -> tuple[str, ...]:
        """Return what the pages wanted to reach, and may not, since this was last called."""
        if self._proxy is None:
            return ()
        found = tuple(self._proxy.refused)
        self._proxy.refused.clear()
        return found

    async def close(self) -> None:
        """Have the browser close, so that it leaves no files; then end whatever is left."""
        if self._dialogue is None:
            return
        try:
            with suppress(OSError):  # TimeoutError is one
                async with asyncio.timeout(_GOODBYE):
                    await self._dialogue.say(msgspec.json.encode(Order("close")) + b"\n")
                    await self._dialogue.line()
        finally:
            await self._end()

    async def _end(self) -> None:
        dialogue, self._dialogue = self._dialogue, None
        proxy, self._proxy = self._proxy, None
        self.host = ""
        try:
            if dialogue is not None:
                await dialogue.close()
        finally:
            if proxy is not None:
                await proxy.close()

    async def _start(self, processes: Processes) -> None:
        from agent_cli.network.filtering import FilteringProxy  # noqa: PLC0415 - 10 ms, for it alone

        self._dialogue = dialogue = Dialogue()
        self._proxy = proxy = FilteringProxy()
        try:
            port = await proxy.begin()
            argv = [sys.executable, "-I", "-c", _CHILD, *_places(), self.program, str(port)]
            await dialogue.begin(processes.launcher, argv, processes.environ, Path("/"))
        except BaseException as error:
            await self._end()
            if isinstance(error, OSError | ValueError):
                raise ToolError(f"the browser cannot be started: {error}") from error
            raise


def _places() -> tuple[str, str]:
    """Return where the program finds us and Playwright, and what parts the places."""
    found = find_spec("playwright")
    beside = [str(Path(found.origin).parents[1])] if found and found.origin else []
    return os.pathsep.join([str(Path(__file__).parents[2]), *beside]), os.pathsep

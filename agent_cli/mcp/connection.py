"""One server's connection: made when it is first needed, and again when it was lost.

The SDK's contexts must be left in the task that entered them. So one task owns them: it connects,
then waits until nobody needs the connection any more or it has ended by itself.
"""

import asyncio
from collections.abc import Callable
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from agent_cli.mcp.config import Server
from agent_cli.mcp.definitions import Definition, Resource, plain
from agent_cli.processes.dialogue import Dialogue
from agent_cli.processes.run import Processes
from agent_cli.tools.base import Output
from agent_cli.trust.manifest import manifest
from agent_cli.types.errors import ToolError

if TYPE_CHECKING:
    from agent_cli.mcp.sdk import Session

_SDK = "agent_cli.mcp.sdk"
_CHANGED = (
    "what this folder was trusted with has changed, so its servers do not start: the user has to "
    "look at what has changed, with `agent trust`, and start again"
)


class Link(StrEnum):
    """Whether there is a connection."""

    NONE = "none"
    CONNECTING = "connecting"
    OPEN = "open"
    FAILED = "failed"


class UnusableError(ToolError):
    """There is no connection to a server."""

    def __init__(self, server: str, why: str) -> None:
        super().__init__(f"server {server!r} cannot be used: {why}")
        self.why = why


class ForgottenError(ToolError):
    """A server has answered that it knows our session no more, as after its restart."""

    def __init__(self, server: str) -> None:
        super().__init__(
            f"server {server!r} has ended the session, and should have done nothing for this call; "
            "with the next one a new session begins"
        )


class Connection:
    """The way to one server. Whoever makes one closes it."""

    def __init__(
        self,
        server: Server,
        processes: Processes,
        listed: Callable[[tuple[Definition, ...]], None],
    ) -> None:
        """Tell `listed` which tools there are, after each connecting and when they change."""
        self.server = server
        self.resources: tuple[Resource, ...] = ()
        self._processes = processes
        self._listed = listed
        self._owner: asyncio.Task[None] | None = None
        self._session: asyncio.Future[Session] | None = None
        self._errors = ""

    @property
    def state(self) -> Link:
        owner, session = self._owner, self._session
        if owner is None or session is None:
            return Link.NONE
        if owner.done():
            return Link.FAILED if self.problem else Link.NONE
        if self._has_ended():
            return Link.NONE
        return Link.OPEN if session.done() else Link.CONNECTING

    @property
    def problem(self) -> str:
        """Why the last connection could not be had; empty if that is not so."""
        owner = self._owner
        if owner is None or not owner.done() or owner.cancelled() or owner.exception() is None:
            return ""
        return self._why(owner)

    async def connected(self) -> "Session":
        """Return the open session; connects if there is none. Raises UnusableError."""
        if self._owner is not None and self._has_ended():
            await asyncio.wait({self._owner})
        if self._owner is None or self._owner.done() or self._session is None:
            self._session = asyncio.get_running_loop().create_future()
            self._owner = asyncio.create_task(self._own(self._session))
            self._owner.add_done_callback(_look_at)
        owner, session = self._owner, self._session
        opening: set[asyncio.Future[Any]] = {owner, session}
        await asyncio.wait(opening, return_when=asyncio.FIRST_COMPLETED)
        if session.done() and not owner.done():
            await session.result().listed.wait()
            return session.result()
        raise UnusableError(self.server.name, self._why(owner))

    async def call(
        self, tool: str, arguments: dict[str, Any], tell: Callable[[str], None]
    ) -> Output:
        session = await self.connected()
        try:
            return await session.call(tool, arguments, tell)
        except OSError as error:
            raise await self._lost(session, error) from error

    async def read(self, uri: str) -> Output:
        session = await self.connected()
        try:
            return await session.read(uri)
        except OSError as error:
            raise await self._lost(session, error) from error

    async def close(self) -> None:
        """End the connection, and the program behind it."""
        owner, session = self._owner, self._session
        if owner is None or session is None:
            return
        if session.done():
            session.result().end()
        else:
            owner.cancel()
        await asyncio.wait({owner})

    def _has_ended(self) -> bool:
        session = self._session
        return session is not None and session.done() and session.result().ended

    async def _lost(self, session: "Session", error: OSError) -> ToolError:
        session.end()
        if self._owner is not None and self._has_ended():  # else somebody has it back already
            await asyncio.wait({self._owner})
        if session.forgotten:
            return ForgottenError(self.server.name)
        return ToolError(
            f"server {self.server.name!r} is gone ({error}){self._last_words()}: the call may have "
            "had its effect or not; with the next call it is started again"
        )

    async def _own(self, ready: "asyncio.Future[Session]") -> None:
        server = self.server
        self._errors = ""
        if server.trusted is not None and manifest(server.cwd) != server.trusted:
            raise ToolError(_CHANGED)
        sdk = await asyncio.to_thread(import_module, _SDK)
        dialogue = Dialogue() if server.argv else None
        try:
            async with asyncio.timeout(server.timeout) as patience:
                if dialogue is not None:
                    environ = {**self._processes.environ, **server.environ}
                    launcher = self._processes.launcher
                    await dialogue.begin(launcher, server.argv, environ, server.cwd)
                async with sdk.opened(server, dialogue) as session:
                    await self._serve(session, ready, patience)
        finally:
            if dialogue is not None:
                await dialogue.close()
                self._errors = dialogue.errors

    async def _serve(
        self, session: "Session", ready: "asyncio.Future[Session]", patience: asyncio.Timeout
    ) -> None:
        self.resources = await session.resources()
        await self._list(session)
        patience.reschedule(None)
        ready.set_result(session)
        try:
            while await session.changed():
                async with asyncio.timeout(self.server.timeout):
                    await self._list(session)
        finally:
            session.end()

    async def _list(self, session: "Session") -> None:
        self._listed(await session.tools())
        session.settled()

    def _why(self, owner: "asyncio.Task[None]") -> str:
        error = None if owner.cancelled() else owner.exception()
        match error:
            case None:
                said = "it ended at once"
            case TimeoutError():
                said = f"it did not answer within {self.server.timeout:g} seconds"
            case ModuleNotFoundError():
                said = f"the package {error.name!r} is missing; install agent-cli[mcp]"
            case _:
                said = _first_words(error)
        return plain(said, 500) + self._last_words()

    def _last_words(self) -> str:
        """Return what the program said last, where it has ended."""
        words = plain(self._errors[-500:].strip())
        return f"; it wrote: {words}" if words else ""


def _look_at(task: "asyncio.Task[None]") -> None:
    """Look at how it ended, even if nobody asks: asyncio would complain on the terminal."""
    if not task.cancelled():
        task.exception()


def _first_words(error: BaseException) -> str:
    """Return what the first error of a group says."""
    found = error
    while isinstance(found, BaseExceptionGroup):
        found = cast("BaseExceptionGroup[BaseException]", found).exceptions[0]
    return str(found) or type(found).__name__

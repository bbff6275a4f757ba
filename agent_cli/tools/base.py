"""What a tool is, and what it may know while it runs.

A tool never sees call ids, approvals or the journal. What changes the session
is said in the return value, never done.
"""

from collections.abc import Awaitable, Callable
from typing import Any, ClassVar, Generic, Protocol, TypeAlias, TypeVar

from msgspec import Raw, Struct

from agent_cli.index.search import Index
from agent_cli.processes.run import Processes
from agent_cli.tools._browser import Browser
from agent_cli.types.approval import Preview, Words
from agent_cli.types.brought import Skill, SlashCommand
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.entries import Todo
from agent_cli.types.messages import Image
from agent_cli.types.outcomes import Code
from agent_cli.workspace.gate import Workspace


class ToolArguments(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of every tool's arguments: unknown fields and wrong types are errors.

    An optional argument is `T | None = None`; null means absent.
    """


A = TypeVar("A", bound=ToolArguments)


class Blocks(Struct, frozen=True):
    """Text with images."""

    text: str
    images: tuple[Image, ...]


class Complete(Struct, frozen=True):
    """The model says that the task is done."""

    result: str
    command: str | None = None


class Todos(Struct, frozen=True):
    """The new to-do list, whole, and what the model reads."""

    items: tuple[Todo, ...]
    text: str


class SwitchMode(Struct, frozen=True):
    mode: str
    text: str


class StartTask(Struct, frozen=True):
    """Another task is to be done first; its result is the call's."""

    mode: str
    message: str
    todos: tuple[Todo, ...] = ()


class Ran(Struct, frozen=True):
    """A command ran to its end, and said this."""

    text: str
    exit_code: int | None
    """None if it is not known."""


class Failure(Struct, frozen=True):
    """The call had an effect, or said something useful, and still counts as failed."""

    text: str


class Reason(Struct, frozen=True):
    """For what a call of a tool fails; documentation, and the list that tests go by."""

    name: str
    """Stable, and known once in a tool."""
    when: str
    """A sentence."""
    code: Code | None = None
    """What the result is marked with."""


Output: TypeAlias = str | Blocks | Complete | Todos | SwitchMode | StartTask | Ran | Failure


class Ask(Protocol):
    """Puts a question to the user; raises ToolError(NOBODY_TO_ASK) where there is none."""

    def __call__(self, question: str, suggestions: tuple[str, ...]) -> Awaitable[str]: ...


class Servers(Protocol):
    """The servers that bring tools."""

    def call(
        self, server: str, tool: str, arguments: dict[str, Any], tell: Callable[[str], None]
    ) -> Awaitable[Output]:
        """Call a server's tool; `tell` gets what is said of the progress. Raises ToolError."""
        ...

    def read(self, server: str, uri: str) -> Awaitable[Output]:
        """Read a resource; raises ToolError."""
        ...

    def changed(self, server: str, tool: str) -> str:
        """Return how the tool is defined now, if otherwise than the user has agreed to."""
        ...


class Painter(Protocol):
    """Makes images."""

    @property
    def model(self) -> str: ...

    @property
    def url(self) -> str:
        """Where the words go, and the image to start from."""
        ...

    @property
    def paint(self) -> Callable[[str, Image | None], Awaitable[bytes]]:
        """Makes an image from words, and from another one; raises ProviderError."""
        ...


class Services(Struct, frozen=True):
    """Ports that assemble fills; grows with the tools that need them."""

    command_timeout: float = 120.0
    """Seconds that a command has when the call does not say."""
    vision: bool = True
    """Whether the model can be shown images."""
    servers: Servers | None = None
    """None where no servers are configured."""
    web_local: bool = False
    """Whether tools may reach this machine and its local network."""
    images: Painter | None = None
    """None where no model is set for it, or its key is missing."""
    browser: Browser | None = None
    """None where none is installed that could be driven."""
    index: Index | None = None
    """Finds parts of the code; None where nothing is to be kept of it."""
    modes: tuple[str, ...] = ()
    """Slugs of the modes there are."""
    skills: tuple[Skill, ...] = ()
    commands: tuple[SlashCommand, ...] = ()


class ToolContext(Struct, frozen=True):
    """What a tool may use; every field is always there."""

    workspace: Workspace
    processes: Processes
    ask: Ask
    progress: Callable[[str], None]
    """Shows output while the call runs; returns at once."""
    services: Services = Services()
    mode: str = ""
    """The slug of the mode that the call is made in."""


class Tool(Generic[A]):
    """One thing the model can call."""

    name: str
    description: str
    kind: ClassVar[Kind]
    arguments: type[A]
    schema: Raw | None = None
    """JSON Schema of the arguments, where not their type says it."""
    example: A | None = None
    """A call that could be made in some project, for those who have to learn how."""
    touches: ClassVar[tuple[Effect, ...]] = ()
    """Every effect that a call may have, targets in words: parameters by their names."""
    limits: ClassVar[tuple[str, ...]] = ()
    """How much a call takes and gives at most, each in a sentence."""
    failures: ClassVar[tuple[Reason, ...]] = ()
    """For what a call fails, besides what every tool's calls fail for."""
    needs: ClassVar[str] = ""
    """What must be there for the tool to be available; empty if it always is."""

    def available(self, services: Services) -> bool:
        """Whether the tool can work in this session; one that cannot is not offered."""
        return True

    def effects(self, arguments: A, context: ToolContext) -> tuple[Effect, ...]:
        """Say what the call would do; raises ToolError for what it could never do."""
        return ()

    def preview(self, arguments: A, context: ToolContext) -> Preview:
        """Make what the user is shown when asked. Touches nothing; may raise ToolError."""
        return Words(self.name)

    async def unattended(self, arguments: A, context: ToolContext) -> ToolContext | None:
        """Return a context in which the call can run though nobody has looked at it.

        None if somebody must look at it after all.
        """
        return context

    async def run(self, arguments: A, context: ToolContext) -> Output:
        """Do it. Raises ToolError with a message for the model."""
        raise NotImplementedError


AnyTool: TypeAlias = Tool[Any]

"""What goes along with the user's words: a command they typed, and what they mention.

Rule 1: files, folders and pages are read by the session's own tools, so that gate, ignore rules
and limits hold. That the user names one is their yes to reading it; a deny rule stands.
Rule 2: what is not there is no mention: `@` stands before much else.
"""

import msgspec
from msgspec import Struct

from agent_cli.approval.policy import decide
from agent_cli.context._texts import table
from agent_cli.context.commands import typed
from agent_cli.context.mentions import Mention, What, block, mentions, refused
from agent_cli.runtime.prepare import Toolbox, failure, parse_arguments
from agent_cli.tools.base import Blocks, Failure, Output
from agent_cli.types.approval import Decision
from agent_cli.types.effects import Kind
from agent_cli.types.errors import ToolError
from agent_cli.types.messages import Image, ToolCall

ROOM = 300_000
"""Characters that the attachments of one message take."""


class Along(Struct, frozen=True):
    """What goes along with a message."""

    text: str = ""
    images: tuple[Image, ...] = ()
    mode: str = ""
    """The mode of the command that was typed."""


class Attachments:
    """Looks up what messages mention."""

    def __init__(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox

    async def along(self, text: str) -> Along:
        """Return what goes along with the text; raises nothing for what cannot be attached."""
        blocks: list[str] = []
        images: list[Image] = []
        command = typed(text, self._toolbox.customs.commands)
        if command is not None:
            found, arguments = command
            blocks.append(block("command", found.name, found.expanded(arguments)))
        room = ROOM
        for mention in mentions(text):
            made = await self._attached(mention)
            if made is None:
                continue
            kind, output = made
            said, shown = _parts(output)
            if len(said) > room:
                said, shown = refused(_texts()["full"]), ()
            room -= len(said)
            blocks.append(block(kind, mention.target, said))
            images += shown
        mode = command[0].mode if command else ""
        return Along("\n\n".join(blocks), tuple(images), mode)

    async def _attached(self, mention: Mention) -> tuple[str, Output] | None:
        """Return the kind of the block and what stands in it; None if it was no mention."""
        try:
            match mention.what:
                case What.PATH:
                    return await self._path(mention.target)
                case What.URL:
                    return await self._url(mention.target)
                case What.CHANGES | What.COMMIT:
                    return await self._git(mention)
        except ToolError as error:
            return mention.what.value, refused(str(error))

    async def _path(self, path: str) -> tuple[str, Output] | None:
        workspace = self._toolbox.workspace
        try:
            if workspace.effect(Kind.READ, path).outside:
                return "file", refused(_texts()["outside"])
            if workspace.is_dir(path):
                return "folder", await self._through("list_files", {"path": path})
            if workspace.is_file(path):
                return "file", await self._through("read_file", {"files": [{"path": path}]})
        except ToolError as error:
            return "file", refused(str(error))
        return None

    async def _url(self, url: str) -> tuple[str, Output] | None:
        if "web_fetch" not in self._toolbox.tools:
            return None
        return "url", await self._through("web_fetch", {"url": url})

    async def _git(self, mention: Mention) -> tuple[str, Output] | None:
        from agent_cli.runtime.git_mentions import Repository  # noqa: PLC0415 - rarely mentioned

        if mention.what is What.COMMIT and self._toolbox.workspace.is_file(mention.target):
            return await self._path(mention.target)
        repository = Repository(self._toolbox.processes, self._toolbox.workspace)
        if mention.what is What.CHANGES:
            return "changes", await repository.changes()
        shown = await repository.commit(mention.target)
        return None if shown is None else ("commit", shown)

    async def _through(self, name: str, arguments: dict[str, object]) -> Output:
        """Read something with the session's own tool; raises ToolError."""
        tool = self._toolbox.tools.get(name)
        if tool is None:
            raise ToolError(_texts()["no_tool"])
        text = msgspec.json.encode(arguments).decode()
        call = ToolCall(name, name, text)
        context = self._toolbox.context(call)
        parsed = parse_arguments(text, tool)
        judged = decide(self._toolbox.policy, name, tool.effects(parsed, context), ())
        if judged.decision is Decision.DENY:
            raise ToolError(judged.reason)
        try:
            return await tool.run(parsed, context)
        except Exception as error:
            raise ToolError(failure(call, error).content) from error


def _parts(output: Output) -> tuple[str, tuple[Image, ...]]:
    match output:
        case str():
            return output, ()
        case Blocks(text, images):
            return text, images
        case Failure(text):
            return refused(text), ()
        case _:  # no tool that reads does anything else
            return "", ()


def _texts() -> dict[str, str]:
    texts: dict[str, str] = table("system/phrases.toml")["mentions"]
    return texts

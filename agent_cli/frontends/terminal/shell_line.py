"""`!command`: a command that the user runs themselves, in the middle of a conversation."""

from rich.text import Text

from agent_cli.frontends.sanitiser import in_one_line, visible
from agent_cli.frontends.terminal.writer import Writer
from agent_cli.i18n.catalog import say
from agent_cli.runtime.agent import Agent
from agent_cli.runtime.user_commands import run_for_user
from agent_cli.types.errors import ToolError
from agent_cli.types.user_commands import UserRan

MARK = "!"


def is_shell_line(line: str) -> bool:
    return line.startswith(MARK)


async def run_shell_line(agent: Agent, writer: Writer, line: str) -> str:
    """Run what stands behind the mark and show its output as it comes; return what is left to say.

    Its output goes along with the next message: the model is not asked at once.
    """
    command = line.removeprefix(MARK).strip()
    if not command:
        return say("!COMMAND runs a command; its output goes along with your next message")
    if "\0" in command:
        return visible(say("{command} is no command", command=in_one_line(command)))
    try:
        ran = await run_for_user(agent.session, agent.toolbox, command, writer.stream)
    except ToolError as error:
        return visible(str(error))
    finally:
        writer.end_stream()
    said = _ending(ran)
    if said:
        writer.show(Text(said, style="yellow"))
    return ""


def _ending(ran: UserRan) -> str:
    """Return how it ended, where that does not go without saying."""
    if ran.signal is not None:
        return say("ended by signal {number}", number=ran.signal)
    return say("exit status {number}", number=ran.exit_code) if ran.exit_code else ""

"""`!command`: a command that the user runs themselves, in the middle of a conversation."""

from rich.text import Text

from agent_cli.frontends.sanitiser import in_one_line, visible
from agent_cli.frontends.terminal.commands.base import Here
from agent_cli.i18n.catalog import say
from agent_cli.runtime.user_commands import run_for_user
from agent_cli.types.errors import ToolError
from agent_cli.types.user_commands import UserRan

MARK = "!"


def is_shell_line(line: str) -> bool:
    return line.startswith(MARK)


async def run_shell_line(here: Here, line: str) -> str:
    """Run what stands behind the mark and show its output as it comes; return what is left to say.

    Its output goes along with the next message: the model is not asked at once.
    """
    agent, command = here.agent, line.removeprefix(MARK).strip()
    if not command:
        return say("!COMMAND runs a command; its output goes along with your next message")
    if "\0" in command:
        return visible(say("{command} is no command", command=in_one_line(command)))
    try:
        ran = await run_for_user(agent.session, agent.toolbox, command, here.writer.stream)
    except ToolError as error:
        return visible(str(error))
    finally:
        here.writer.end_stream()
    said = _ending(ran)
    if said:
        here.writer.show(Text(said, style=here.theme.warning))
    return ""


def _ending(ran: UserRan) -> str:
    """Return how it ended, where that does not go without saying."""
    if ran.signal is not None:
        return say("ended by signal {number}", number=ran.signal)
    return say("exit status {number}", number=ran.exit_code) if ran.exit_code else ""

"""Runs a command for the user themselves: no model asked for it, so nobody has to approve it.

It runs as commands of the agent do: in the same folder, with the same environment, and behind the
same wall if there is one. Its output goes along with what the user says next.
"""

import asyncio
from collections.abc import Callable

from agent_cli.runtime.prepare import Toolbox
from agent_cli.runtime.session import Session
from agent_cli.types.errors import ToolError
from agent_cli.types.user_commands import UserRan

_KEPT = 50_000
"""Characters of the output of a command that was interrupted: its end."""


async def run_for_user(
    session: Session, toolbox: Toolbox, command: str, on_output: Callable[[str], None]
) -> UserRan:
    """Run it to its end and record that. Raises ToolError when it cannot be started.

    When this is cancelled, the command is ended, and what it had printed is recorded.
    """
    end = ""

    def take(text: str) -> None:
        nonlocal end
        end = (end + text)[-_KEPT:]
        on_output(text)

    try:
        finished = await toolbox.processes.run(command, cwd=toolbox.workspace.root, on_output=take)
    except asyncio.CancelledError:
        session.append(UserRan(command, end, interrupted=True))
        raise
    except (OSError, ValueError) as error:
        raise ToolError(f"the command could not be started: {error}") from error
    entry = UserRan(command, finished.output, finished.exit_code, finished.signal)
    session.append(entry)
    session.sync()
    return entry

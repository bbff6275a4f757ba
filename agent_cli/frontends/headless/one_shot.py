"""A one-shot run: one prompt, one ending, an exit status that tells the truth."""

import asyncio
from collections.abc import Awaitable, Callable

from agent_cli.engine.outcomes import EXIT_STATUS, Verdict
from agent_cli.engine.steps import Awaiting
from agent_cli.engine.task import State
from agent_cli.engine.verdict import verdict
from agent_cli.frontends.headless.registry import Ending, Output
from agent_cli.frontends.messages import (
    budget_message,
    ending_message,
    hook_message,
    provider_verdict,
)
from agent_cli.frontends.stopping import VERDICTS, stopping
from agent_cli.types.errors import HookError, JournalError, ProviderError


async def one_shot(
    work: Callable[[], Awaitable[Awaiting]], state: Callable[[], State], output: Output
) -> int:
    """Do the work, tell the output how it ended, return the exit status."""
    task = asyncio.ensure_future(work())
    with stopping(task, list(VERDICTS)) as received:
        try:
            awaiting = await task
            found = verdict(state(), awaiting)
            limit = state().task.limit
            message = ending_message(found) if limit is None else budget_message(limit)
        except asyncio.CancelledError:
            found = received[0] if received else Verdict.INTERRUPTED
            message = ending_message(found)
        except ProviderError as error:
            found = provider_verdict(error)
            message = ending_message(found, str(error))
        except HookError as error:
            found, message = Verdict.DENIED, hook_message(error)
        except JournalError as error:
            found, message = Verdict.CONFIGURATION, str(error)  # a full disk, say
    ending = Ending(found, EXIT_STATUS[found], message)
    output.finish(state(), ending)
    return ending.exit_status

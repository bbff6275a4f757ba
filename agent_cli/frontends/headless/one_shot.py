"""A one-shot run: one prompt, one ending, an exit status that tells the truth."""

import asyncio
import signal
from collections.abc import Awaitable, Callable

from agent_cli.engine.outcomes import EXIT_STATUS, Verdict
from agent_cli.engine.steps import Awaiting
from agent_cli.engine.task import State
from agent_cli.engine.verdict import verdict
from agent_cli.frontends.headless.registry import Ending, Output
from agent_cli.frontends.messages import ending_message, provider_verdict
from agent_cli.types.errors import JournalError, ProviderError

_SIGNALS = {
    signal.SIGINT: Verdict.INTERRUPTED,
    signal.SIGTERM: Verdict.TERMINATED,
    signal.SIGHUP: Verdict.TERMINATED,
}


async def one_shot(
    work: Callable[[], Awaitable[Awaiting]], state: Callable[[], State], output: Output
) -> int:
    """Do the work, tell the output how it ended, return the exit status."""
    received: list[Verdict] = []
    task = asyncio.ensure_future(work())
    loop = asyncio.get_running_loop()
    for number, meaning in _SIGNALS.items():
        loop.add_signal_handler(number, _stop, task, received, meaning)
    try:
        awaiting = await task
        found, message = verdict(state(), awaiting), ""
    except asyncio.CancelledError:
        found, message = received[0] if received else Verdict.INTERRUPTED, ""
    except ProviderError as error:
        found, message = provider_verdict(error), str(error)
    except JournalError as error:
        found, message = Verdict.BUG, str(error)
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
    ending = Ending(found, EXIT_STATUS[found], ending_message(found, message))
    output.finish(state(), ending)
    return ending.exit_status


def _stop(task: "asyncio.Future[Awaiting]", received: list[Verdict], meaning: Verdict) -> None:
    received.append(meaning)
    task.cancel()

"""What the model is told of a command: how it ended, what it printed, whether it still runs."""

import signal

from agent_cli.processes.run import Finished, Glimpse


def status(finished: Finished) -> str:
    if finished.signal is not None:
        try:
            name = f" ({signal.Signals(finished.signal).name})"
        except ValueError:  # a real-time signal has no name
            name = ""
        return f"It was ended by signal {finished.signal}{name}, not by itself."
    note = " (not successful)" if finished.exit_code else ""
    return f"Exit code: {finished.exit_code}{note}"


def output(finished: Finished) -> str:
    if not finished.output:
        return "There was no output."
    return f"Output:\n{finished.output}{_whole(finished.spilled)}"


def glimpse(process_id: str, seen: Glimpse) -> str:
    """Tell of a command in the background since the last look at it."""
    printed = "There was no new output."
    if seen.output:
        printed = f"New output:\n{seen.output}{_whole(seen.spilled)}"
    after = f"{seen.seconds:.1f} seconds"
    if seen.finished is None:
        state = f"still runs after {after}, with process_id {process_id!r}."
    elif seen.finished.timed_out:
        state = f"was ended after {after}, with everything that it had started."
    else:
        state = f"ended after {after}.\n{status(seen.finished)}"
    return f"The command {seen.command!r} {state}\n{printed}"


def _whole(path: str | None) -> str:
    return f"\nThe whole output is in {path!r}." if path else ""

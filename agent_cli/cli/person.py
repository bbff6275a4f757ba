"""The way to a session with a person, which is imported only for one."""

from agent_cli.cli.work import Run


def with_a_person(run: Run, *, once: bool = False) -> int:
    """Work with the person at the terminal; return the exit status."""
    from agent_cli.cli.at_terminal import run_repl  # noqa: PLC0415 - 150 ms, for terminals only

    return run_repl(run, once=once)

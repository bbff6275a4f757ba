"""What only Linux can: to become the parent of every orphan below us, and to outlive nobody."""

import signal

_PR_SET_PDEATHSIG, _PR_SET_NAME, _PR_SET_CHILD_SUBREAPER = 1, 15, 36

DISMISSED = signal.SIGUSR2
"""Tells a keeper to end its run; SIGTERM would come from every `pkill`."""


def adopt_orphans() -> bool:
    """Become the parent of descendants that lose theirs; return whether that is so now."""
    return _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def end_with_parent() -> bool:
    """Be dismissed when our parent ends."""
    return _prctl(_PR_SET_PDEATHSIG, DISMISSED)


def take_name(name: bytes) -> bool:
    """Go by a name of our own: somebody's `pkill python` does not mean us."""
    return _prctl(_PR_SET_NAME, name)


def _prctl(option: int, argument: int | bytes) -> bool:
    try:
        import ctypes  # noqa: PLC0415 - not every Python has it

        done: int = ctypes.CDLL(None).prctl(option, argument, 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        return False
    return done == 0

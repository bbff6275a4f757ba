"""The operating system failing at the Nth call that a piece of code makes of it."""

import errno
import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

CHANGING = (
    "open", "write", "fsync", "fdatasync", "rename", "replace", "link", "unlink", "mkdir",
    "fchmod", "fchown", "setxattr", "ftruncate", "symlink", "flock",
)  # fmt: skip
LOOKING = ("fstat", "stat", "listdir", "listxattr", "getxattr")
ERRORS = {name: getattr(errno, name) for name in ("ENOSPC", "EIO", "EMFILE", "EACCES")}
Fault = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]
"""What happens instead of a call: gets the real function and what it was called with."""


def without_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let fsync return at once: that it is called, and fails, is tested; a disk takes its time."""
    look = os.fstat

    def fsync(descriptor: int) -> None:
        look(descriptor)  # it must be open all the same

    monkeypatch.setattr(os, "fsync", fsync)


class Nth:
    """Replaces the functions in `os`, and flock, so that the Nth call is the fault's."""

    def __init__(self, number: int, fault: Fault, names: tuple[str, ...]) -> None:
        self._left = number
        self._fault = fault
        self._names = names
        self.hit = ""
        """The function that was called as the Nth; empty while there was none."""
        self.counted = 0
        """How many calls there were."""

    @contextmanager
    def __call__(self) -> Iterator["Nth"]:
        places: list[tuple[Any, str]] = [
            (module, name)
            for name in self._names
            for module in (os, fcntl)
            if hasattr(module, name)
        ]
        real = [getattr(module, name) for module, name in places]
        for (module, name), function in zip(places, real, strict=True):
            setattr(module, name, self._counting(name, function))
        try:
            yield self
        finally:
            for (module, name), function in zip(places, real, strict=True):
                setattr(module, name, function)

    def _counting(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            self._left -= 1
            self.counted += 1
            if self._left:
                return function(*arguments, **named)
            self.hit = name
            return self._fault(function, arguments, named)

        return call


def failing(code: int) -> Fault:
    def fail(function: object, arguments: object, named: object) -> Any:
        raise OSError(code, os.strerror(code))

    return fail


def interrupting(function: Callable[..., Any], arguments: Any, named: Any) -> Any:
    """Do it, and then be told by a signal to stop."""
    function(*arguments, **named)
    raise KeyboardInterrupt


def short(function: Callable[..., Any], arguments: Any, named: Any) -> Any:
    """Write one byte only."""
    descriptor, data = arguments
    return function(descriptor, bytes(data)[:1])

"""Run part of a test as a user whom file permissions bind; root is not one."""

import os
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

NOBODY = 65534


def as_ordinary_user(act: Callable[[], None]) -> None:
    """Call it in a child process as `nobody`; whatever it raises fails the test."""
    if os.geteuid() != 0:
        act()
        return
    with warnings.catch_warnings():
        # Python 3.12 warns of fork in a process with threads; the child only runs the test.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            act()
            status = 0
        except BaseException:  # noqa: BLE001 - the child must never return into pytest
            traceback.print_exc()
        finally:
            os._exit(status)
    _, ended = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(ended) != 0:
        pytest.fail("the ordinary user saw something else; the traceback is above")


def open_the_way(path: Path) -> None:
    """Let every user pass through the test's directories down to this one, and list it."""
    ours = ("pytest-", "popen-", "test_")
    for folder in (path, *path.parents):
        if folder.stat().st_uid == os.geteuid() and folder.name.startswith(ours):
            folder.chmod(folder.stat().st_mode | 0o055)
    path.chmod(path.stat().st_mode | 0o055)

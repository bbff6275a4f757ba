"""Standard streams that can be used, whatever we were started with."""

import os
import sys

_MODES = {"stdin": "r", "stdout": "w", "stderr": "w"}


def prepare() -> None:
    """Open what was closed, and let nothing that is shown fail for its encoding.

    A closed stream's number would be given to the next file that is opened: to the session's.
    """
    for name, mode in _MODES.items():
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, open(descriptor, mode, encoding="utf-8"))  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")

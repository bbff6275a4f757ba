"""Linux's openat2: a whole path opened in one call that fails at the first link in it.

Up to five times as fast as opening one directory after the other, with the same promise. It is
missing before Linux 5.6, behind some filters of system calls and on other systems.
"""

import functools
import os
import struct
import sys
from collections.abc import Callable

_NUMBER = 437
"""Of the system call, on every architecture that we know of."""
_AT_FDCWD = -100
_NO_MAGICLINKS = 0x02
_NO_SYMLINKS = 0x04


def open_without_links(path: str, flags: int) -> int | None:
    """Open an absolute path; None if that fails or cannot be done: the slow way says why.

    RESOLVE_BENEATH would say nothing: a path without `..` and links lies beneath the root.
    """
    call = _call()
    if call is None:
        return None
    how = struct.pack("=QQQ", flags, 0, _NO_SYMLINKS | _NO_MAGICLINKS)
    descriptor = call(_NUMBER, _AT_FDCWD, os.fsencode(path), how, len(how))
    return descriptor if descriptor >= 0 else None


@functools.cache
def _call() -> Callable[..., int] | None:
    if sys.platform != "linux":
        return None
    try:
        import ctypes  # noqa: PLC0415 - not every Python has it

        call = ctypes.CDLL(None).syscall
    except (ImportError, OSError, AttributeError):
        return None
    call.restype = ctypes.c_long
    call.argtypes = (
        ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t,
    )  # fmt: skip
    return call

"""Landlock by system calls: a program that gives up writing, then becomes another.

Run as a script of its own, so it imports the standard library alone. Constants and structures are
those of `linux/landlock.h`; what the kernel is too old for is left out.
"""

import os
import struct
import sys
from collections.abc import Sequence

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION, _PATH_BENEATH = 1, 1
_PR_SET_NO_NEW_PRIVS = 38

_WRITE_FILE, _TRUNCATE = 1 << 1, 1 << 14
_CHANGING = sum(1 << bit for bit in range(4, 13)) | _WRITE_FILE
"""Write, remove and make files of every kind; reading and executing are left alone."""
_DEVICE_NODES = 1 << 6 | 1 << 11
"""Nobody makes these: root could write to a disk through one of its own."""
_REFER = 1 << 13
_TCP = 0b11
_ABSTRACT_SOCKETS, _SIGNALS = 0b01, 0b10
"""Scopes: what is in the same domain is reached, and nothing else."""
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/random", "/dev/urandom")
_WITH_REFER, _WITH_TRUNCATE, _WITH_NETWORK, _WITH_SCOPES = 2, 3, 4, 6
_KEPT_BY_ROOT = 1 << 0 | 1 << 1 | 1 << 3
"""Capabilities to change owners, to write what others own, and to change its mode."""
_OURSELVES = struct.pack("=Ii", 0x20080522, 0)
"""For capset(2): its version, and no other process."""


def version() -> int:
    """Return the kernel's version of Landlock, 0 where there is none."""
    if sys.platform != "linux":
        return 0
    return max(0, _call(_CREATE_RULESET, None, 0, _VERSION))


def command(python: str, writable: Sequence[str], network: bool) -> tuple[str, ...]:  # noqa: FBT001
    """Return the words before a program's own that confine it."""
    return (python, "-I", "-S", __file__, str(int(network)), str(len(writable)), *writable)


def restrict(writable: Sequence[str], *, network: bool) -> None:
    """Give up changing anything but what lies in these directories; raises OSError."""
    known = version()
    rights = _CHANGING
    rights |= _REFER if known >= _WITH_REFER else 0
    rights |= _TRUNCATE if known >= _WITH_TRUNCATE else 0
    scopes = _SIGNALS if network else _SIGNALS | _ABSTRACT_SOCKETS
    attributes = struct.pack("QQQ", rights, 0 if network else _TCP, scopes)
    size = 8 * (1 + (known >= _WITH_NETWORK) + (known >= _WITH_SCOPES))
    rules = _must(_CREATE_RULESET, attributes[:size], size, 0)
    for path in writable:
        _allow(rules, path, rights & ~_DEVICE_NODES)
    for path in filter(os.path.exists, _DEVICES):
        _allow(rules, path, rights & (_WRITE_FILE | _TRUNCATE))
    _prctl(_PR_SET_NO_NEW_PRIVS)
    if os.geteuid() == 0:
        _give_up_capabilities()
    _must(_RESTRICT_SELF, rules, 0)
    os.close(rules)


def main(words: list[str]) -> None:
    network, count, *rest = words
    writable, argv = rest[: int(count)], rest[int(count) :]
    try:
        restrict(writable, network=network == "1")
        os.execvp(argv[0], argv)  # noqa: S606 - what this program is for
    except OSError as error:
        sys.stderr.write(f"{argv[0]}: {error.strerror}\n")
        raise SystemExit(127 if isinstance(error, FileNotFoundError) else 126) from None


def _allow(rules: int, path: str, rights: int) -> None:
    folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        _must(_ADD_RULE, rules, _PATH_BENEATH, struct.pack("=Qi", rights, folder), 0)
    finally:
        os.close(folder)


def _must(number: int, *arguments: "int | bytes | None") -> int:
    done = _call(number, *arguments)
    if done < 0:
        raise OSError(-done, os.strerror(-done))
    return done


def _call(number: int, *arguments: "int | bytes | None") -> int:
    """Make a system call; return its result, or a negative error number."""
    try:
        import ctypes  # noqa: PLC0415 - not every Python has it
    except ImportError:
        return -1
    c = ctypes.CDLL(None, use_errno=True)
    words = [
        ctypes.c_long(one) if isinstance(one, int) else ctypes.c_char_p(one) for one in arguments
    ]
    done: int = c.syscall(ctypes.c_long(number), *words)
    return done if done >= 0 else -ctypes.get_errno()


def _give_up_capabilities() -> None:
    """Keep no more of root than writing needs; a program that is executed gets no others back."""
    import ctypes  # noqa: PLC0415 - as in `_call`

    sets = struct.pack("=6I", _KEPT_BY_ROOT, _KEPT_BY_ROOT, 0, 0, 0, 0)
    if ctypes.CDLL(None).capset(_OURSELVES, sets) != 0:
        raise OSError(1, "capabilities cannot be given up")


def _prctl(option: int) -> None:
    import ctypes  # noqa: PLC0415 - as in `_call`

    if ctypes.CDLL(None).prctl(option, 1, 0, 0, 0) != 0:
        raise OSError(1, "no_new_privs cannot be set")


if __name__ == "__main__":
    main(sys.argv[1:])

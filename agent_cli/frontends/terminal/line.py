"""One line from a terminal as it is: no editing of ours, no question to the terminal."""

import asyncio
import os

_PIECE = 4096


async def read_line(descriptor: int) -> str:
    """Return the line without its end; what there is of it when the input ends.

    The terminal's own line mode gives whole lines, so no second one is taken along.
    """
    line = b""
    while not line.endswith(b"\n"):
        await _readable(descriptor)
        try:
            piece = os.read(descriptor, _PIECE)
        except OSError:  # the terminal is gone
            break
        if not piece:
            break
        line += piece
    return line.decode("utf-8", "surrogateescape").removesuffix("\n").removesuffix("\r")


async def _readable(descriptor: int) -> None:
    loop = asyncio.get_running_loop()
    readable = asyncio.Event()
    loop.add_reader(descriptor, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(descriptor)

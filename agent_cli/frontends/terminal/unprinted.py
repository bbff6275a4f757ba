"""A streamed text of which only the end is to be seen, and only while it is written."""

_KEPT = 4000


class Unprinted:
    """Keeps the last lines, and gives away none of it."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._size = 0

    def feed(self, text: str) -> tuple[()]:
        self._pieces.append(text)
        self._size += len(text)
        if self._size > 2 * _KEPT:
            self._pieces = ["".join(self._pieces)[-_KEPT:]]
            self._size = _KEPT
        return ()

    @property
    def tail(self) -> str:
        return "".join(self._pieces)[-_KEPT:]

    def flush(self) -> tuple[()]:
        self._pieces, self._size = [], 0
        return ()

"""Pieces of tool calls to deltas, whatever the server does with ids, indices and names.

A call is begun once its name is known, and those before it have begun: calls stay in the order in
which the model made them. Arguments before that wait. Servers repeat ids and names on
every piece, leave out ids or indices, or give every call index 0, so a new call is known by a new
id, or, where there are no ids, by a name that comes again after arguments that are whole.
"""

from msgspec import Raw, Struct, field

from agent_cli.types.events import Delta, ToolCallBegin, ToolCallDelta, ToolCallEnd
from agent_cli.wire.openai_parts import arguments_text, is_object, kept_text


class FunctionPiece(Struct, gc=False):
    name: str | None = None
    arguments: object = None


class CallPiece(Struct, gc=False):
    index: int | None = None
    id: str | None = None
    function: FunctionPiece | None = None
    extra_content: Raw = Raw()


class _Call(Struct):
    place: int
    id: str
    name: str = ""
    pieces: list[str] = field(default_factory=list[str])
    begun: bool = False
    ended: bool = False
    opaque: str = ""


class Calls:
    """The calls of one stream."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._at: dict[int | None, _Call] = {}
        self._known: dict[tuple[int | None, str], _Call] = {}
        self._begun = 0

    def __len__(self) -> int:
        return len(self._calls)

    @property
    def characters(self) -> int:
        """How much the model has written of arguments."""
        return sum(len(piece) for call in self._calls for piece in call.pieces)

    def add(self, piece: CallPiece, deltas: list[Delta]) -> None:
        function = piece.function or FunctionPiece()
        text = arguments_text(function.arguments)
        call = self._find(piece)
        if call is None or _is_another(piece, function.name, text, call):
            if call is not None:
                _end(call, deltas)
            call = self._new(piece)
        if call.ended:
            return
        call.opaque = kept_text(piece.extra_content) or call.opaque
        if function.name and not call.name:
            call.name = function.name
            self._begin_named(deltas)
        if text:
            call.pieces.append(text)
            if call.begun:
                deltas.append(ToolCallDelta(call.place, text))

    def end(self, deltas: list[Delta], *, last_is_cut: bool) -> None:
        """End every call that is still open, but not the last one if the stream was cut in it."""
        for call in self._calls:
            if not call.begun and (call.name or call.id or call.pieces):
                _begin(call, deltas)  # nameless to the end: the model is told, not ignored
            if not (last_is_cut and call is self._calls[-1]):
                _end(call, deltas)

    def _begin_named(self, deltas: list[Delta]) -> None:
        while self._begun < len(self._calls) and self._calls[self._begun].name:
            _begin(self._calls[self._begun], deltas)
            self._begun += 1

    def _find(self, piece: CallPiece) -> _Call | None:
        if piece.id and (known := self._known.get((piece.index, piece.id))):
            return known
        if piece.index is None:
            return self._calls[-1] if self._calls else None
        return self._at.get(piece.index)

    def _new(self, piece: CallPiece) -> _Call:
        call = _Call(len(self._calls), piece.id or "")
        self._calls.append(call)
        self._at[piece.index] = call
        if piece.id:
            self._known[piece.index, piece.id] = call
        return call


def _is_another(piece: CallPiece, name: str | None, text: str, call: _Call) -> bool:
    if piece.id and call.id:
        return piece.id != call.id
    return bool(name and call.name and text.strip() and is_object("".join(call.pieces)))


def _begin(call: _Call, deltas: list[Delta]) -> None:
    call.begun = True
    deltas.append(ToolCallBegin(call.place, call.id, call.name, call.opaque))
    deltas += [ToolCallDelta(call.place, text) for text in call.pieces]
    if call.ended:
        deltas.append(ToolCallEnd(call.place, call.opaque))


def _end(call: _Call, deltas: list[Delta]) -> None:
    if call.begun and not call.ended:
        deltas.append(ToolCallEnd(call.place, call.opaque))
    call.ended = True

"""The calls of one Responses stream, each emitted once.

The same call is told several times: an item begins it, deltas and a `done` event bring its
arguments, and an item with everything ends it. The deltas are believed; only if none came is what
the other events say used. Deltas name no call id, and gateways vary item ids between events or
give every item the same output index, so a call is found by whichever of these is known.
"""

from msgspec import Struct, field

from agent_cli.types.events import Delta, ToolCallBegin, ToolCallDelta, ToolCallEnd
from agent_cli.wire.openai_parts import arguments_text
from agent_cli.wire.openai_responses.items import Item


class _Call(Struct):
    place: int
    id: str = ""
    opaque: str = ""
    pieces: list[str] = field(default_factory=list[str])
    whole: str = ""
    """The arguments as events other than deltas tell them."""
    begun: bool = False
    cut: bool = False
    ended: bool = False


class Calls:
    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._at: dict[int | str | None, _Call] = {}
        """By output index and by item id, the latest."""

    def __len__(self) -> int:
        return len(self._calls)

    @property
    def characters(self) -> int:
        """How much the model has written of arguments."""
        return sum(len(piece) for call in self._calls for piece in call.pieces)

    def add_item(self, item: Item, index: int | None, deltas: list[Delta], *, done: bool) -> None:
        call = self._of_item(item, index)
        if call.ended:
            return
        call.id = call.id or item.call
        call.opaque = item.id or call.opaque
        call.whole = arguments_text(item.arguments) or call.whole
        if item.name and not call.begun:
            _begin(call, item.name, deltas)
        call.cut = item.status == "incomplete"
        if done and not call.cut:
            _end(call, deltas)

    def add_piece(
        self, text: str, index: int | None, item_id: str | None, deltas: list[Delta]
    ) -> None:
        call = self._of_event(index, item_id)
        if call.ended:
            return
        call.pieces.append(text)
        if call.begun:
            deltas.append(ToolCallDelta(call.place, text))

    def tell(self, arguments: str, index: int | None, item_id: str | None) -> None:
        """Take the arguments as the event after the last delta tells them."""
        self._of_event(index, item_id).whole = arguments

    def end(self, deltas: list[Delta], *, last_is_cut: bool) -> None:
        """End every call that is still open, but not the last one if the stream was cut in it."""
        for call in self._calls:
            call.cut = call.cut or (last_is_cut and call is self._calls[-1])
            _end(call, deltas)

    def _of_item(self, item: Item, index: int | None) -> _Call:
        for call in self._calls:
            if item.call and call.id == item.call:
                return call
        known = self._at.get(index) or self._at.get(item.id)
        if known is None or (known.id and item.call):
            known = self._new()
        return self._found(known, index, item.id)

    def _of_event(self, index: int | None, item_id: str | None) -> _Call:
        known = self._at.get(index) or self._at.get(item_id)
        if known is None and index is None and self._calls:
            known = self._calls[-1]
        return self._found(known or self._new(), index, item_id)

    def _new(self) -> _Call:
        call = _Call(len(self._calls))
        self._calls.append(call)
        return call

    def _found(self, call: _Call, index: int | None, item_id: str | None) -> _Call:
        if index is not None:
            self._at[index] = call
        if item_id:
            self._at[item_id] = call
        return call


def _begin(call: _Call, name: str, deltas: list[Delta]) -> None:
    call.begun = True
    deltas.append(ToolCallBegin(call.place, call.id, name, call.opaque))
    deltas += [ToolCallDelta(call.place, text) for text in call.pieces]


def _end(call: _Call, deltas: list[Delta]) -> None:
    if call.ended:
        return
    if not call.begun:
        _begin(call, "", deltas)  # nameless to the end: the model is told, not ignored
    if call.whole and not call.pieces:
        call.pieces.append(call.whole)
        deltas.append(ToolCallDelta(call.place, call.whole))
    if not call.cut:
        call.ended = True
        deltas.append(ToolCallEnd(call.place, call.opaque))

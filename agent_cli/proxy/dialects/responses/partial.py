"""What a client was shown of a response: a response that fails lists it, as far as it came."""

from typing import Any

from agent_cli.proxy.dialects.shapes import mapping, words

_SAID = {
    "response.output_text.delta": ("output_text", "text"),
    "response.refusal.delta": ("refusal", "refusal"),
}


class Partial:
    """Grows with the events that go out; calls that were not finished are none."""

    def __init__(self) -> None:
        self._whole: dict[int, dict[str, Any]] = {}
        self._begun: dict[int, dict[str, Any]] = {}
        self._pieces: dict[tuple[int, int, str], list[str]] = {}

    def note(self, place: int, event: dict[str, Any]) -> None:
        kind = words(event.get("type"))
        if kind in _SAID:
            key = (place, _number(event.get("content_index")), kind)
            self._pieces.setdefault(key, []).append(words(event.get("delta")))
        elif kind == "response.output_item.added":
            self._begun[place] = mapping(event.get("item"))
        elif kind == "response.output_item.done":
            self._whole[place] = mapping(event.get("item"))

    def output(self) -> list[dict[str, Any]]:
        """Return the items in their order, with what was said of a message that goes on."""
        made = dict(self._whole)
        for place, item in self._begun.items():
            if place not in made and item.get("type") == "message":
                made[place] = {**item, "status": "incomplete", "content": self._said(place)}
        return [made[place] for place in sorted(made)]

    def _said(self, place: int) -> list[dict[str, Any]]:
        parts: list[dict[str, Any]] = []
        for (at, _, kind), pieces in sorted(self._pieces.items()):
            if at == place:
                name, member = _SAID[kind]
                parts.append({"type": name, member: "".join(pieces)})
                if name == "output_text":
                    parts[-1]["annotations"] = []
        return parts


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0

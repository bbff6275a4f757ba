"""Turns of a conversation in no wire's words; each wire's module writes them in its own.

`CONVERSATIONS` covers every turn after every other. `RICH` are orders of the turns that together
hold everything a mutation may need.
"""

import json
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple, TypeAlias

Json: TypeAlias = dict[str, Any]
Mutation: TypeAlias = tuple[str, str, Callable[[Json], object]]
"""The rule, a phrase of the complaint, and what breaks the rule in a request."""
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


class Step(NamedTuple):
    """One message of the assistant, with the results of its calls."""

    text: str = ""
    calls: int = 0
    reasoned: bool = False
    result: str = "text"
    """`text`, `empty`, `error` or `image`."""


END = Step("That is all.")
TURNS: dict[str, tuple[Step, ...]] = {
    "talk": (END,),
    "reasoned talk": (Step("I thought so.", reasoned=True),),
    "one call": (Step(calls=1), END),
    "two calls": (Step(calls=2), END),
    "many calls": (Step(calls=12), END),
    "said and called": (Step("I look.", calls=1), END),
    "reasoned call": (Step(calls=1, reasoned=True), END),
    "reasoned pair": (Step("I look twice.", calls=2, reasoned=True), END),
    "three rounds": (Step(calls=1), Step("More.", calls=2), Step(calls=1, reasoned=True), END),
    "failed call": (Step(calls=2, result="error"), END),
    "empty result": (Step(calls=1, result="empty"), END),
    "image result": (Step(calls=1, result="image"), END),
}
CONVERSATIONS = [(name,) for name in TURNS] + list(product(TURNS, repeat=2))
RICH = [
    ("reasoned pair", "said and called", "image result", "failed call", "many calls"),
    ("many calls", "reasoned pair", "failed call", "said and called", "image result"),
    ("image result", "failed call", "talk", "reasoned pair", "said and called", "many calls"),
    (
        "said and called",
        "image result",
        "many calls",
        "three rounds",
        "reasoned pair",
        "failed call",
    ),
    (
        "failed call",
        "many calls",
        "said and called",
        "empty result",
        "image result",
        "reasoned pair",
    ),
]


def steps(names: tuple[str, ...]) -> Iterator[tuple[str, tuple[Step, ...]]]:
    """What the user says at each turn, and what follows."""
    for place, name in enumerate(names):
        yield f"Request {place}: {name}.", TURNS[name]


def unshared(request: Json) -> Json:
    """A copy in which no value occurs twice, so that a change in one place is only there."""
    copied: Json = json.loads(json.dumps(request))
    return copied


def swap(items: list[Any], one: int, other: int) -> None:
    items[one], items[other] = items[other], items[one]

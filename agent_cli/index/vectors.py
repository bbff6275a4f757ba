"""Vectors of texts: kept small, compared fast, and ranked together with matches of words.

A vector is kept as a byte a number and, for a first look, as a bit a number: the cosine does not
mind the scale. Rankings are joined by their places alone (reciprocal rank fusion), for a cosine
and a count of words have no measure in common.
"""

import heapq
from array import array
from collections.abc import Callable, Iterable, Sequence
from math import sqrt
from operator import mul

_STEPS = 127
_LOOKED_AT = 400
"""Vectors that are compared in full."""
LEAST = 0.25
"""A cosine below it says nothing."""
_CONSTANT = 60
"""Of reciprocal rank fusion: how little the first places stand out."""


def packed(vector: Sequence[float]) -> tuple[bytes, bytes]:
    """Return signs and bytes of a vector of finite numbers."""
    scale = _STEPS / (max(map(abs, vector)) or 1.0)
    numbers = array("b", [round(number * scale) for number in vector])
    return _signs(numbers), numbers.tobytes()


def nearest(
    question: Sequence[float],
    signs: Iterable[tuple[bytes, bytes]],
    vector_of: Callable[[bytes], bytes],
) -> list[tuple[bytes, float]]:
    """Return hash and cosine of the texts nearest to the question, the nearest first.

    Those whose vectors have another length were made by something else, and are left out.
    """
    own_signs, own = packed(question)
    bits = int.from_bytes(own_signs, "little")
    first = heapq.nsmallest(
        _LOOKED_AT,
        (
            ((bits ^ int.from_bytes(others, "little")).bit_count(), hash_)
            for hash_, others in signs
            if len(others) == len(own_signs)
        ),
    )
    compared = ((hash_, _cosine(own, vector_of(hash_))) for _, hash_ in first)
    return sorted((one for one in compared if one[1] >= LEAST), key=lambda one: -one[1])


def fused(*rankings: Sequence[bytes]) -> dict[bytes, float]:
    """Return a score for everything that is in a ranking, the best first; the best has 1."""
    scores: dict[bytes, float] = {}
    for ranking in rankings:
        for place, one in enumerate(dict.fromkeys(ranking), 1):
            scores[one] = scores.get(one, 0.0) + 1 / (_CONSTANT + place)
    best = max(scores.values(), default=1.0)
    return {one: scores[one] / best for one in sorted(scores, key=lambda one: -scores[one])}


def _signs(numbers: "array[int]") -> bytes:
    text = "".join("1" if number > 0 else "0" for number in numbers)
    return int(text, 2).to_bytes((len(numbers) + 7) // 8, "little")


def _cosine(one: bytes, other: bytes) -> float:
    if len(one) != len(other):
        return 0.0
    left, right = memoryview(one).cast("b"), memoryview(other).cast("b")
    lengths = sqrt(sum(map(mul, left, left)) * sum(map(mul, right, right)))
    return sum(map(mul, left, right)) / lengths if lengths else 0.0

"""Vectors: small as they are kept, they still say what is near."""

from math import sqrt

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agent_cli.index.vectors import LEAST, fused, nearest, packed

NUMBERS = st.lists(st.floats(-1, 1), min_size=8, max_size=8)


def cosine(one: list[float], other: list[float]) -> float:
    product = sum(a * b for a, b in zip(one, other, strict=True))
    return product / sqrt(sum(a * a for a in one) * sum(b * b for b in other))


def near(question: list[float], *others: list[float]) -> list[tuple[bytes, float]]:
    kept = {bytes([place]): packed(other) for place, other in enumerate(others)}
    signs = [(hash_, signs) for hash_, (signs, _) in kept.items()]
    return nearest(question, signs, lambda hash_: kept[hash_][1])


@given(NUMBERS, NUMBERS)
def test_the_cosine_survives_the_packing(one: list[float], other: list[float]):
    assume(max(map(abs, one)) > 0.1 and max(map(abs, other)) > 0.1)
    expected = cosine(one, other)
    assume(abs(expected - LEAST) > 0.05)
    found = near(one, other)
    assert bool(found) == (expected > LEAST)
    assert all(score == pytest.approx(expected, abs=0.05) for _, score in found)


def test_the_nearest_come_first_and_the_far_not_at_all():
    found = near([1, 0.1, 0], [0, 1, 0], [1, 1, 0], [2, 0.2, 0.1], [-1, 0, 0])
    assert [hash_ for hash_, _ in found] == [b"\x02", b"\x01"]


@pytest.mark.parametrize("other", [[1.0] * 4, [1.0] * 9, [0.0] * 3])
def test_what_cannot_be_compared_is_left_out(other: list[float]):
    assert near([1.0] * 3, other) == []


def test_the_first_of_both_rankings_is_the_best():
    scores = fused([b"a", b"b", b"c"], [b"b", b"d"])
    assert list(scores) == [b"b", b"a", b"d", b"c"]
    assert scores[b"b"] == 1.0
    assert fused([], []) == {}


@given(st.lists(st.binary(max_size=1), unique=True))
def test_one_ranking_alone_keeps_its_order(ranking: list[bytes]):
    assert list(fused(ranking)) == ranking

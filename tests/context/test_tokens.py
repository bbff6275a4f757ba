"""Estimates of tokens, and what is learnt from reports."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.context.tokens import Calibration, estimate
from agent_cli.types.usage import Usage


@pytest.mark.parametrize(("size", "tokens"), [(0, 0), (1, 1), (4, 1), (5, 2), (4000, 1000)])
def test_four_bytes_are_a_token(size, tokens):
    assert estimate(size) == tokens
    assert Calibration().tokens(size) == tokens


def test_the_first_report_counts_in_full_and_later_ones_by_half():
    first = Calibration().after(4000, Usage(input_tokens=1500))
    assert first.tokens(4000) == 1500
    assert first.after(4000, Usage(input_tokens=500)).tokens(4000) == 1000


IGNORED = [
    pytest.param(4000, Usage(input_tokens=9, estimated=True), id="our own estimate"),
    pytest.param(4000, Usage(), id="nothing reported"),
    pytest.param(0, Usage(input_tokens=9), id="nothing sent"),
]


@pytest.mark.parametrize(("size", "usage"), IGNORED)
def test_what_says_nothing_is_ignored(size, usage):
    calibration = Calibration(1.2, observed=True)
    assert calibration.after(size, usage) is calibration


@given(st.lists(st.tuples(st.integers(0, 10**7), st.integers(0, 10**7)), max_size=20))
def test_no_report_makes_estimates_absurd(reports):
    calibration = Calibration()
    for size, tokens in reports:
        calibration = calibration.after(size, Usage(input_tokens=tokens))
    assert 0.25 <= calibration.factor <= 4.0


@given(st.floats(0.25, 4.0), st.integers(1, 10**6))
def test_equal_reports_are_approached(ratio, size):
    calibration = Calibration(1.0, observed=True)
    tokens = max(1, round(estimate(size) * ratio))
    for _ in range(40):
        calibration = calibration.after(size, Usage(input_tokens=tokens))
    expected = min(max(tokens / estimate(size), 0.25), 4.0)
    assert calibration.factor == pytest.approx(expected)

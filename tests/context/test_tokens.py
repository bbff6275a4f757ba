"""Estimates of tokens, and what is learnt from reports."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.context.tokens import IMAGE, NUDGE, Calibration, Window, estimate, message_size, size
from agent_cli.types.messages import (
    AssistantMessage,
    Image,
    NudgeMessage,
    Reasoning,
    Recorded,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agent_cli.types.outcomes import Nudge, Outcome
from agent_cli.types.requests import ModelRequest, ToolSpec
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
    for sent, tokens in reports:
        calibration = calibration.after(sent, Usage(input_tokens=tokens))
    assert 0.25 <= calibration.factor <= 4.0


@given(st.floats(0.25, 4.0), st.integers(1, 10**6))
def test_equal_reports_are_approached(ratio, size):
    calibration = Calibration(1.0, observed=True)
    tokens = max(1, round(estimate(size) * ratio))
    for _ in range(40):
        calibration = calibration.after(size, Usage(input_tokens=tokens))
    expected = min(max(tokens / estimate(size), 0.25), 4.0)
    assert calibration.factor == pytest.approx(expected)


PICTURE = Image("image/png", "aGk=")
MESSAGES: list[tuple[Recorded, int]] = [
    (UserMessage("four", (PICTURE,)), 4 + IMAGE),
    (ToolResult("c", Outcome.OK, content="four", images=(PICTURE, PICTURE)), 4 + 2 * IMAGE),
    (AssistantMessage((Text("four"), Reasoning("hm", "xx"), ToolCall("c", "ls", "{}"))), 12),
    (NudgeMessage(Nudge.ROLLED_BACK, "four"), NUDGE + 4),
]


@pytest.mark.parametrize(("message", "expected"), MESSAGES)
def test_what_a_message_holds_is_counted(message: Recorded, expected: int):
    assert message_size(message) == expected


def test_a_request_is_its_prompt_its_tools_and_its_messages():
    tool = ToolSpec("name", "Reads.", msgspec.Raw(b"{}"))
    assert size(ModelRequest("m", "be", (UserMessage("four"),), (tool,))) == 2 + 8 + 4


WINDOWS = {
    "nobody knows": (Window(), None),
    "a share": (Window(200_000, 8_000, 0.5), 100_000),
    "room for the answer": (Window(200_000, 64_000), 136_000),
    "an answer of unknown length": (Window(20_000), 20_000 - 8192),
    "an answer as long as the window": (Window(32_000, 32_000), 16_000),
}


@pytest.mark.parametrize(("window", "full"), WINDOWS.values(), ids=WINDOWS)
def test_a_window_is_full_before_it_overflows(window: Window, full: int | None):
    assert window.full == full

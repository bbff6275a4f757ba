"""Traps of the specification that concern a single call, in a session of this process."""

from pathlib import Path

import pytest
from testbed.scenario import Scenario
from testbed.succeeding import SUCCEEDING
from testbed.whole_session import play

from agent_cli.tools.registry import built_in
from agent_cli.types.effects import Kind
from agent_cli.types.messages import AssistantMessage, StopReason, Text, ToolCall
from agent_cli.types.outcomes import Code, Outcome
from agent_cli.wire import anthropic_messages, openai_chat, openai_responses
from agent_cli.wire.accumulate import Accumulator
from agent_cli.wire.codec import Codec

FINISHED = (Outcome.OK, Code.FINISHED)


@pytest.mark.trap("T-15")
@pytest.mark.parametrize("protocol", ["native", "xml"])
def test_t15_a_comment_on_an_approval_comes_with_the_output(
    protocol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    scenario = Scenario({"command": "echo hello"}, asks=True, comment="but gently")
    played = play("execute_command", scenario, tmp_path, monkeypatch, xml=protocol == "xml")
    content = played.results[0].content
    assert content.index("but gently") < content.index("hello")
    assert [(one.outcome, one.code) for one in played.results] == [(Outcome.OK, None), FINISHED]


WRITERS = [
    name
    for name, tool in built_in().items()
    if any(effect.kind is Kind.WRITE for effect in tool.touches)
]


@pytest.mark.trap("T-25")
@pytest.mark.parametrize("tool", WRITERS)
def test_t25_a_mode_that_may_write_some_files_writes_no_others(
    tool: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    known = SUCCEEDING[tool]
    scenario = Scenario(known.args, settings=known.settings, mode="architect")
    played = play(tool, scenario, tmp_path, monkeypatch, xml=False)
    result = played.results[0]
    assert (result.outcome, result.code) == (Outcome.FAILED, Code.FORBIDDEN)
    assert "in mode architect" in result.content
    assert not (tmp_path / "project/a.png").exists()
    assert (tmp_path / "project/a.txt").read_text() == "one\ntwo\none\n"


def said(name: str) -> AssistantMessage:
    call = ToolCall(f"call_{name}", "read_file", f'{{"files":[{{"path":"{name}"}}]}}')
    return AssistantMessage((Text(f"I read {name}."), call), StopReason.CALLS)


@pytest.mark.trap("T-27")
@pytest.mark.parametrize(
    "codec",
    [anthropic_messages, openai_chat, openai_responses],
    ids=["anthropic_messages", "openai_chat", "openai_responses"],
)
def test_t27_two_streams_at_once_do_not_mix(codec: Codec):
    messages = [said("one"), said("two")]
    streams = [list(codec.encode_stream(message, "m")) for message in messages]
    decoders = [codec.decoder() for _ in messages]
    heard = [Accumulator(frozenset()) for _ in messages]
    for frames in zip(*streams, strict=True):
        for frame, decoder, accumulator in zip(frames, decoders, heard, strict=True):
            for delta in decoder.decode(frame):
                accumulator.add(delta)
    assert [one.message().text for one in heard] == [one.text for one in messages]
    assert [[call.arguments for call in one.message().calls] for one in heard] == [
        [call.arguments for call in one.calls] for one in messages
    ]

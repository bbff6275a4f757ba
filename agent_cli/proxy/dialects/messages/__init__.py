"""Messages, as the proxy reads and writes it."""

from agent_cli.proxy.dialects.messages.history import (
    answered,
    canonical,
    elided,
    joined,
    merged_results,
    said,
    stretches,
)
from agent_cli.proxy.dialects.messages.marks import marked
from agent_cli.proxy.dialects.messages.reasoning import seals, settled, without
from agent_cli.proxy.dialects.messages.replay import replay, worded
from agent_cli.proxy.dialects.messages.reply import cleaned, compose, error_body, read
from agent_cli.proxy.dialects.messages.request import (
    allowing,
    asking,
    choice,
    client_names,
    history,
    offering,
    with_choice,
    with_history,
)
from agent_cli.proxy.dialects.messages.stream import stream

NAME: str = "anthropic_messages"
PATH: str = "/messages"

__all__ = [
    "NAME", "PATH", "allowing", "answered", "asking", "canonical", "choice", "cleaned",
    "client_names", "compose", "elided", "error_body", "history", "joined", "marked",
    "merged_results", "offering", "read", "replay", "said", "seals", "settled", "stream",
    "stretches", "with_choice", "with_history", "without", "worded",
]  # fmt: skip

"""Chat Completions, as the proxy reads and writes it."""

from agent_cli.proxy.dialects.chat.history import (
    answered,
    canonical,
    elided,
    joined,
    marked,
    merged_results,
    said,
    stretches,
)
from agent_cli.proxy.dialects.chat.reasoning import seals, settled, without
from agent_cli.proxy.dialects.chat.replay import replay, worded
from agent_cli.proxy.dialects.chat.reply import cleaned, compose, error_body, read
from agent_cli.proxy.dialects.chat.request import (
    allowing,
    asking,
    choice,
    client_names,
    history,
    offering,
    with_choice,
    with_history,
)
from agent_cli.proxy.dialects.chat.stream import stream

NAME: str = "openai_chat"
PATH: str = "/chat/completions"

__all__ = [
    "NAME", "PATH", "allowing", "answered", "asking", "canonical", "choice", "cleaned",
    "client_names", "compose", "elided", "error_body", "history", "joined", "marked",
    "merged_results", "offering", "read", "replay", "said", "seals", "settled", "stream",
    "stretches", "with_choice", "with_history", "without", "worded",
]  # fmt: skip

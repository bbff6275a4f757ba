"""Tokens for the proxy, and what they say in headers."""

from hashlib import sha256
from typing import Any

from agent_cli.proxy.config import Token
from agent_cli.proxy.spending import Budget, Price

ALICE = {"authorization": "Bearer moonlight-over-alice"}
BOB = {"authorization": "Bearer moonlight-over-bobby"}
PRICES = {"m": Price(2.0, 10.0, 0.5, 4.0)}
"""Of the model that all clients ask for."""


def budgeted(**amounts: Any) -> dict[str, Any]:
    """Parts of a configuration in which Alice has a budget, and Bob has none."""
    digest = {
        name: sha256(headers["authorization"].partition(" ")[2].encode()).hexdigest()
        for name, headers in (("alice", ALICE), ("bob", BOB))
    }
    budget = Budget(**amounts) if amounts else None
    tokens = {
        "alice": Token(sha256=digest["alice"], budget=budget),
        "bob": Token(sha256=digest["bob"]),
    }
    return {"server": {"auth": "tokens"}, "tokens": tokens, "prices": PRICES}

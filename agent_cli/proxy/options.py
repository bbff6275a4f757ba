"""`[mediation]` of proxy.toml: how managed and native calls go together, and what a client sees."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from agent_cli.proxy.dialects.usage import Report
from agent_cli.proxy.mediation import Mixed, Rules, Unsafe


class Mediation(Struct, frozen=True, forbid_unknown_fields=True):
    mixed_policy: Mixed = Mixed.FORWARD
    unsafe_policy: Unsafe = Unsafe.ERROR
    retries: Annotated[int, Meta(ge=0, le=5)] = 1
    inject_when: Literal["client_has_tools", "always", "header"] = "client_has_tools"
    inject_on_none: bool = True
    """Offer managed tools where the client allows no call: the beginning stays the same."""
    extend_allowed_tools: bool = False
    """Add managed tools to those that the client allows, where it allows only some."""
    on_prefix_failure: Literal["forward", "resample"] = "forward"
    stop_prefix_on_error: bool = False
    """Make no managed call of a mixed reply after one that failed."""
    mixed_layout: Literal["auto", "split", "merged"] = "auto"
    """How later requests show a mixed reply to the model."""
    reserved_names: Literal["answer", "forward"] = "answer"
    """What becomes of a call that only looks like one of a server's tools."""
    terminal_text: str = "Done."
    n_policy: Literal["refuse", "bypass"] = "refuse"
    guidance_memory: bool = True
    usage: Report | None = None
    """Empty means by client: `context` for coding agents, `sum` for others."""
    schema_validation: bool = True
    keepalive_chat: Literal["comment", "empty_delta", "off"] = "comment"
    """What Chat Completions clients get while there is nothing to say; not all bear comments."""

    @property
    def rules(self) -> Rules:
        return Rules(self.mixed_policy, self.unsafe_policy, self.retries)

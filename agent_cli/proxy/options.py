"""`[mediation]` of proxy.toml: how managed and native calls go together, and what a client sees."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from agent_cli.proxy.dialects.turns import View
from agent_cli.proxy.dialects.usage import Report
from agent_cli.proxy.mediation import Mixed, Rules, Unsafe
from agent_cli.types.errors import ConfigurationError


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
    usage_extension: bool = False
    """Tell in `usage.agent_proxy` what each round has cost."""
    schema_validation: bool = True
    keepalive_chat: Literal["comment", "empty_delta", "off"] = "comment"
    """What Chat Completions clients get while there is nothing to say; not all bear comments."""

    native_release: Literal["at_turn_end", "immediate"] = "at_turn_end"
    """When native calls pass; at once, a managed one after them can only end in an error."""
    thinking_stream: Literal["held", "live"] | None = None
    """Whether reasoning passes before it is known that its round is not hidden; empty means
    `live`, unless reasoning of hidden rounds is to be hidden."""
    hidden_reasoning: Literal["auto", "show", "hide"] = "auto"
    """Reasoning of hidden rounds; `auto` shows it where it is plain words."""
    round_text: Literal["all", "last"] = "all"
    """Whose words are shown; with `last`, none pass before the last round is known to be it."""
    done_after_error: bool = False
    """End a Chat Completions stream with [DONE] even after an error."""

    @property
    def rules(self) -> Rules:
        return Rules(self.mixed_policy, self.unsafe_policy, self.retries)

    def view(self, dialect: str) -> View:
        """Return what clients of the dialect get to see."""
        live = self.thinking_stream != "held" and self.hidden_reasoning != "hide"
        if dialect == "openai_chat":  # its reasoning is plain words, which nobody has to repeat
            live = self.hidden_reasoning != "hide"
        return View(
            native_at_once=self.native_release == "immediate",
            thoughts_at_once=live,
            hidden_thoughts=live or self.hidden_reasoning == "show",
            all_words=self.round_text == "all",
            done_after_error=self.done_after_error,
        )

    def check(self) -> None:
        """Raise ConfigurationError for options that contradict each other."""
        if self.thinking_stream == "live" and self.hidden_reasoning == "hide":
            raise ConfigurationError(
                "mediation.thinking_stream = 'live' shows reasoning that "
                "mediation.hidden_reasoning = 'hide' would withhold: give up one of them"
            )
        if self.native_release == "immediate" and self.unsafe_policy is not Unsafe.ERROR:
            raise ConfigurationError(
                f"mediation.unsafe_policy = {str(self.unsafe_policy)!r} takes calls back that "
                "mediation.native_release = 'immediate' has shown: give up one of them"
            )

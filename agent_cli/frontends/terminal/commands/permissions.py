"""`/permissions`: what runs without a question, what never does, and who said so."""

from collections.abc import Iterator

from rich.text import Text

from agent_cli.frontends.sanitiser import in_one_line
from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.i18n.catalog import say
from agent_cli.settings.load import load
from agent_cli.settings.schema import RuleLists
from agent_cli.types.approval import Decision
from agent_cli.types.errors import ConfigurationError


def run(here: Here, argument: str) -> Answer:
    policy, state, theme = here.agent.toolbox.policy, here.agent.session.state, here.theme
    shown = Text(say("approval mode {mode}", mode=state.approval), style=theme.strong)
    if policy.yolo:
        shown.append(f"\n{say('--yolo: nothing is asked; only deny rules hold')}", theme.warning)
    kinds = {
        "read": policy.read,
        "write": policy.write,
        "execute": policy.execute,
        "network": policy.network,
        "mcp": policy.mcp,
    }
    listed = ", ".join(f"{kind} {decision}" for kind, decision in kinds.items())
    shown.append(f"\n{say('by kind: {kinds}', kinds=listed)}")
    styles = {Decision.ALLOW: theme.ok, Decision.ASK: theme.warning, Decision.DENY: theme.error}
    for decision, rule, layer in _rules(here):
        shown.append(f"\n{decision:<6}", styles[decision]).append(in_one_line(rule))
        shown.append(f"  {layer}", theme.dim)
    return shown


def _rules(here: Here) -> Iterator[tuple[Decision, str, str]]:
    """Yield each rule with where it comes from; the strictest first."""
    policy, options = here.agent.toolbox.policy, here.outside.options
    own = _own(here)
    flags = {
        Decision.DENY: options.disallowed_tools,
        Decision.ASK: (),
        Decision.ALLOW: options.allowed_tools,
    }
    by_settings = {Decision.DENY: own.deny, Decision.ASK: own.ask, Decision.ALLOW: own.allow}
    ruled = {Decision.DENY: policy.deny, Decision.ASK: policy.ask, Decision.ALLOW: policy.allow}
    for decision, rules in ruled.items():
        for rule in rules:
            if rule in flags[decision]:
                layer = say("command line")
            elif rule in by_settings[decision]:
                layer = say("your settings")
            else:
                layer = say("this folder's settings")
            yield decision, rule, layer
    for rule in here.agent.session.state.granted:
        yield Decision.ALLOW, rule, say("granted in this session")


def _own(here: Here) -> RuleLists:
    """Return the rules that hold in every folder."""
    try:
        return load(here.outside.options.environ).approval.rules
    except ConfigurationError:  # it was changed since the session has begun
        return RuleLists()


COMMAND = Command(
    name="permissions",
    help="show what runs without a question, what never does, and why",
    run=run,
    while_working=True,
)

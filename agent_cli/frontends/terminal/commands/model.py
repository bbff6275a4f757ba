"""`/model`: which model is asked, which ones could be, and another one from now on."""

from difflib import get_close_matches

from agent_cli.frontends.sanitiser import in_one_line, visible
from agent_cli.frontends.terminal.commands.base import Answer, Command, Here, Outside
from agent_cli.i18n.catalog import say
from agent_cli.providers.known import known_models
from agent_cli.providers.registry import resolve
from agent_cli.settings.schema import ModelSettings
from agent_cli.types.errors import ConfigurationError
from agent_cli.types.requests import Protocol

_NEAR = 0.5


def run(here: Here, argument: str) -> Answer:
    if not argument:
        return _shown(here)
    if "/" not in argument and ":" not in argument:
        named = [name for name, _ in _askable(here.outside) if name.endswith(f"/{argument}")]
        if len(named) != 1:
            return _unknown(here, argument)
        argument = named[0]
    models = here.agent.models
    try:
        models.switch(argument)
    except ConfigurationError as error:
        return visible(str(error))
    told = [say("from here on {model} is asked", model=in_one_line(argument))]
    started = here.agent.session.state.session
    spoken = started.protocol if started else Protocol.NATIVE
    does_best = models.current.resolved.info.protocol
    if does_best is not spoken:
        told.append(
            say(
                "it calls tools best in the {best} protocol; this session goes on in {protocol}",
                best=does_best,
                protocol=spoken,
            )
        )
    return "\n".join(told)


def _shown(here: Here) -> str:
    current = here.agent.session.state.model
    askable = _askable(here.outside)
    width = max((len(name) for name, _ in askable), default=0)
    lines = [say("{model} is asked", model=in_one_line(current))]
    if askable:
        lines.append(say("/model NAME asks another one; of these the window and prices are known:"))
    for name, known in askable:
        mark = "*" if name == current else " "
        lines.append(f"{mark} {in_one_line(name):<{width}}  {_facts(known)}".rstrip())
    lines.append(say("any other name works as well: provider/name"))
    return "\n".join(lines)


def _facts(known: ModelSettings) -> str:
    facts: list[str] = []
    if known.context_window:
        facts.append(say("window {tokens:,}", tokens=known.context_window))
    if known.input_price is not None and known.output_price is not None:
        facts.append(f"${known.input_price:g} / ${known.output_price:g}")
    return "  ".join(facts)


def _unknown(here: Here, name: str) -> str:
    """Say that the name is not enough, with those that are meant perhaps."""
    names = [full for full, _ in _askable(here.outside)]
    short = {full.partition("/")[2]: full for full in names}
    near = [full for full in names if name in full]
    near += [short[one] for one in get_close_matches(name, short, cutoff=_NEAR)]
    told = say("{name} is no model: write provider/name", name=repr(name))
    if near:
        told = f"{told}\n" + say("like it: {names}", names=", ".join(dict.fromkeys(near)))
    return visible(told)


def _askable(outside: Outside) -> list[tuple[str, ModelSettings]]:
    """Return the known models whose provider could be asked now: there is a key, or none needed."""
    able: dict[str, bool] = {}
    found: list[tuple[str, ModelSettings]] = []
    for name, known in known_models(outside.settings):
        provider = name.partition("/")[0]
        if provider not in able:
            able[provider] = _can_be_asked(name, outside)
        if able[provider]:
            found.append((name, known))
    return found


def _can_be_asked(model: str, outside: Outside) -> bool:
    try:
        resolve(model, outside.settings, outside.options.environ)
    except ConfigurationError:
        return False
    return True


COMMAND = Command(
    name="model",
    help="show which model is asked and which could be, or ask another one",
    hint="[PROVIDER/NAME]",
    run=run,
    while_working=True,
    acts=True,
)

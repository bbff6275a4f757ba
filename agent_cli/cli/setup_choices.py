"""What can be chosen in `agent setup`: what was found here, then a key, then any server."""

import sys
from collections.abc import Callable, Mapping
from functools import partial
from getpass import getpass

import typer
from msgspec import Struct
from msgspec.structs import replace

from agent_cli.cli.local_servers import local_servers
from agent_cli.cli.model_choice import KEYS
from agent_cli.i18n.catalog import say
from agent_cli.providers.rows import ROWS
from agent_cli.settings.schema import ProviderSettings, Settings

_OWN = "AGENT_OWN_API_KEY"
"""The variable for which the key of an own server stands, if nobody names one."""


class Choice(Struct, frozen=True):
    """A model, and what has to be set for it."""

    provider: str
    model: str = ""
    """The provider's own name of it; empty to be chosen from its list."""
    variable: str = ""
    key: str = ""
    """To be kept; empty where the environment has it, or none is needed."""
    url: str = ""
    key_env: str = ""
    """To be named in the settings, where it is not one of the provider's own."""

    def with_model(self, model: str) -> "Choice":
        return replace(self, model=model)

    def settings(self) -> dict[tuple[str, ...], object]:
        """Return the settings that make it the model."""
        values: dict[tuple[str, ...], object] = {("model",): f"{self.provider}/{self.model}"}
        own = ("providers", self.provider)
        if self.url:
            values |= {(*own, "base_url"): self.url, (*own, "wire"): "openai_chat"}
        if self.key_env:
            values[(*own, "api_key_env")] = self.key_env
        return values

    def applied(self, settings: Settings) -> Settings:
        """Return the settings as they would be with the choice."""
        if not (self.url or self.key_env):
            return settings
        found = settings.providers.get(self.provider, ProviderSettings())
        if self.url:
            found = replace(found, base_url=self.url, wire="openai_chat")
        found = replace(found, api_key_env=self.key_env)
        return replace(settings, providers={**settings.providers, self.provider: found})


def choices(environ: Mapping[str, str]) -> list[tuple[str, Callable[[], Choice]]]:
    """Return a line for each, and what makes the choice of it; what is here already comes first."""
    offered: list[tuple[str, Callable[[], Choice]]] = []
    for server in local_servers(environ):
        names = ", ".join(server.models[:5]) or say("no model is loaded")
        line = say(
            "{name} on {place}: {models}", name=server.name, place=server.place, models=names
        )
        offered.append((line, partial(Choice, server.name)))
    for candidate in KEYS:
        if environ.get(candidate.variable):
            line = say(
                "{variable} is set: {model}", variable=candidate.variable, model=candidate.model
            )
            offered.append((line, partial(Choice, *candidate.model.split("/", 1))))
    hosted = [name for name, row in ROWS.items() if row.keys and row.sdk is None]
    offered.append((say("paste a key: {names}", names=", ".join(hosted)), lambda: _pasted(hosted)))
    offered.append((say("any server that speaks OpenAI's formats, by its URL"), _elsewhere))
    return offered


def own_server(name: str, url: str, variable: str, key: str, model: str) -> Choice:
    """Return the choice of a server that is not among those known."""
    if not url.startswith(("http://", "https://")):
        raise typer.BadParameter(
            say("{url!r} is not a URL that begins with http(s)://", url=url), param_hint="--url"
        )
    variable = variable or (_OWN if key else "")
    return Choice(name, model, variable, key, url.rstrip("/"), variable)


def _pasted(hosted: list[str]) -> Choice:
    provider = typed_line(say("Provider [{first}]: ", first=hosted[0])) or hosted[0]
    if provider not in hosted:
        raise typer.BadParameter(
            say("{name!r} is none of {names}", name=provider, names=", ".join(hosted))
        )
    key = getpass(say("Key (it is not shown): ")).strip()
    return Choice(provider, "", ROWS[provider].keys[0], key)


def _elsewhere() -> Choice:
    url = typed_line(say("URL, up to and with /v1: "))
    key = getpass(say("Key (it is not shown; Enter for none): ")).strip()
    return own_server("own", url, "", key, "")


def typed_line(prompt: str) -> str:
    """Return what is answered; raises Abort where nothing comes any more."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    answer = sys.stdin.readline()
    if not answer:
        raise typer.Abort
    return answer.strip()

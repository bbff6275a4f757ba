"""`agent models`: what is known of which model."""

import os
import sys

from agent_cli.i18n.catalog import say
from agent_cli.providers.registry import known_models
from agent_cli.settings.load import load


def command() -> None:
    """List the models in the built-in table and the settings; any other name works as well."""
    unknown = say("unknown")
    for name, info in known_models(load(os.environ)):
        window = f"{info.context_window:,}" if info.context_window else unknown
        output = f"{info.max_output:,}" if info.max_output else unknown
        price = say("price known") if info.prices else say("price unknown")
        sys.stdout.write(f"{name:44} {window:>11} {output:>9}  {info.protocol:6}  {price}\n")

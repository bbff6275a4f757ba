"""`agent models`: what is known of which model."""

import os
import sys

from agent_cli.i18n.catalog import say
from agent_cli.providers.known import known_models
from agent_cli.settings.load import load


def command() -> None:
    """List the models of the built-in table and the settings; any other name works as well."""
    unknown = say("unknown")
    for name, model in known_models(load(os.environ)):
        window = f"{model.context_window:,}" if model.context_window else unknown
        output = f"{model.max_output:,}" if model.max_output else unknown
        prices = (model.input_price, model.output_price)
        price = unknown if None in prices else f"${prices[0]} / ${prices[1]}"
        row = say(
            "{name:44} window {window:>9}  output {output:>8}  price {price}",
            name=name,
            window=window,
            output=output,
            price=price,
        )
        sys.stdout.write(row + "\n")

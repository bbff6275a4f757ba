"""Keys come from the environment, and a missing one says where it was looked for."""

import pytest

from agent_cli.settings.secrets import VARIABLES, MissingKeyError, require_key
from agent_cli.types.errors import ConfigurationError


def test_the_first_variable_that_is_set_wins():
    environ = {"GEMINI_API_KEY": " ", "GOOGLE_API_KEY": " g \n"}
    assert require_key("gemini", VARIABLES["gemini"], environ) == ("GOOGLE_API_KEY", "g")


def test_a_missing_key_names_every_variable_that_was_looked_for():
    with pytest.raises(MissingKeyError) as raised:
        require_key("anthropic", VARIABLES["anthropic"], {})
    assert str(raised.value) == (
        "no key for provider 'anthropic': set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN"
        " in the environment"
    )
    assert isinstance(raised.value, ConfigurationError)


@pytest.mark.parametrize("key", ["a\nb", "schlüssel", "a\x00b"])
def test_a_key_that_no_header_can_carry_is_refused_without_being_shown(key):
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY") as raised:
        require_key("openai", ("OPENAI_API_KEY",), {"OPENAI_API_KEY": key})
    assert key not in str(raised.value)

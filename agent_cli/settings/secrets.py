"""Which environment variable holds a provider's key. Keys are never written to any file of ours."""

from collections.abc import Mapping

from agent_cli.i18n.catalog import say
from agent_cli.types.errors import ConfigurationError

VARIABLES: dict[str, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "openai": ("OPENAI_API_KEY",),
    "openai-responses": ("OPENAI_API_KEY",),
    "openai-chat": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
    "mistral": ("MISTRAL_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "groq": ("GROQ_API_KEY",),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "together": ("TOGETHER_API_KEY",),
    "xai": ("XAI_API_KEY",),
    "azure": ("AZURE_OPENAI_API_KEY",),
}
"""In the order in which they are tried; a provider that is not here needs no key."""


class MissingKeyError(ConfigurationError):
    """No key for the provider; the program ends with the status of a failed authentication."""

    def __init__(self, provider: str, variables: tuple[str, ...]) -> None:
        self.provider = provider
        self.variables = variables
        names = " or ".join(variables)
        super().__init__(f"no key for provider {provider!r}: set {names} in the environment")


def find_key(variables: tuple[str, ...], environ: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the first variable that is set, and its value without surrounding white space."""
    for variable in variables:
        value = environ.get(variable, "").strip()
        if value:
            return variable, value
    return None


def require_key(
    provider: str, variables: tuple[str, ...], environ: Mapping[str, str]
) -> tuple[str, str]:
    """Return variable and key; raises MissingKeyError, and refuses a key no header can carry."""
    found = find_key(variables, environ)
    if found is None:
        raise MissingKeyError(provider, variables)
    variable, value = found
    if not (value.isascii() and value.isprintable()):
        raise ConfigurationError(
            say(
                "the value of {variable} cannot be a key: it has strange characters",
                variable=variable,
            )
        )
    return variable, value

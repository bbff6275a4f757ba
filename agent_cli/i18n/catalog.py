"""The words that people read: English in the source, other languages from gettext catalogues.

The message id is the English text, so a checkout without compiled catalogues speaks English.
"""

import functools
import os
from collections.abc import Callable, Mapping
from pathlib import Path

DOMAIN = "agent"
LOCALES = Path(__file__).parent / "locales"


def say(message: str, /, **values: object) -> str:
    """Return the message in the user's language, with `{name}` filled in from the values."""
    translated = _translate(language(os.environ))(message)
    return translated.format(**values) if values else translated


def language(environ: Mapping[str, str]) -> str:
    """Return the language that the environment asks for, `en` if it asks for none."""
    for variable in ("AGENT_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = environ.get(variable, "").split(".")[0]
        if value:
            return "en" if value in ("C", "POSIX") else value
    return "en"


@functools.cache
def _translate(wanted: str) -> Callable[[str], str]:
    if wanted.startswith("en"):
        return str
    import gettext  # noqa: PLC0415 - 10 ms that an English user does not need

    found = gettext.translation(DOMAIN, LOCALES, languages=[wanted], fallback=True)
    return found.gettext

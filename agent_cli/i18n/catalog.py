"""The words that people read: English in the source, other languages from gettext catalogues.

The message id is the English text, so a checkout without compiled catalogues speaks English.
"""

import functools
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

DOMAIN = "agent"
LOCALES = Path(__file__).parent / "locales"


_NEAREST = {
    "pt": "pt_BR",
    "zh": "zh_CN",
    "zh_HK": "zh_TW",
    "zh_MO": "zh_TW",
    "zh_Hans": "zh_CN",
    "zh_Hant": "zh_TW",
}
"""The catalogue for who reads a language as it is written elsewhere."""


class Words(Protocol):
    """What gettext and our own English offer alike."""

    def gettext(self, message: str, /) -> str: ...
    def ngettext(self, one: str, many: str, count: int, /) -> str: ...


class English:
    """The words as they stand in the source."""

    def gettext(self, message: str, /) -> str:
        return message

    def ngettext(self, one: str, many: str, count: int, /) -> str:
        return one if count == 1 else many


def say(message: str, /, **values: object) -> str:
    """Return the message in the user's language, with `{name}` filled in from the values."""
    translated = _words(language(os.environ)).gettext(message)
    return translated.format(**values) if values else translated


def say_many(one: str, many: str, /, count: int, **values: object) -> str:
    """Return the message that goes with the count in the user's language; `{count}` is filled in.

    Languages have one to six forms; English has these two.
    """
    translated = _words(language(os.environ)).ngettext(one, many, count)
    return translated.format(count=count, **values)


class _Settings:
    """What the settings ask for; a process speaks one language."""

    language = ""


def prefer(language: str | None) -> None:
    """Speak this language, unless AGENT_LANGUAGE says another; nothing for the locale's."""
    _Settings.language = language or ""


def language(environ: Mapping[str, str]) -> str:
    """Return the language of the environment or the settings, `en` if nobody asks for one."""
    locale = (environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    for value in (environ.get("AGENT_LANGUAGE", ""), _Settings.language, *locale):
        if name := value.split(".")[0]:
            return "en" if name in ("C", "POSIX") else name
    return "en"


@functools.cache
def _words(wanted: str) -> Words:
    if wanted.startswith("en"):
        return English()
    import gettext  # noqa: PLC0415 - 10 ms that an English user does not need

    name = wanted.replace("-", "_")  # a locale is zh_CN, a language tag zh-CN
    names = [name, _NEAREST.get(name, ""), _NEAREST.get(name.rpartition("_")[0], "")]
    return gettext.translation(DOMAIN, LOCALES, languages=[*filter(None, names)], fallback=True)

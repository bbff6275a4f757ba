"""The formats that a session is exported in, by the ending of the file."""

from pathlib import Path

import msgspec

from agent_cli.i18n.catalog import say
from agent_cli.sessions.told import Export
from agent_cli.types.errors import ConfigurationError

MARKDOWN, JSON, HTML = "md", "json", "html"
FORMATS = (MARKDOWN, JSON, HTML)
_ENDINGS = {"markdown": MARKDOWN, "htm": HTML}


def format_of(path: Path | None, said: str = "") -> str:
    """Return the format that was said, or that the file's name ends in; raises ConfigurationError.

    Without either it is Markdown.
    """
    ending = path.suffix.removeprefix(".").lower() if path is not None else ""
    named = said or _ENDINGS.get(ending, ending) or MARKDOWN
    if named not in FORMATS:
        choice = ", ".join(FORMATS)
        raise ConfigurationError(
            say("{name} is no format; use one of {choice}", name=repr(named), choice=choice)
        )
    return named


def rendered(export: Export, format_: str) -> bytes:
    """Return the file's content."""
    if format_ == JSON:
        return msgspec.json.format(msgspec.json.encode(export), indent=1) + b"\n"
    if format_ == HTML:
        from agent_cli.frontends.exports.page import page  # noqa: PLC0415 - one of three

        return page(export).encode()
    from agent_cli.frontends.exports.markdown import markdown  # noqa: PLC0415 - as above

    return markdown(export).encode()

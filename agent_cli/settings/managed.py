"""The administrator's file, which stands over everything; it counts only if only root can write it.

Its directory is looked at too: who may write there may put another file in its place.
"""

import os
import stat
import sys
from pathlib import Path

from agent_cli.i18n.catalog import say
from agent_cli.types.errors import ConfigurationError

_ROOT = 0
_OPEN = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


def managed_file(platform: str = sys.platform) -> Path:
    """Return the place, which no variable and no flag can change."""
    directory = "/Library/Application Support/agent" if platform == "darwin" else "/etc/agent"
    return Path(directory) / "config.toml"


def read_managed(path: Path) -> str | None:
    """Return the text, None if others could have written it; empty where there is none."""
    try:
        descriptor = os.open(path, _OPEN)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise ConfigurationError(
            say("cannot read {path!r}: {error}", path=str(path), error=error)
        ) from error
    with os.fdopen(descriptor, encoding="utf-8") as file:
        found = os.fstat(descriptor)
        if not (_is_roots(found) and stat.S_ISREG(found.st_mode) and _is_roots(path.parent.stat())):
            return None
        try:
            return file.read()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(
                say("cannot read {path!r}: {error}", path=str(path), error=error)
            ) from error


def _is_roots(found: os.stat_result) -> bool:
    return found.st_uid == _ROOT and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)

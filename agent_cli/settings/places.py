"""Where things are kept: the XDG directories, or one root that `AGENT_HOME` names.

Nothing is created here; whoever writes makes the directory, private to the user.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from agent_cli.i18n.catalog import say
from agent_cli.types.errors import ConfigurationError


def config_file(environ: Mapping[str, str]) -> Path:
    return config_directory(environ) / "config.toml"


def rules_file(environ: Mapping[str, str]) -> Path:
    """Rules that were agreed to for good."""
    return config_directory(environ) / "always.toml"


def config_directory(environ: Mapping[str, str]) -> Path:
    return _place(environ, "config", "XDG_CONFIG_HOME", ".config")


def data_directory(environ: Mapping[str, str]) -> Path:
    """Sessions: what cannot be made again."""
    return _place(environ, "data", "XDG_DATA_HOME", ".local/share")


def state_directory(environ: Mapping[str, str]) -> Path:
    """Input history, crash reports."""
    return _place(environ, "state", "XDG_STATE_HOME", ".local/state")


def cache_directory(environ: Mapping[str, str]) -> Path:
    return _place(environ, "cache", "XDG_CACHE_HOME", ".cache")


def is_inside(place: Path, root: Path, environ: Mapping[str, str]) -> bool:
    """Whether a place of the user's lies in the folder that is worked in.

    Its author may then have written what is there: a variable such as AGENT_HOME can come from
    the folder, by way of a `.env` that some other program has loaded. Not so where the folder
    holds the user's home, and with it everything that is theirs.
    """
    real = Path(os.path.realpath(root))
    if not Path(os.path.realpath(place)).is_relative_to(real):
        return False
    return not Path(os.path.realpath(home(environ))).is_relative_to(real)


def _place(environ: Mapping[str, str], name: str, variable: str, default: str) -> Path:
    root = environ.get("AGENT_HOME", "")
    if root:
        return _expanded(root, environ) / name
    base = environ.get(variable, "")
    if base.startswith("/"):  # the XDG rule: a relative path is invalid and ignored
        return Path(base) / "agent"
    return home(environ) / default / "agent"


def _expanded(path: str, environ: Mapping[str, str]) -> Path:
    if path == "~" or path.startswith("~/"):
        return home(environ) / path[2:]
    return Path(path).absolute()


def home(environ: Mapping[str, str]) -> Path:
    named = environ.get("HOME", "")
    if named:
        return Path(named)
    try:
        return Path.home()
    except RuntimeError as error:
        raise ConfigurationError(
            say("there is no home directory: set HOME or AGENT_HOME")
        ) from error

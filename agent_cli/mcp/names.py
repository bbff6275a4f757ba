"""Names that servers go by; those of their tools stand in `approval/server_tools.py`."""

import re

_LONGEST = 30
_FOREIGN = re.compile(r"_{2,}|[^A-Za-z0-9_-]+")


def server_name(text: str) -> str:
    """Return the name that a server goes by; empty where nothing of it can be used."""
    return _FOREIGN.sub("-", text)[:_LONGEST].strip("-_")

"""What the tools of MCP servers are called, for models and in rules.

A tool is called `mcp__server__tool`. No server's name holds two underscores in a row or ends with
one, so a name says without doubt whose tool it is. A tool whose own name would not fit, for its
length or its characters, gets one that ends with a part of a hash: the same in every session.
"""

import re

PREFIX = "mcp__"
LONGEST = 64
"""Characters of a tool's name that every provider takes."""
_FOREIGN = re.compile(r"[^A-Za-z0-9_-]")
_HASH = 8


def tool_name(server: str, tool: str) -> str:
    """Return the name under which a server's tool is offered."""
    plain = _FOREIGN.sub("_", tool)
    name = f"{PREFIX}{server}__{plain}"
    if plain == tool and tool and len(name) <= LONGEST:
        return name
    from hashlib import sha256  # noqa: PLC0415 - few names need it

    mark = sha256(f"{server}/{tool}".encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]
    return f"{name[: LONGEST - _HASH - 1]}_{mark}"


def names(target: str) -> frozenset[str]:
    """Return the names that a rule may use for the target `server/tool`."""
    server, _, tool = target.partition("/")
    return frozenset({f"{PREFIX}{server}", f"{PREFIX}{server}__{tool}", tool_name(server, tool)})

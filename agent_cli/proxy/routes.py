"""Where the proxy answers, and with which methods.

What is passed on keeps its path, so a path must not lead anywhere else at the upstream: there the
operator's key opens every door.
"""

from urllib.parse import unquote

from agent_cli.proxy.dialects import chat, messages, responses
from agent_cli.proxy.dialects.dialect import Dialect
from agent_cli.proxy.envelopes import ProxyError

_ALL: tuple[Dialect, ...] = (chat, responses, messages)
DIALECTS = {one.PATH: one for one in _ALL}
COUNT = "/messages/count_tokens"
HEALTH = ("/", "/health")
MODELS = "/models"
STORED = "/responses/"
_METHODS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((*DIALECTS, COUNT), ("POST",)),
    **dict.fromkeys(HEALTH, ("GET", "HEAD")),
    MODELS: ("GET",),
    f"{MODELS}/{{id}}": ("GET",),
    f"{STORED}{{id}}": ("GET", "DELETE", "POST"),
}


def route_of(path: str) -> str:
    """Return what a path without its version has in common with others; empty if it is none."""
    if path in _METHODS:
        return path
    beginning = next((one for one in (f"{MODELS}/", STORED) if path.startswith(one)), "")
    parts = unquote(path).replace("\\", "/").split("/")
    return f"{beginning}{{id}}" if beginning and not {".", ".."} & {*parts} else ""


def check_route(method: str, path: str) -> None:
    """Raise ProxyError for what nobody answers."""
    allowed = _METHODS.get(route_of(path))
    if allowed is None:
        raise ProxyError(404, "not_found", f"there is nothing at {path!r}")
    if method not in allowed:
        raise ProxyError(
            405,
            "method_not_allowed",
            f"{method} is not possible here; use {allowed[0]}",
            headers={"allow": ", ".join(allowed)},
        )

"""What an error inside an OpenAI stream or response body means."""

from typing import Any, TypeGuard

from agent_cli.types.errors import Fault, ProviderError

NAMES = {
    "authentication_error": Fault.AUTHENTICATION,
    "permission_error": Fault.AUTHENTICATION,
    "invalid_api_key": Fault.AUTHENTICATION,
    "context_length_exceeded": Fault.CONTEXT_WINDOW,
    "insufficient_quota": Fault.INVALID_REQUEST,
    "invalid_image": Fault.INVALID_REQUEST,
    "invalid_prompt": Fault.INVALID_REQUEST,
    "invalid_request_error": Fault.INVALID_REQUEST,
    "model_not_found": Fault.INVALID_REQUEST,
    "not_found_error": Fault.INVALID_REQUEST,
    "rate_limit_error": Fault.RATE_LIMITED,
    "rate_limit_exceeded": Fault.RATE_LIMITED,
    "overloaded_error": Fault.OVERLOADED,
    "server_is_overloaded": Fault.OVERLOADED,
}
STATUSES = {
    400: Fault.INVALID_REQUEST,
    401: Fault.AUTHENTICATION,
    402: Fault.INVALID_REQUEST,
    403: Fault.AUTHENTICATION,
    404: Fault.INVALID_REQUEST,
    413: Fault.INVALID_REQUEST,
    422: Fault.INVALID_REQUEST,
    429: Fault.RATE_LIMITED,
    503: Fault.OVERLOADED,
    529: Fault.OVERLOADED,
}
"""Gateways put the upstream's HTTP status where the vendor has a name."""
TOO_LONG = ("maximum context length", "context window", "prompt is too long")


def reported(error: object) -> ProviderError:
    """Return what an error value says: an object with code, type and message, or a sentence."""
    if not _is_object(error):
        return ProviderError(str(error) or "the provider gave no reason", Fault.SERVER)
    message = str(error.get("message") or "the provider gave no reason")
    fault = _fault(error.get("code"), error.get("type"))
    if fault is Fault.INVALID_REQUEST and any(words in message.lower() for words in TOO_LONG):
        fault = Fault.CONTEXT_WINDOW
    return ProviderError(message, fault)


def _is_object(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _fault(*names: object) -> Fault:
    for name in names:
        if isinstance(name, str) and name in NAMES:
            return NAMES[name]
        status = int(name) if isinstance(name, str) and name.isdecimal() else name
        if isinstance(status, int) and status in STATUSES:
            return STATUSES[status]
    return Fault.SERVER

"""What a provider's refusal means, for all wire formats: by HTTP status, or by the error's name."""

import math
from collections.abc import Mapping
from typing import cast

import msgspec

from agent_cli.types.errors import RETRYABLE, Fault, ProviderError

FAULTS = {
    "authentication_error": Fault.AUTHENTICATION,
    "permission_error": Fault.AUTHENTICATION,
    "invalid_api_key": Fault.AUTHENTICATION,
    "invalid_request_error": Fault.INVALID_REQUEST,
    "invalid_prompt": Fault.INVALID_REQUEST,
    "invalid_image": Fault.INVALID_REQUEST,
    "model_not_found": Fault.INVALID_REQUEST,
    "not_found_error": Fault.INVALID_REQUEST,
    "request_too_large": Fault.INVALID_REQUEST,
    "billing_error": Fault.INVALID_REQUEST,
    "insufficient_quota": Fault.INVALID_REQUEST,
    "rate_limit_error": Fault.RATE_LIMITED,
    "rate_limit_exceeded": Fault.RATE_LIMITED,
    "overloaded_error": Fault.OVERLOADED,
    "server_is_overloaded": Fault.OVERLOADED,
    "context_length_exceeded": Fault.CONTEXT_WINDOW,
}
"""By the `type` or `code` of an error; any other name is the server's own trouble."""

TOO_LONG = (
    "prompt is too long",
    "context_length_exceeded",
    "maximum context length",
    "context window",
    "exceed context limit",
)
"""How providers say that the conversation does not fit, where no code says it."""

STATUSES = {
    401: Fault.AUTHENTICATION,
    403: Fault.AUTHENTICATION,
    408: Fault.SERVER,
    409: Fault.SERVER,
    429: Fault.RATE_LIMITED,
    503: Fault.OVERLOADED,
    529: Fault.OVERLOADED,
}

NO_REASON = "the provider gave no reason"
QUOTA = "insufficient_quota"
ORDERS = ("mixed_tool_order: ", "terminal_on_success_order: ")
"""How `agent proxy` begins when it refuses calls for their order; nothing was executed."""
LONGEST_EXCERPT = 300


def named_error(names: tuple[str, ...], message: str) -> ProviderError:
    """Return the error that a stream reported in its body, by its `code` and `type`."""
    fault = next((FAULTS[name] for name in names if name in FAULTS), Fault.SERVER)
    if message.startswith(ORDERS):
        return ProviderError(message.partition(": ")[2], Fault.CALL_ORDER)
    if fault is Fault.INVALID_REQUEST and _too_long(names, message):
        fault = Fault.CONTEXT_WINDOW
    return ProviderError(_explained(names, message) or NO_REASON, fault)


def reported(error: object) -> ProviderError:
    """Return what an error value in a body says: an object with code and type, or a sentence.

    Gateways put the upstream's HTTP status where the vendor has a name.
    """
    if not isinstance(error, dict):
        return ProviderError(str(error) if error else NO_REASON, Fault.SERVER)
    fields = _fields(cast("object", error))
    names = _texts(fields, ("code", "type"))
    message = next(iter(_texts(fields, ("message",))), "")
    status = _status(fields.get("code")) or _status(fields.get("type"))
    if status is None or any(name in FAULTS for name in names):
        return named_error(names, message)
    return ProviderError(message or NO_REASON, _fault(status, names, message))


def http_error(
    status: int, body: bytes, headers: Mapping[str, str], *, now: float | None = None
) -> ProviderError:
    """Return the error that a response with this status means.

    `now` is the time in seconds since the epoch; without it a date in `retry-after` is ignored.
    """
    names, message = _read(body)
    lowered = {name.lower(): value for name, value in headers.items()}
    fault = _fault(status, names, message)
    if message.startswith(ORDERS):
        return ProviderError(message.partition(": ")[2], Fault.CALL_ORDER, status=status)
    if fault in RETRYABLE and lowered.get("x-should-retry", "").strip().lower() == "false":
        fault = Fault.INVALID_REQUEST
    return ProviderError(
        _explained(names, message) or f"HTTP status {status} without a message",
        fault,
        status=status,
        retry_after=_retry_after(lowered, now),
    )


def _fault(status: int, names: tuple[str, ...], message: str) -> Fault:
    if status == 429 and QUOTA in names:  # noqa: PLR2004 - HTTP: too many requests
        return Fault.INVALID_REQUEST
    if status in STATUSES:
        return STATUSES[status]
    if status >= 500:  # noqa: PLR2004 - HTTP: server errors
        return Fault.OVERLOADED if "overloaded_error" in names else Fault.SERVER
    return Fault.CONTEXT_WINDOW if _too_long(names, message) else Fault.INVALID_REQUEST


def _status(value: object) -> int | None:
    text = str(value)
    status = int(text) if text.isdecimal() and text.isascii() else 0
    return status if 400 <= status < 600 else None  # noqa: PLR2004 - HTTP: errors


def _too_long(names: tuple[str, ...], message: str) -> bool:
    said = " ".join((*names, message)).lower()
    return any(words in said for words in TOO_LONG)


def _explained(names: tuple[str, ...], message: str) -> str:
    return f"the account's quota is used up: {message}" if QUOTA in names else message


def _read(body: bytes) -> tuple[tuple[str, ...], str]:
    """Return the names and the message in an error's body, whatever its shape."""
    text = body.decode("utf-8", "replace").strip()
    try:
        document: object = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return (), text[:LONGEST_EXCERPT]
    if isinstance(document, list):
        # Google's compatible endpoint wraps its errors in an array.
        document = next(iter(cast("list[object]", document)), None)
    return _read_error(document) or ((), text[:LONGEST_EXCERPT])


def _read_error(document: object) -> tuple[tuple[str, ...], str] | None:
    """Return names and message of `{"error": {…}}`, `{"error": "…"}` or `{"message": "…"}`."""
    fields = _fields(document)
    error = fields.get("error") or fields
    if isinstance(error, str):
        return (), error
    reason = _fields(error)
    names = _texts(reason, ("code", "type", "status"))
    said = _texts(reason, ("message", "detail"))
    return (names, said[0]) if said else None


def _fields(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _texts(fields: dict[str, object], keys: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(text for key in keys if isinstance(text := fields.get(key), str))


def _retry_after(headers: Mapping[str, str], now: float | None) -> float | None:
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    seconds = _number(value)
    if seconds is not None or now is None or not value:
        return seconds
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - slow, and dates are rare

    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    except ValueError:
        return None


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None

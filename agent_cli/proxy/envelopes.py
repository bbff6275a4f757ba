"""What a model reads as the result of a managed call, and what a client reads of a refusal."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec
from msgspec import Struct

from agent_cli.proxy.sentences import sentence

LEAST = 1_024
"""Bytes; a smaller limit could not even hold what is wrong."""


class Envelope(Struct, frozen=True):
    """The result of one call."""

    text: str
    """JSON: `{"ok": true, …}` or `{"ok": false, "error": {…}}`."""
    ok: bool
    code: str = ""
    """Of the failure."""
    status: int = 200
    truncated: bool = False
    images: tuple[tuple[str, str], ...] = ()
    """Media type and base64 of what the dialect may be able to show."""


def success(
    data: object, limit: int, *, status: int = 200, images: tuple[tuple[str, str], ...] = ()
) -> Envelope:
    """Return a result, cut to so many bytes."""
    made: dict[str, object] = {"ok": True, "status_code": status, "data": data}
    text = msgspec.json.encode(made)
    if len(text) <= limit:
        return Envelope(text.decode(), ok=True, status=status, images=images)
    whole = data if isinstance(data, str) else msgspec.json.encode(data).decode()
    encoded = whole.encode()
    made |= {"truncated": True, "original_bytes": len(encoded)}
    room = max(limit, LEAST) - 200
    kept = encoded[:room].decode("utf-8", "ignore")
    made["data"] = kept
    while len(shown := msgspec.json.encode(made)) > max(limit, LEAST):  # escapes take room as well
        kept = kept[: len(kept) * 9 // 10]
        made["data"] = kept
    return Envelope(shown.decode(), ok=True, status=status, truncated=True, images=images)


def failure(
    code: str, message: str, status: int = 0, details: Mapping[str, object] | None = None
) -> Envelope:
    error: dict[str, object] = {"code": code, "message": message}
    if details:
        error["details"] = details
    made: dict[str, object] = {"ok": False, "error": error}
    if status:
        made["status_code"] = status
    return Envelope(msgspec.json.encode(made).decode(), ok=False, code=code, status=status or 500)


class Refused(Struct, frozen=True):
    """A reply that was not executed: what the client reads, and what the audit keeps."""

    code: str
    managed: tuple[dict[str, object], ...]
    native: tuple[dict[str, object], ...]
    round: int
    attempts: int = 1
    prior_managed: tuple[str, ...] = ()
    """Managed calls of earlier rounds of this request, which were executed."""

    @property
    def message(self) -> str:
        if self.code != "mixed_tool_order":
            return sentence(self.code)
        return sentence(self.code, managed=_names(self.managed), native=_names(self.native))

    @property
    def details(self) -> dict[str, object]:
        steps = [
            f"one response with the managed calls only: {_names(self.managed)}",
            f"a later response with the other calls: {_names(self.native)}",
        ]
        return {
            "code": self.code,
            "executed": False,
            "managed_calls": list(self.managed),
            "native_calls": list(self.native),
            "required_order": "managed_first",
            "retry": {"split_responses": True, "steps": steps},
            "round": self.round,
            "attempts": self.attempts,
            "prior_managed_executed": list(self.prior_managed),
        }


def _names(calls: Sequence[Mapping[str, object]]) -> str:
    return ", ".join(str(call["name"]) for call in calls) or "none"


class ProxyError(Exception):
    """What a client is told instead of an answer."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        details: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
        type_: str = "",
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.details = dict(details or {})
        self.headers = dict(headers or {})
        self.type = type_ or TYPES.get(status, "api_error")


TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    405: "invalid_request_error",
    409: "invalid_request_error",
    413: "request_too_large",
    415: "invalid_request_error",
    429: "rate_limit_error",
}


def openai_error(error: ProxyError) -> dict[str, Any]:
    kind = "server_error" if error.type == "api_error" else error.type
    written: dict[str, Any] = {
        "message": error.message,
        "type": kind,
        "param": None,
        "code": error.code or None,
    }
    if error.details:
        written["agent_proxy"] = error.details
    return {"error": written}


def anthropic_error(error: ProxyError, request_id: str) -> dict[str, Any]:
    about = {"code": error.code, **error.details} if error.code else error.details
    written: dict[str, Any] = {"type": error.type, "message": error.message}
    if about:
        written["agent_proxy"] = about
    return {"type": "error", "error": written, "request_id": request_id}


def upstream_message(body: bytes) -> str:
    """Return the sentence in an upstream's error body, empty if there is none."""
    try:
        document: Any = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return ""
    error = cast("dict[str, Any]", document).get("error") if isinstance(document, dict) else None
    message = cast("dict[str, Any]", error).get("message") if isinstance(error, dict) else error
    return message if isinstance(message, str) else ""

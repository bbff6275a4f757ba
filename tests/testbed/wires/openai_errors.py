"""Errors as both OpenAI wire formats write them."""

from typing import Any

from testbed.replies import Status

KINDS = {
    400: ("invalid_request_error", None),
    401: ("invalid_request_error", "invalid_api_key"),
    403: ("permission_error", "unsupported_country_region_territory"),
    404: ("invalid_request_error", "model_not_found"),
    429: ("requests", "rate_limit_exceeded"),
}


def failure(status: Status) -> dict[str, Any]:
    kind, code = KINDS.get(status.code, ("server_error", None))
    code = status.kind or code
    message = status.message or str(code or kind).replace("_", " ").capitalize()
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}

"""Bodies of requests that come packed, never larger than a limit once they are unpacked."""

import sys
import zlib
from importlib.util import find_spec

from agent_cli.proxy.envelopes import ProxyError

_ANY_FORMAT = 47
"""For zlib: a header of gzip or zlib, whichever there is."""
_WINDOW = 23
"""For zstd: 8 MiB, the largest that everybody who unpacks has to bear."""
_PLAIN = frozenset({"", "identity"})
_ZLIB = frozenset({"gzip", "x-gzip", "deflate"})


def unpacked(body: bytes, encoding: str, limit: int) -> bytes:
    """Return the body as it was before it was packed. Raises ProxyError."""
    encoding = encoding.strip().lower()
    if encoding in _PLAIN:
        return body
    if encoding not in _ZLIB and not (encoding == "zstd" and _has_zstd()):
        known = "gzip, deflate or zstd" if _has_zstd() else "gzip or deflate"
        raise ProxyError(
            415, "encoding_not_supported", f"the encoding {encoding!r} is not known; use {known}"
        )
    try:
        unpack = _zstd if encoding == "zstd" else _zlib
        data, whole = unpack(body, limit + 1)
    except ValueError as error:
        raise ProxyError(400, "invalid_encoding", f"the body is not {encoding}: {error}") from error
    if len(data) > limit:
        raise ProxyError(413, "request_too_large", f"the request is larger than {limit} bytes")
    if not whole:
        raise ProxyError(400, "invalid_encoding", f"the body is not whole {encoding}")
    return data


def _zlib(body: bytes, most: int) -> tuple[bytes, bool]:
    unpacker = zlib.decompressobj(_ANY_FORMAT)
    try:
        return unpacker.decompress(body, most), unpacker.eof
    except zlib.error as error:
        raise ValueError(str(error)) from error


def _has_zstd() -> bool:
    """Whether Python knows it, or the package is there that teaches it to older ones."""
    if sys.version_info >= (3, 14):
        return True
    return find_spec("backports") is not None and find_spec("backports.zstd") is not None


def _zstd(body: bytes, most: int) -> tuple[bytes, bool]:
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415 - few clients send it
    else:
        from backports import zstd  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs] - optional

    unpacker = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: _WINDOW})
    try:
        return unpacker.decompress(body, most), unpacker.eof
    except (zstd.ZstdError, EOFError) as error:
        raise ValueError(str(error)) from error

"""Which proxy leads to a URL, by the environment variables that everybody reads."""

from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

from agent_cli.i18n.catalog import say
from agent_cli.types.errors import ConfigurationError

DEFAULT_PORTS = {"http": 80, "https": 443}


def proxy_for(url: str, environ: Mapping[str, str]) -> str:
    """Return the proxy's URL; empty for a direct connection, as to any loopback address."""
    target = urlsplit(url)
    host = (target.hostname or "").rstrip(".")
    if is_loopback(host) or _exempt(host, _port(target), _first(environ, "no_proxy")):
        return ""
    proxy = _first(environ, f"{target.scheme}_proxy", "all_proxy")
    if not proxy:
        return ""
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    parts = urlsplit(proxy)
    if parts.scheme != "http" or not parts.hostname:
        shown = proxy.rpartition("@")[2]
        raise ConfigurationError(
            say(
                "cannot use the proxy {shown!r}: only http:// proxies are supported; change the "
                "variable, or name the host in NO_PROXY",
                shown=shown,
            )
        )
    return proxy


def port_of(url: SplitResult) -> int:
    return url.port or DEFAULT_PORTS[url.scheme]


def is_loopback(host: str) -> bool:
    return host == "localhost" or host.endswith(".localhost") or _is_loopback_address(host)


def _is_loopback_address(host: str) -> bool:
    if not host.replace(".", "").isdigit() and ":" not in host:
        return False
    from ipaddress import ip_address  # noqa: PLC0415 - only for a host that looks like an address

    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _first(environ: Mapping[str, str], *names: str) -> str:
    for name in names:
        value = environ.get(name) or environ.get(name.upper())
        if value:
            return value.strip()
    return ""


def _port(url: SplitResult) -> int:
    return url.port or DEFAULT_PORTS.get(url.scheme, 0)


def _exempt(host: str, port: int, no_proxy: str) -> bool:
    entries = [entry.strip().lower() for entry in no_proxy.split(",") if entry.strip()]
    return any(_matches(host, port, entry) for entry in entries)


def _matches(host: str, port: int, entry: str) -> bool:
    if entry == "*":
        return True
    if "/" in entry:
        return _in_network(host, entry)
    name, _, number = entry.rpartition(":")
    if number.isdigit() and (name.endswith("]") or (name and ":" not in name)):
        if int(number) != port:
            return False
        entry = name
    entry = entry.removeprefix("*").strip("[].")
    return host == entry or host.endswith("." + entry)


def _in_network(host: str, network: str) -> bool:
    from ipaddress import ip_address, ip_network  # noqa: PLC0415 - only for networks in NO_PROXY

    try:
        return ip_address(host) in ip_network(network, strict=False)
    except ValueError:
        return False

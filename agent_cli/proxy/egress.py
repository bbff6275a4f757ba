"""Where HTTP tools may lead: to anybody on the internet, and to what the operator has named.

A name is looked up once and the connection goes to what was found then. An address of this
machine or of a private network has to be written in the tool's own address, or be allowed; those
that answer with a machine's credentials have to be allowed, whoever wrote them.
"""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from urllib.parse import SplitResult

from msgspec import Struct

from agent_cli.network.hosts import addresses_of, is_public
from agent_cli.network.proxies import is_loopback
from agent_cli.types.errors import ConfigurationError, ToolError

_METADATA = frozenset({"169.254.169.254", "168.63.129.16", "100.100.100.200", "fd00:ec2::254"})
"""What clouds tell a machine of itself, its credentials included."""


class Egress(Struct, frozen=True, forbid_unknown_fields=True):
    """`[egress]` of proxy.toml."""

    allow: tuple[str, ...] = ()
    """Patterns of hosts that may be in a private network, and networks or addresses."""


async def allowed(url: SplitResult, egress: Egress) -> tuple[str, ...]:
    """Return the addresses to connect to. Raises ToolError if one of them is not allowed."""
    host = (url.hostname or "").rstrip(".")
    try:
        addresses = await addresses_of(url)
    except ToolError as error:  # which names the host
        raise ToolError("the tool's service cannot be reached") from error
    written = is_loopback(host) or host in addresses
    named = any(fnmatchcase(host, pattern) for pattern in egress.allow)
    for address in addresses:
        if not _may(address, egress.allow, trusted=written or named):
            raise ToolError("the tool's service is at an address that is not allowed")
    return addresses


def _may(address: str, networks: Iterable[str], *, trusted: bool) -> bool:
    from ipaddress import ip_address  # noqa: PLC0415 - 4 ms, and only for who connects

    plain = address.partition("%")[0]
    if any(_within(plain, network) for network in networks):
        return True
    if plain in _METADATA:
        return False
    one = ip_address(plain)
    mapped = getattr(one, "ipv4_mapped", None) or one
    near = mapped.is_loopback or (mapped.is_private and not mapped.is_link_local)
    return is_public(plain) or (trusted and near and not mapped.is_unspecified)


def _within(address: str, network: str) -> bool:
    from ipaddress import ip_address, ip_network  # noqa: PLC0415 - as above

    try:
        return ip_address(address) in ip_network(network, strict=False)
    except ValueError:
        return False


def check_endpoint(name: str, url: SplitResult) -> None:
    """Raise ConfigurationError for a host that an argument would choose."""
    if "{" in url.netloc:
        raise ConfigurationError(
            f"http.{name}.url: an argument cannot stand in the host {url.netloc!r}; "
            "make a tool for each host"
        )

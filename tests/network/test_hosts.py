"""Which URLs are taken, and which addresses may be behind them."""

import asyncio
import socket

import pytest

from agent_cli.network.hosts import address_of, is_public, look_up, parse_url
from agent_cli.types.errors import ToolError

TAKEN = {
    "https://Example.COM": ("https://example.com", "example.com"),
    " http://a.b/c?d=e#f ": ("http://a.b/c?d=e", "a.b"),
    "http://a.b.:80/": ("http://a.b/", "a.b"),
    "http://a.b:8080/x": ("http://a.b:8080/x", "a.b:8080"),
    "https://bücher.example/": ("https://xn--bcher-kva.example/", "xn--bcher-kva.example"),
    "http://[::1]:81/": ("http://[::1]:81/", "[::1]:81"),
}


@pytest.mark.parametrize("text", TAKEN)
def test_urls_have_one_form(text: str):
    url = parse_url(text)
    assert (address_of(url), url.netloc) == TAKEN[text]


REFUSED = {
    "ftp://a.b": "http:// or https://",
    "file:///etc/passwd": "http:// or https://",
    "a.b": "http:// or https://",
    "http://": "http:// or https://",
    "http://a.b:0/": "http:// or https://",
    "http://a.b:x/": "is not a URL",
    "http://[x/": "is not a URL",
    "http://a..b/": "is not a URL",
    "http://a b/": "blanks",
    "http://a.b/\r\nx": "blanks",
    "http://a.b/" + "x" * 9000: "too long",
    "http://user:word@a.b/": "leave them out",
}


@pytest.mark.parametrize("text", REFUSED)
def test_other_urls_are_refused(text: str):
    with pytest.raises(ToolError, match=REFUSED[text]):
        parse_url(text)


ADDRESSES = {
    "1.1.1.1": True,
    "2606:4700::1111": True,
    "64:ff9b::101:101": True,
    "127.0.0.1": False,
    "0.0.0.0": False,
    "10.1.2.3": False,
    "172.16.0.1": False,
    "192.168.1.1": False,
    "169.254.169.254": False,
    "100.64.0.1": False,
    "224.0.0.1": False,
    "255.255.255.255": False,
    "::": False,
    "::1": False,
    "fe80::1%eth0": False,
    "fc00::1": False,
    "ff02::1": False,
    "::ffff:10.0.0.1": False,
    "64:ff9b::a00:1": False,
    "2002:a00:1::": False,
}


@pytest.mark.parametrize("address", ADDRESSES)
def test_addresses_are_public_or_not(address: str):
    assert is_public(address) is ADDRESSES[address]


LOCAL = [
    "http://localhost/", "http://127.0.0.1:99/", "http://2130706433/", "http://0x7f.1/",
    "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://169.254.169.254/latest", "http://0/",
]  # fmt: skip


@pytest.mark.parametrize("url", LOCAL)
def test_this_machine_and_its_network_are_refused_by_any_name(url: str):
    with pytest.raises(ToolError, match="allow_local = true"):
        asyncio.run(look_up(parse_url(url), local=False))
    assert asyncio.run(look_up(parse_url(url), local=True))


def test_one_local_address_among_others_is_enough_to_refuse(monkeypatch):
    async def both(*_: object, **__: object) -> list[object]:
        return [(0, 0, 0, "", ("1.1.1.1", 80)), (0, 0, 0, "", ("10.0.0.1", 80))]

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", both)
    with pytest.raises(ToolError, match="local network"):
        asyncio.run(look_up(parse_url("http://a.b/"), local=False))


def test_a_name_that_nobody_knows_is_an_error_but_behind_a_proxy(monkeypatch):
    async def unknown(*_: object, **__: object) -> list[object]:
        raise socket.gaierror("not known")

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", unknown)
    with pytest.raises(ToolError, match="is not found"):
        asyncio.run(look_up(parse_url("http://a.b/"), local=False))
    assert asyncio.run(look_up(parse_url("http://a.b/"), local=False, proxied=True)) == ()

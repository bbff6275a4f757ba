"""Which proxy leads to a URL."""

import pytest

from agent_cli.network.proxies import proxy_for
from agent_cli.types.errors import ConfigurationError

BOTH = {"HTTPS_PROXY": "http://secure:1", "HTTP_PROXY": "http://plain:1"}
ALL = {"all_proxy": "http://all:1"}

RULES = [
    pytest.param("https://a.com/v1", {}, "", id="none"),
    pytest.param("https://a.com/v1", BOTH, "http://secure:1", id="by scheme, https"),
    pytest.param("http://a.com/v1", BOTH, "http://plain:1", id="by scheme, http"),
    pytest.param("https://a.com", ALL, "http://all:1", id="all"),
    pytest.param("http://a.com", BOTH | ALL, "http://plain:1", id="the scheme's own wins"),
    pytest.param(
        "http://a.com", {"http_proxy": "http://x:1", **BOTH}, "http://x:1", id="lower case wins"
    ),
    pytest.param("https://a.com", {"HTTPS_PROXY": "host:3128"}, "http://host:3128", id="no scheme"),
    pytest.param("http://localhost:1", BOTH, "", id="localhost"),
    pytest.param("http://x.localhost", BOTH, "", id="below localhost"),
    pytest.param("http://127.9.9.9:1", BOTH, "", id="IPv4 loopback"),
    pytest.param("http://[::1]:1", BOTH, "", id="IPv6 loopback"),
    pytest.param("http://1.2.3.4.5", BOTH, "http://plain:1", id="almost an address"),
]

EXEMPT = [
    ("*", True),
    ("a.com", True),
    (".a.com", True),
    ("*.a.com", True),
    ("x.org, b.a.com", True),
    ("A.COM", True),
    ("a.com:443", True),
    ("a.com:80", False),
    ("ba.a.com", False),
    ("com.a", False),
    ("10.0.0.0/8", False),
    ("", False),
]


@pytest.mark.parametrize(("url", "environ", "expected"), RULES)
def test_the_proxy_is_chosen_by_scheme_and_loopback_has_none(url, environ, expected):
    assert proxy_for(url, environ) == expected


@pytest.mark.parametrize(("entries", "exempt"), EXEMPT)
def test_no_proxy_exempts_hosts_and_what_is_below_them(entries, exempt):
    proxy = proxy_for("https://b.a.com/v1", BOTH | {"NO_PROXY": entries})
    assert proxy == ("" if exempt else "http://secure:1")


@pytest.mark.parametrize(
    ("host", "entry", "exempt"),
    [
        ("10.1.2.3", "10.0.0.0/8", True),
        ("11.1.2.3", "10.0.0.0/8", False),
        ("10.1.2.3", "10.0.0.0/99", False),
        ("[fd00::1]", "fd00::/8", True),
        ("[fd00::1]", "fd00::1", True),
        ("[fd00::1]", "[fd00::1]:443", True),
    ],
)
def test_no_proxy_exempts_networks_and_addresses(host, entry, exempt):
    proxy = proxy_for(f"https://{host}/", BOTH | {"no_proxy": entry})
    assert proxy == ("" if exempt else "http://secure:1")


@pytest.mark.parametrize("proxy", ["socks5://u:secret@h:1", "https://h:1", "http://"])
def test_a_proxy_that_cannot_be_used_is_refused_without_its_password(proxy):
    with pytest.raises(ConfigurationError, match="cannot use the proxy") as raised:
        proxy_for("https://a.com", {"https_proxy": proxy})
    assert "secret" not in str(raised.value)

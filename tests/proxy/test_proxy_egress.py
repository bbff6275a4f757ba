"""A74: an HTTP tool leads where the operator wrote that it leads, and nowhere else."""

import asyncio
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from msgspec.structs import replace
from testbed.exchange import OPENAI_CHAT
from testbed.managed_service import Answered, ToolService
from testbed.proxied import proxied, tools_of
from testbed.proxy_cells import Cell, M, cells
from testbed.proxy_clients import user
from testbed.replies import Call, Say

from agent_cli.proxy.config import Config, HttpTool, Server, Upstream, checked
from agent_cli.proxy.egress import Egress, allowed
from agent_cli.types.errors import ConfigurationError, ToolError

CHAT = Cell(OPENAI_CHAT, stream=False)


def names_mean(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Let every name mean these addresses, the next ones each time; return who was asked for."""
    asked: list[str] = []
    real = socket.getaddrinfo

    def resolver(host: Any, port: Any, *args: Any, **more: Any) -> Any:
        if host is None or str(host).replace(".", "").isdigit() or ":" in str(host):
            return real(host, port, *args, **more)
        asked.append(str(host))
        found = answers[min(len(asked), len(answers)) - 1]
        return [one for address in found for one in real(address, port, *args, **more)]

    monkeypatch.setattr(socket, "getaddrinfo", resolver)
    return asked


def lead(url: str, *allow: str) -> tuple[str, ...]:
    return asyncio.run(allowed(urlsplit(url), Egress(allow)))


WRITTEN = ["http://127.0.0.1:9/x", "http://10.1.2.3/", "http://[::1]/", "http://93.184.216.34/"]
REFUSED = [
    "http://169.254.169.254/latest/meta-data",
    "http://[fd00:ec2::254]/",
    "http://168.63.129.16/",
    "http://100.100.100.200/",
    "http://0.0.0.0/",
    "http://[::ffff:169.254.169.254]/",
]


@pytest.mark.parametrize("url", WRITTEN)
def test_an_address_that_the_operator_wrote_is_one(url: str):
    assert lead(url)


@pytest.mark.parametrize("url", REFUSED)
def test_what_tells_credentials_has_to_be_allowed(url: str):
    with pytest.raises(ToolError, match="not allowed"):
        lead(url)
    host = urlsplit(url).hostname
    assert lead(url, str(host))


PRIVATE = ["127.0.0.1", "10.0.0.8", "192.168.1.1", "169.254.169.254", "::1", "fe80::1"]


@pytest.mark.parametrize("address", PRIVATE)
def test_a_name_may_not_mean_an_address_in_here(address: str, monkeypatch: pytest.MonkeyPatch):
    names_mean(monkeypatch, ["93.184.216.34", address])
    with pytest.raises(ToolError, match="not allowed"):
        lead("http://tool.example.test/")


def test_a_name_that_is_allowed_may(monkeypatch: pytest.MonkeyPatch):
    names_mean(monkeypatch, ["10.0.0.8"])
    assert lead("http://crm.example.test/", "*.example.test") == ("10.0.0.8",)
    assert lead("http://crm.example.test/", "10.0.0.0/8") == ("10.0.0.8",)
    names_mean(monkeypatch, ["169.254.169.254"])
    with pytest.raises(ToolError, match="not allowed"):
        lead("http://crm.example.test/", "*.example.test")


@cells
def test_a74_a_name_that_means_this_machine_is_refused(
    cell: Cell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    names_mean(monkeypatch, ["127.0.0.1"])
    with ToolService() as service:
        port = urlsplit(service.url).port
        tool = replace(tools_of(service)["docs.search"], url=f"http://tool.test:{port}/docs_search")
        script = [Say(calls=[M]), Say("Done.")]
        with proxied(script, tmp_path, http={"docs.search": tool}) as proxy:
            _, answer = cell.ask(proxy, [user("hi")])
            said = str(proxy.upstream.requests[1].body)
        assert service.begun == []
    assert answer.text == "Done."
    assert "request_failed" in said
    assert "tool.test" not in said.replace("docs", "")


def test_a_name_that_means_something_else_a_moment_later_leads_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    asked = names_mean(monkeypatch, ["127.0.0.2"], ["127.0.0.1"])
    with ToolService() as service:
        port = urlsplit(service.url).port
        tool = replace(tools_of(service)["docs.search"], url=f"http://tool.test:{port}/docs_search")
        parts = {"http": {"docs.search": tool}, "egress": Egress(("tool.test",))}
        with proxied([Say(calls=[M]), Say("Done.")], tmp_path, **parts) as proxy:
            CHAT.ask(proxy, [user("hi")])
            assert "cannot be reached" in str(proxy.upstream.requests[1].body)
        assert service.begun == []
    assert asked == ["tool.test"]


@cells
def test_a74_a_redirect_is_not_followed(cell: Cell, tmp_path: Path):
    away = Answered(307, b"", (("location", "http://169.254.169.254/"),))
    service = ToolService(lambda tool, arguments: away)
    with proxied([Say(calls=[M]), Say("Done.")], tmp_path, service) as proxy:
        cell.ask(proxy, [user("hi")])
        said = str(proxy.upstream.requests[1].body)
    assert "request_failed" in said
    assert "169.254" not in said


def test_two_arguments_cannot_climb_together(tmp_path: Path):
    with ToolService() as service:
        url = f"{service.url}/a/{{q}}{{n}}/b"
        parameters = {"type": "object", "properties": {}}
        search = replace(tools_of(service)["docs.search"], url=url, parameters=parameters)
        script = [Say(calls=[Call("docs_search", {"q": ".", "n": "."})]), Say("Done.")]
        with proxied(script, tmp_path, http={"docs.search": search}) as proxy:
            CHAT.ask(proxy, [user("hi")])
            assert "request_build_failed" in str(proxy.upstream.requests[1].body)
        assert service.begun == []


def test_an_argument_cannot_be_the_host():
    config = Config(
        upstream=Upstream(url="http://127.0.0.1:1"),
        server=Server(auth="none"),
        http={"a.b": HttpTool("https://{tenant}.example.test/x")},
    )
    with pytest.raises(ConfigurationError, match="cannot stand in the host"):
        checked(config, {})

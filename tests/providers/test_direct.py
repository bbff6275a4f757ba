"""What only the direct transport has to prove: connections, proxies, certificates."""

import asyncio
import ssl
import subprocess
from contextlib import aclosing, suppress

import pytest
from testbed.loopback import Answer, Loopback, sent

from agent_cli.providers.base import Endpoint
from agent_cli.providers.direct import DirectTransport
from agent_cli.types.errors import Fault, ProviderError
from agent_cli.wire.frames import Frame

GOOD = Answer(sent(b"data: x\n\n"))
FRAMES = [Frame(b"x")]


async def ask(transport):
    async with aclosing(transport.send(b"{}")) as stream:
        return [frame async for frame in stream]


def transport_to(url, **endpoint):
    return DirectTransport(Endpoint(url, **endpoint), "/p", ())


def fault_of(coroutine):
    with pytest.raises(ProviderError) as raised:
        asyncio.run(coroutine)
    return raised.value


def test_a_connection_closed_while_idle_is_replaced_and_the_request_sent_once():
    async def conversation():
        async with Loopback(GOOD, GOOD) as server:
            transport = transport_to(server.url)
            await ask(transport)
            server.hang_up()
            frames = await ask(transport)
            await transport.close()
            return frames, server

    frames, server = asyncio.run(conversation())
    assert frames == FRAMES
    assert (server.connections, len(server.requests)) == (2, 2)


def test_a_kept_connection_that_dies_with_the_request_is_replaced_at_once():
    async def conversation():
        async with Loopback(GOOD, "closed", GOOD) as server:
            transport = transport_to(server.url)
            frames = [await ask(transport) for _ in range(2)]
            await transport.close()
            return frames, server

    frames, server = asyncio.run(conversation())
    assert frames == [FRAMES, FRAMES]
    assert (server.connections, len(server.requests)) == (2, 3)


def test_a_kept_connection_that_breaks_after_a_byte_is_an_error():
    broken = Answer(before=b"HTTP/1.1 2\r\n")
    error = fault_of(_twice(GOOD, broken))
    assert error.fault is Fault.UNREACHABLE


async def _twice(*answers):
    async with Loopback(*answers) as server:
        transport = transport_to(server.url)
        await ask(transport)
        await ask(transport)


def test_informational_answers_are_passed_over():
    async def conversation():
        hint = b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n"
        async with Loopback(Answer(GOOD.chunks, before=hint)) as server:
            transport = transport_to(server.url)
            frames = await ask(transport)
            await transport.close()
            return frames

    assert asyncio.run(conversation()) == FRAMES


def test_the_query_of_the_base_url_is_kept_and_its_user_is_not_sent():
    async def conversation():
        async with Loopback(GOOD) as server:
            url = f"http://user:secret@127.0.0.1:{server.port}/v1/?version=2"
            transport = transport_to(url)
            await ask(transport)
            await transport.close()
            return server

    server = asyncio.run(conversation())
    [request] = server.requests
    assert request.target == "/v1/p?version=2"
    assert request.headers["host"] == f"127.0.0.1:{server.port}"
    assert "secret" not in str(request.headers)


def test_a_host_that_does_not_exist_is_unreachable():
    error = fault_of(ask(transport_to("http://does-not-exist.invalid:81")))
    assert error.fault is Fault.UNREACHABLE
    assert "cannot reach does-not-exist.invalid:81: " in str(error)


def test_no_connection_in_time_is_unreachable(monkeypatch):
    async def never(*_, **__):
        await asyncio.Event().wait()

    monkeypatch.setattr(asyncio, "open_connection", never)
    error = fault_of(ask(transport_to("http://127.0.0.1:1", connect_timeout=0.05)))
    assert error.fault is Fault.UNREACHABLE
    assert "no connection within 0.05 s" in str(error)


def test_a_refusal_without_end_is_read_up_to_a_limit():
    async def conversation():
        endless = Answer(sent(b"x" * 300_000, 10_000), 400, end="stall")
        async with Loopback(endless) as server:
            await ask(transport_to(server.url))

    error = fault_of(conversation())
    assert error.fault is Fault.INVALID_REQUEST
    assert len(str(error)) <= 300


def test_plain_http_goes_through_the_proxy_by_its_whole_url():
    async def conversation():
        async with Loopback(GOOD) as proxy:
            via = f"http://us%40er:pass@127.0.0.1:{proxy.port}"
            transport = transport_to("http://far.invalid:8080/v1", proxy=via)
            frames = await ask(transport)
            await transport.close()
            return frames, proxy

    frames, proxy = asyncio.run(conversation())
    [request] = proxy.requests
    assert frames == FRAMES
    assert request.target == "http://far.invalid:8080/v1/p"
    assert request.headers["host"] == "far.invalid:8080"
    assert request.headers["proxy-authorization"] == "Basic dXNAZXI6cGFzcw=="


def test_a_proxy_that_refuses_the_tunnel_is_unreachable():
    async def conversation():
        async with Loopback(Answer(status=407)) as proxy:
            via = f"http://127.0.0.1:{proxy.port}"
            await ask(transport_to("https://far.invalid/v1", proxy=via))

    error = fault_of(conversation())
    assert error.fault is Fault.UNREACHABLE
    assert "cannot reach far.invalid:443: the proxy says 407 Reason" in str(error)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """Return certificate and key of an authority that signs for localhost and itself."""
    place = tmp_path_factory.mktemp("tls")
    files = place / "certificate.pem", place / "key.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
    names = ["-subj", "/CN=test", "-addext", "subjectAltName=DNS:localhost"]
    out = ["-out", str(files[0]), "-keyout", str(files[1])]
    subprocess.run([*command.split(), *names, *out], check=True, capture_output=True)
    return files


async def _secure_server(certificate):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*certificate)

    async def serve(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\ndata: x\n\n")
        writer.close()

    return await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)


async def _ask_securely(certificate, **endpoint):
    server = await _secure_server(certificate)
    async with server:
        port = server.sockets[0].getsockname()[1]
        transport = transport_to(f"https://localhost:{port}", **endpoint)
        return await ask(transport)


def test_a_certificate_of_a_trusted_authority_is_accepted(certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    assert asyncio.run(_ask_securely(certificate)) == FRAMES


def test_an_untrusted_certificate_is_refused_for_good_with_advice(certificate):
    error = fault_of(_ask_securely(certificate))
    assert not error.retryable
    assert "SSL_CERT_FILE" in str(error)
    assert "cannot trust localhost:" in str(error)


def test_https_goes_through_the_tunnel_of_a_proxy(certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    asked = []

    async def relay(reader, writer):
        try:
            while data := await reader.read(65_536):
                writer.write(data)
        finally:
            writer.transport.abort()

    async def tunnel(reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        asked.append(head.split("\r\n")[0])
        host, _, port = head.split(" ")[1].rpartition(":")
        there = await asyncio.open_connection(host.replace("localhost", "127.0.0.1"), port)
        writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        with suppress(OSError):
            await asyncio.gather(relay(reader, there[1]), relay(there[0], writer))

    async def conversation():
        proxy = await asyncio.start_server(tunnel, "127.0.0.1", 0)
        async with proxy:
            port = proxy.sockets[0].getsockname()[1]
            return await _ask_securely(certificate, proxy=f"http://127.0.0.1:{port}")

    assert asyncio.run(conversation()) == FRAMES
    [line] = asked
    assert line.startswith("CONNECT localhost:")

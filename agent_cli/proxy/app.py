"""The proxy's routes: what is mediated, what is passed on, and how it is said what goes wrong."""

import time
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from agent_cli.network.serving import Reply, Request
from agent_cli.proxy import mediating
from agent_cli.proxy.access import Access
from agent_cli.proxy.clients import name_of
from agent_cli.proxy.continuity import conversation_of
from agent_cli.proxy.delivery import JSON
from agent_cli.proxy.dialects import chat, messages, responses
from agent_cli.proxy.dialects.base import FIELDS, Fields, fresh_id
from agent_cli.proxy.dialects.dialect import Dialect
from agent_cli.proxy.dialects.functions import is_old, old_form
from agent_cli.proxy.dialects.shapes import words
from agent_cli.proxy.envelopes import ProxyError, anthropic_error, openai_error
from agent_cli.proxy.injection import Injection, injected
from agent_cli.proxy.listening import Listener
from agent_cli.proxy.managed import Managed
from agent_cli.proxy.models import tell_models
from agent_cli.proxy.passing import Passed, known_to, pass_conversation, pass_on, plainly
from agent_cli.proxy.request import Services, asked, pinned
from agent_cli.proxy.routes import COUNT, DIALECTS, HEALTH, STORED, check_route
from agent_cli.proxy.store import PASSED
from agent_cli.proxy.unpacking import unpacked

_BYTES_PER_TOKEN = 4
_GONE = 499
"""The status of an answer that nobody got."""


class _Visit(Struct):
    """One request of a client."""

    id: str
    principal: str
    request: Request
    reply: Reply
    path: str
    """Without the version."""
    body: bytes

    @property
    def target(self) -> str:
        return self.path + self.request.target[len(self.request.path) :]

    @property
    def headers(self) -> dict[str, str]:
        return {"x-request-id": self.id, "x-agent-proxy-request-id": self.id}


class App:
    """Answers requests; `handle` is what a server calls."""

    def __init__(self, services: Services, access: Access, listens: Listener) -> None:
        self._services = services
        self._listens = listens
        self._access = access

    async def handle(self, request: Request, reply: Reply) -> None:
        id_ = fresh_id("req_")
        began = time.monotonic()
        request = replace(request, headers=dict(self._listens.begin(id_, request.headers)))
        path = request.path.removeprefix("/v1") or "/"
        try:
            if path in HEALTH:
                check_route(request.method, path)
                body = b"" if request.method == "HEAD" else b'{"status":"ok"}'
                about = {"x-request-id": id_, "x-agent-proxy-request-id": id_}
                await reply.whole(200, {**about, **JSON}, body)
                return
            principal = self._access.principal(request.headers)
            request = replace(request, headers=self._access.others(request.headers))
            check_route(request.method, path)
            encoding = request.headers.get("content-encoding", "")
            body = unpacked(request.body, encoding, self._services.config.server.max_body)
            visit = _Visit(id_, principal, request, reply, path, body)
            await self._answer(visit)
        except ProxyError as error:
            if reply.begun:
                reply.abort()
                return
            body, headers = refused(error, request.headers, path, id_)
            await reply.whole(error.status, headers, body)
        finally:
            seconds = round(time.monotonic() - began, 3)
            told = {"method": request.method, "path": path, "status": reply.status or _GONE}
            self._services.audit.write("response", id_, **told, seconds=seconds)

    async def _answer(self, visit: _Visit) -> None:
        method, path = visit.request.method, visit.path
        if path == COUNT:
            await self._count(visit)
        elif method == "POST" and path in DIALECTS:
            await self._converse(visit, DIALECTS[path])
        elif path.startswith(STORED):
            await self._stored(visit)
        else:
            dialect = _dialect_of(visit.request.headers, path).NAME
            await tell_models(self._services, dialect, visit.request, visit.reply, visit.headers)

    async def _converse(self, visit: _Visit, dialect: Dialect) -> None:
        fields = _fields(visit.body)
        headers = visit.request.headers
        client, model = self._client(visit), words(_value(fields, "model"))
        old = dialect is chat and is_old(fields)
        spoken, meant = old_form(fields) if old else (dialect, fields)
        injection = await self._injected(visit, client, spoken, meant)
        self._services.audit.write(
            "request",
            visit.id,
            principal=visit.principal,
            path=visit.path,
            model=model or None,
            client=client or None,
            mediated=injection is not None,
        )
        candidates = self._services.upstream.line(dialect.NAME)
        await self._services.accounts.admit(visit.principal, visit.id, candidates, model)
        if injection is None:
            await self._pass_conversation(visit, dialect, fields)
            return
        for name in injection.dropped:
            self._services.audit.write("tool_injection_conflict", visit.id, name=name)
        request = asked((visit.id, visit.principal, client), spoken, headers, meant, injection)
        await mediating.answer(self._services, request, visit.reply, visit.headers)

    async def _injected(
        self, visit: _Visit, client: str, dialect: Dialect, fields: Fields
    ) -> Injection | None:
        """Return the request with managed tools; None for one that gets none."""
        known = self._services.config.clients.get(client)
        speaks = ("input" if dialect is responses else "messages") in fields
        if not speaks or not (known is None or known.mediate):
            return None
        tools = await self._tools(visit, fields)
        mediation = self._services.config.mediation
        return injected(dialect, fields, visit.request.headers, tools, mediation)

    async def _pass_conversation(self, visit: _Visit, dialect: Dialect, fields: Fields) -> None:
        """Pass on what nothing is added to."""
        who = (visit.id, visit.principal, "")
        request = plainly(self._services, who, dialect, visit.request.headers, fields)
        passed = Passed(visit.target, visit.body, bool(dialect.client_names(fields)))
        await pass_conversation(self._services, request, passed, visit.reply, visit.headers)

    async def _count(self, visit: _Visit) -> None:
        """Count with all that the model would be shown; estimate where the upstream cannot."""
        fields = _fields(visit.body)
        headers, client = visit.request.headers, self._client(visit)
        injection = await self._injected(visit, client, messages, fields)
        body = visit.body
        if injection is not None:
            who = (visit.id, visit.principal, client)
            request = asked(who, messages, headers, fields, injection)
            _, history = await mediating.history_of(self._services, request, {})
            body = msgspec.json.encode(messages.with_history(injection.fields, history))
        upstream = self._services.upstream.first(messages.NAME)
        body = called(body, upstream.model(words(_value(fields, "model"))))
        answer = await known_to(upstream, messages.NAME, COUNT, headers, body)
        if answer is not None:
            await pass_on(answer, visit.reply, visit.headers)
            return
        counted = msgspec.json.encode({"input_tokens": len(body) // _BYTES_PER_TOKEN})
        estimated = {**visit.headers, **JSON, "x-agent-proxy-estimate": "1"}
        await visit.reply.whole(200, estimated, counted)

    async def _stored(self, visit: _Visit) -> None:
        """Pass on what asks for a response that was passed on as well.

        Any other the upstream would show with the tools, and the rounds, that its client does not
        know of; or it is somebody else's.
        """
        id_ = visit.path.removeprefix(STORED).partition("/")[0]
        age = self._services.config.continuity.lasts
        found = await self._services.store.get(PASSED, visit.principal, id_, age)
        if found is None and self._services.tools.some:
            raise ProxyError(404, "response_not_found", f"there is no response {id_!r} here")
        method, headers = visit.request.method, visit.request.headers
        upstream = self._services.upstream.first(responses.NAME)
        answer = await upstream.ask(responses.NAME, visit.target, headers, visit.body, method)
        await pass_on(answer, visit.reply, visit.headers)

    def _client(self, visit: _Visit) -> str:
        token = self._services.config.tokens.get(visit.principal)
        clients = self._services.config.clients
        return name_of(clients, token.client if token else "", visit.request.headers)

    async def _tools(self, visit: _Visit, fields: Fields) -> Mapping[str, Managed]:
        """Return the tools of the client's conversation: those that its first request got.

        What the principal may not use any more is none of them.
        """
        token = self._services.config.tokens.get(visit.principal)
        patterns = token.tools if token else ("*",)
        found = self._services.tools.offered(visit.principal, patterns)
        conversation = conversation_of(visit.request.headers, fields)
        kept = await pinned(self._services, visit.principal, conversation, found)
        return self._services.tools.permitted(kept, patterns)


def _dialect_of(headers: Mapping[str, str], path: str) -> Dialect:
    if path in DIALECTS:
        return DIALECTS[path]
    if "anthropic-version" in headers or path == COUNT:
        return messages
    return responses if path.startswith(STORED) else chat


def refused(
    error: ProxyError, headers: Mapping[str, str], path: str, id_: str
) -> tuple[bytes, dict[str, str]]:
    """Return body and headers of an error, in the dialect that the client seems to speak."""
    if _dialect_of(headers, path) is messages:
        body: dict[str, Any] = anthropic_error(error, id_)
    else:
        body = openai_error(error)
    about = {"x-request-id": id_, "x-agent-proxy-request-id": id_}
    return msgspec.json.encode(body), {**about, **error.headers, **JSON}


def _fields(body: bytes) -> Fields:
    try:
        return FIELDS.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ProxyError(400, "invalid_json", f"the body is not a JSON object: {error}") from error


def called(body: bytes, model: str) -> bytes:
    """Return the request with the name that the upstream knows the model by."""
    fields = _fields(body)
    if "model" not in fields or words(_value(fields, "model")) == model:
        return body
    return msgspec.json.encode({**fields, "model": model})


def _value(fields: Fields, name: str) -> object:
    return msgspec.json.decode(fields[name]) if name in fields else None

"""What `agent proxy explain` says of the options, the clients and the headers."""

from typing import Any

import msgspec
from msgspec import inspect

from agent_cli.i18n.catalog import say
from agent_cli.proxy.options import Mediation


def options() -> str:
    """Return `[mediation]` as a table: each name, what can be said, and what it means."""
    info = inspect.type_info(Mediation)
    assert isinstance(info, inspect.StructType)
    meanings = _meanings()
    lines = [say("Options of [mediation]; what holds without a word comes first:")]
    for field in info.fields:
        lines.append(f"    {field.name} = {' | '.join(_values(field))}")
        lines.append(f"        {meanings[field.name]}")
    return "\n".join(lines)


def clients() -> str:
    return say(
        "Clients. [clients.NAME] says how a client is treated: by agents, how its user-agent "
        "begins; by mediate = false, that it gets no managed tools; by usage, how it is told of "
        "tokens. claude-code, codex, opencode and agent are known. A token may say client = NAME."
    )


def headers() -> str:
    return say(
        "Headers. With x-agent-proxy-mediation: off a request passes as it is, with on it is "
        "offered managed tools; with x-agent-proxy-dedupe: off it is another one, though it be "
        "the same as one before. Answers have x-agent-proxy-request-id, by which `agent proxy "
        "audit` tells of them; whole ones also say rounds, managed-calls, disposition and "
        "continuity."
    )


def _values(field: inspect.Field) -> list[str]:
    """Return what can be said, the default first."""
    default = msgspec.to_builtins(field.default)
    known = [default, *(one for one in _choices(field.type) if one != default)]
    return [msgspec.json.encode(one).decode() for one in known if one is not None]


def _choices(kind: inspect.Type) -> list[Any]:
    match kind:
        case inspect.LiteralType(values=values):
            return list(values)
        case inspect.EnumType(cls=enum):
            return [msgspec.to_builtins(one) for one in enum]
        case inspect.BoolType():
            return [True, False]
        case inspect.UnionType(types=types):
            return [one for each in types for one in _choices(each)]
        case _:
            return []


def _meanings() -> dict[str, str]:
    return {**_of_offers(), **_of_calls(), **_of_answers()}


def _of_offers() -> dict[str, str]:
    return {
        "inject_when": say(
            "Offer managed tools where the client has tools, always, or where a header asks for it."
        ),
        "inject_on_none": say("Offer them also where the client allows no call to be made."),
        "extend_allowed_tools": say(
            "Add them where the client allows only some tools; otherwise it gets none there."
        ),
        "n_policy": say(
            "A request for several choices is refused, or passes without managed tools."
        ),
        "reserved_names": say(
            "A call that only looks like one of a server's tools is answered, or is the client's."
        ),
        "schema_validation": say("Check the arguments of managed calls against the tool's schema."),
    }


def _of_calls() -> dict[str, str]:
    return {
        "mixed_policy": say(
            "Native calls after managed ones go to the client, or the model is asked again "
            "without them."
        ),
        "unsafe_policy": say(
            "A native call before a managed one is an error, is one once the model was sent back "
            "in vain, or the model is sent back until it is told to end."
        ),
        "retries": say("How often the model is sent back before the error."),
        "on_prefix_failure": say(
            "Native calls after a managed one that failed go to the client, or the model is asked "
            "again without them."
        ),
        "stop_prefix_on_error": say(
            "Make no managed call of a mixed reply after one that has failed."
        ),
        "mixed_layout": say(
            "Later requests show the model a mixed reply as its reasoning demands, as two turns, "
            "or as one."
        ),
        "guidance_memory": say(
            "Tell the model why its reply was refused when the same request comes again."
        ),
        "native_release": say(
            "Native calls pass when the reply has ended, or at once; then a managed call after "
            "them ends in an error."
        ),
    }


def _of_answers() -> dict[str, str]:
    return {
        "usage": say(
            "Tokens of hidden rounds: their sum, or the input of the last one only. Without a "
            "word, coding clients get the second."
        ),
        "usage_extension": say("Tell in usage.agent_proxy what each round has cost."),
        "terminal_text": say("What the client reads when a tool has ended the turn."),
        "keepalive_chat": say(
            "What Chat Completions clients get while there is nothing to say: not all bear "
            "comments."
        ),
        "thinking_stream": say(
            "Reasoning passes at once (live), which holds without a word, or when it is known "
            "that its round is not hidden."
        ),
        "hidden_reasoning": say(
            "Reasoning of hidden rounds is shown where it passes at once, always, or never before "
            "a hidden call."
        ),
        "round_text": say(
            "Show the words of all rounds, or of the last; then none pass before it has ended."
        ),
        "done_after_error": say("End a Chat Completions stream with [DONE] also after an error."),
    }

"""Ways to break the rules of messages and settings in a Chat Completions request."""

from testbed.histories.openai_chat import (
    EMPTY,
    MISSING,
    PAIRS,
    SHORT,
    answer,
    call,
    picture,
    talked,
)
from testbed.histories.turns import Json, Mutation


def offered(request: Json) -> Json:
    found: Json = request["tools"][0]["function"]
    return found


def final(request: Json) -> Json:
    found: Json = request["messages"][-1]
    return found


def choose(name: str) -> Json:
    return {"type": "function", "function": {"name": name}}


ROLE, TEXT, UNEXPECTED = "Invalid value for 'messages", "expected a string", "was unexpected"
ONLY = "is only allowed when"
MESSAGES: list[Mutation] = [
    ("no messages", SHORT, lambda r: r.update(messages=[])),
    ("messages of a string", SHORT, lambda r: r.update(messages="Hello")),
    ("a role unknown", ROLE, lambda r: r["messages"][0].update(role="function")),
    ("a message that is text", ROLE, lambda r: r["messages"].append("x")),
    ("a key of our own", UNEXPECTED, lambda r: final(r).update(outcome="ok")),
    ("calls of the user", UNEXPECTED, lambda r: final(r).update(tool_calls=[call(r)])),
    ("assistant last", "Expected last role", lambda r: r["messages"].pop()),
    ("system last", "Expected last role", lambda r: final(r).update(role="system")),
    ("a silent assistant", TEXT, lambda r: talked(r).update(content=None)),
    ("an empty assistant", EMPTY, lambda r: talked(r).update(content="")),
    ("an assistant of no parts", EMPTY, lambda r: talked(r).update(content=[])),
    ("an empty user", EMPTY, lambda r: final(r).update(content="")),
    ("a user of no parts", EMPTY, lambda r: final(r).update(content=[])),
    ("a user without content", TEXT, lambda r: final(r).pop("content")),
    ("an empty part", EMPTY, lambda r: final(r)["content"][0].update(text="")),
    ("an empty system", EMPTY, lambda r: r["messages"][0].update(content="")),
    ("a result of none", TEXT, lambda r: answer(r).update(content=None)),
    ("a result of an object", TEXT, lambda r: answer(r).update(content={"a": 1})),
    ("a result of an image", "Invalid value", lambda r: answer(r).update(content=[picture(r)])),
    ("a part unknown", "Invalid value", lambda r: final(r)["content"][0].update(type="input_text")),
    ("a part that is text", "Invalid value", lambda r: final(r).update(content=["x"])),
    ("an image of no address", "valid URL", lambda r: picture(r).update(image_url={})),
    ("an image of a file", "valid URL", lambda r: picture(r)["image_url"].update(url="a.png")),
]
SETTINGS: list[Mutation] = [
    ("no model", "model parameter", lambda r: r.pop("model")),
    ("a parameter unknown", "Unrecognized", lambda r: r.update(max_output_tokens=1)),
    ("stream_options alone", ONLY, lambda r: r.update(stream=False)),
    ("stream_options without stream", ONLY, lambda r: r.pop("stream")),
    ("both limits", "at the same time", lambda r: r.update(max_tokens=1, max_completion_tokens=1)),
    ("a limit of nothing", "minimum value", lambda r: r.update(max_completion_tokens=0)),
    ("a limit of true", "minimum value", lambda r: r.update(max_tokens=True)),
    ("parallel without tools", ONLY, lambda r: r.pop("tools")),
    ("a choice without tools", ONLY, lambda r: r.update(tools=None, tool_choice="auto")),
    ("an empty list of tools", SHORT, lambda r: r.update(tools=[])),
    ("a tool without function", MISSING, lambda r: r["tools"][0].pop("function")),
    ("a flat tool", MISSING, lambda r: r["tools"].append({"type": "function", "name": "x"})),
    ("a tool without name", MISSING, lambda r: offered(r).pop("name")),
    ("a tool's name with a dot", "does not match", lambda r: offered(r).update(name="a.b")),
    ("a tool's name too long", "does not match", lambda r: offered(r).update(name="n" * 65)),
    ("a schema of text", "of type 'object'", lambda r: offered(r).update(parameters="{}")),
    (
        "a schema of a list",
        "of type 'object'",
        lambda r: offered(r).update(parameters={"type": "array"}),
    ),
    ("a loose strict tool", "additionalProperties", lambda r: offered(r).update(strict=True)),
    ("a tool twice", "must be unique", lambda r: r["tools"].append(r["tools"][0])),
    ("parallel as text", "expected a boolean", lambda r: r.update(parallel_tool_calls="yes")),
    ("a choice unknown", "supported values", lambda r: r.update(tool_choice="any")),
    (
        "a choice of nothing",
        "supported values",
        lambda r: r.update(tool_choice={"type": "function"}),
    ),
    ("a tool not there", "no function named", lambda r: r.update(tool_choice=choose("x"))),
]
MUTATIONS = [*PAIRS, *MESSAGES, *SETTINGS]

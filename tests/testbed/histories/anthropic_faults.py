"""Ways to break the rules of blocks and settings in a Messages request."""

from testbed.histories.anthropic_messages import (
    MARK,
    TURN_MUTATIONS,
    after,
    call,
    failed,
    image,
    reasoned,
    result,
)
from testbed.histories.turns import Json, Mutation


def first(request: Json) -> Json:
    found: Json = request["messages"][0]["content"][0]
    return found


def thought(request: Json) -> Json:
    found: Json = reasoned(request)["content"][0]
    return found


def marked(request: Json, count: int) -> None:
    """Mark so many blocks of the messages for the cache."""
    blocks = [block for message in request["messages"][:-1] for block in message["content"]]
    able = [block for block in blocks if block["type"] != "thinking"]
    for block in able[:count]:
        block["cache_control"] = MARK


def crowded(request: Json) -> None:
    request["messages"][-1]["content"] = [image(request)] * 100


def choose(kind: str, **more: object) -> Json:
    return {"type": kind, **more}


PATTERN, EMPTY, BLANK = "should match pattern", "must be non-empty", "non-whitespace"
DICTIONARY, EXTRA = "valid dictionary", "Extra inputs are not permitted"
BLOCKS: list[Mutation] = [
    ("an id with a colon", PATTERN, lambda r: call(r).update(id="call:1")),
    ("an empty id", PATTERN, lambda r: call(r).update(id="")),
    ("an id of letters outside ASCII", PATTERN, lambda r: call(r).update(id="tööl")),
    ("no id", "valid string", lambda r: call(r).pop("id")),
    ("a name with a blank", PATTERN, lambda r: call(r).update(name="read file")),
    ("a name too long", PATTERN, lambda r: call(r).update(name="n" * 129)),
    ("input as text", DICTIONARY, lambda r: call(r).update(input='{"path": "a"}')),
    ("input as a list", DICTIONARY, lambda r: call(r).update(input=[])),
    ("no input", DICTIONARY, lambda r: call(r).pop("input")),
    ("empty text", EMPTY, lambda r: first(r).update(text="")),
    ("blank text", BLANK, lambda r: first(r).update(text=" \n")),
    ("text that is none", "valid string", lambda r: first(r).update(text=None)),
    ("an empty message", "non-empty content", lambda r: r["messages"][0].update(content=[])),
    ("an empty string", "non-empty content", lambda r: r["messages"][-1].update(content="")),
    ("no content", "valid string or list", lambda r: r["messages"][0].update(content=None)),
    (
        "a block that is text",
        "list of dictionaries",
        lambda r: r["messages"][0].update(content=["x"]),
    ),
    ("a message that is text", DICTIONARY, lambda r: r["messages"].append("x")),
    ("a key of our own in a message", EXTRA, lambda r: r["messages"][0].update(id="1")),
    ("a key of our own in a call", EXTRA, lambda r: call(r).update(complete=True)),
    ("a type unknown", "does not match any", lambda r: first(r).update(type="input_text")),
    ("thinking unsigned", "signature: Field required", lambda r: thought(r).update(signature="")),
    ("thinking without a signature", "Field required", lambda r: thought(r).pop("signature")),
    ("thinking without thoughts", "Field required", lambda r: thought(r).pop("thinking")),
    ("thinking marked", EXTRA, lambda r: thought(r).update(cache_control=MARK)),
    ("thinking after a call", "must come before", lambda r: after(r, "tool_use", thought(r))),
    ("thinking last", "The final block", lambda r: reasoned(r)["content"].append(thought(r))),
    (
        "redacted without data",
        "data: Field required",
        lambda r: reasoned(r)["content"].insert(0, {"type": "redacted_thinking"}),
    ),
    ("an error without words", "cannot be empty", lambda r: failed(r).update(content="")),
    (
        "an error with an image",
        "must be type `text`",
        lambda r: failed(r).update(content=[image(r)]),
    ),
    ("is_error as text", "valid boolean", lambda r: failed(r).update(is_error="yes")),
    ("a result of a number", "valid string or list", lambda r: result(r).update(content=1)),
    ("a result of strings", "list of dictionaries", lambda r: result(r).update(content=["x"])),
    (
        "a result with empty text",
        EMPTY,
        lambda r: result(r).update(content=[{"type": "text", "text": ""}]),
    ),
    ("an image without source", "source: Input tag", lambda r: image(r).pop("source")),
    ("a bitmap", "media_type", lambda r: image(r)["source"].update(media_type="image/bmp")),
    ("an image that is no base64", "invalid base64", lambda r: image(r)["source"].update(data="!")),
    (
        "an image too large",
        "5 MB maximum",
        lambda r: image(r)["source"].update(data="A" * (5 * 1024 * 1024 + 4)),
    ),
    ("too many images", "too many images", crowded),
    (
        "a document without source",
        "source: Field required",
        lambda r: r["messages"][0]["content"].append({"type": "document"}),
    ),
    ("five cache marks", "maximum of 4 blocks", lambda r: marked(r, 3)),
    ("a cache mark unknown", "'ephemeral'", lambda r: first(r).update(cache_control={"type": "x"})),
    (
        "a cache mark for a day",
        "ttl",
        lambda r: first(r).update(cache_control={"type": "ephemeral", "ttl": "1d"}),
    ),
]
SETTINGS: list[Mutation] = [
    ("no model", "model: Field required", lambda r: r.pop("model")),
    ("no max_tokens", "max_tokens: Field required", lambda r: r.pop("max_tokens")),
    ("max_tokens of nothing", "greater than or equal to 1", lambda r: r.update(max_tokens=0)),
    ("a parameter unknown", EXTRA, lambda r: r.update(max_output_tokens=1)),
    ("stream as text", "valid boolean", lambda r: r.update(stream="true")),
    ("no tools", "must define tools", lambda r: r.pop("tools")),
    ("tools as an object", "valid list", lambda r: r.update(tools={})),
    ("a tool that is text", DICTIONARY, lambda r: r["tools"].append("x")),
    ("a tool's name with a dot", PATTERN, lambda r: r["tools"][0].update(name="a.b")),
    ("a tool's name too long", PATTERN, lambda r: r["tools"][0].update(name="n" * 129)),
    ("a tool without schema", "Field required", lambda r: r["tools"][0].pop("input_schema")),
    (
        "a schema that is no object",
        "Input should be 'object'",
        lambda r: r["tools"][0].update(input_schema={"type": "array"}),
    ),
    ("a description of none", "valid string", lambda r: r["tools"][0].update(description=None)),
    ("a tool twice", "names must be unique", lambda r: r["tools"].append(r["tools"][0])),
    ("a choice unknown", "Input tag", lambda r: r.update(tool_choice=choose("required"))),
    ("a choice of a string", "Input tag", lambda r: r.update(tool_choice="auto")),
    ("a tool not there", "not found", lambda r: r.update(tool_choice=choose("tool", name="x"))),
    (
        "parallel as text",
        "valid boolean",
        lambda r: r.update(tool_choice=choose("auto", disable_parallel_tool_use="no")),
    ),
    (
        "a choice of nothing",
        "providing tools",
        lambda r: r.update(tools=[], tool_choice=choose("any")),
    ),
    (
        "thinking and a forced tool",
        "forces tool use",
        lambda r: r.update(
            tool_choice=choose("any"), thinking=choose("enabled", budget_tokens=1024)
        ),
    ),
    ("thinking of a kind unknown", "thinking.type", lambda r: r.update(thinking=choose("on"))),
    ("no budget", "equal to 1024", lambda r: r.update(thinking=choose("enabled"))),
    (
        "a budget above the limit",
        "must be greater than",
        lambda r: r.update(thinking=choose("enabled", budget_tokens=8000)),
    ),
    ("system of a number", "system: Input should", lambda r: r.update(system=1)),
    ("system empty", EMPTY, lambda r: r["system"][0].update(text="")),
    ("system of an image", "Input should be 'text'", lambda r: r.update(system=[image(r)])),
]
MUTATIONS = [*TURN_MUTATIONS, *BLOCKS, *SETTINGS]

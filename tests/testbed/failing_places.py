"""How calls of the tools that leave this machine fail: the web, the browser, models, servers."""

import sys
from base64 import b64encode
from pathlib import Path
from typing import Any

import msgspec
from testbed.loopback import SILENT, Answer
from testbed.replies import Call
from testbed.scenario import Scenario, file, large, patched
from testbed.servers import HERE

from agent_cli.types.outcomes import Code
from agent_cli.workspace.files import READ_LIMIT

INVALID = Code.INVALID_ARGUMENTS
LOCAL = {"web": {"allow_local": True}}
CLOSED = "http://127.0.0.1:1/"
PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 2000
PAGE = b"<title>A page</title><h1>Hello</h1>"


def page(body: bytes = PAGE, kind: str = "text/html", **rest: Any) -> Answer:
    return Answer((body,), headers={"content-type": kind}, **rest)


def redirect(location: str) -> Answer:
    return Answer(status=302, headers={"location": location})


def fetching(says: str, *answers: Answer | str, path: str = "/", **rest: Any) -> Scenario:
    rest = {"settings": LOCAL, **rest}
    return Scenario({"url": f"{{URL}}{path}"}, says, answers=answers, **rest)


FETCHING = {
    "url": Scenario({"url": "ftp://example.com/"}, "begins with http:// or https://"),
    "host": Scenario({"url": "{URL}/"}, "is on this machine or in a local network"),
    "unreachable": Scenario({"url": CLOSED}, "no answer from", settings=LOCAL),
    "timeout": fetching(
        "no answer from",
        SILENT,
        code=Code.TIMED_OUT,
        patch=patched("agent_cli.network.fetch.TIMEOUT", 0.1),
    ),
    "refused": fetching("answers 404", Answer(status=404)),
    "elsewhere": fetching("redirects to another host", redirect("http://example.com/")),
    "redirects": fetching("redirects more than 5 times", *[redirect("/again")] * 5),
    "not_text": fetching("cannot be shown as text", page(b"PK", "application/zip")),
    "too_large": fetching(
        "larger than the limit of 99 bytes",
        page(PNG, "image/png"),
        patch=patched("agent_cli.network.fetch.LIMIT", 99),
    ),
    "document": fetching("a PDF document that is broken", page(b"%PDF-1.7\nno")),
    "offset": Scenario(
        {"url": "{URL}/", "offset": 9_999}, "is past the end", answers=(page(),), settings=LOCAL
    ),
}
ICON = Answer(status=404)
AWAY = b"<script>location.href = location.href.replace('127.0.0.1', 'localhost')</script>"


def driven(action: str, says: str, code: Code | None = None, /, **args: Any) -> Scenario:
    return Scenario({"action": action, **args}, says, code, settings=LOCAL)


BROWSING = {
    "missing": driven("launch", "launch needs 'url'", INVALID),
    "form": driven("click", "is not of the form", INVALID, coordinate="here"),
    "url": driven("launch", "begins with http:// or https://", url="about:blank"),
    "blocked": driven(
        "launch", "not a file of the workspace", Code.BLOCKED_PATH, url="file:///etc/passwd"
    ),
    "not_launched": driven("screenshot", "launch a URL first"),
    "host": Scenario({"action": "launch", "url": "{URL}/"}, "is on this machine"),
    "page": driven("launch", "launch failed", url=CLOSED),
    "elsewhere": Scenario(
        {"action": "launch", "url": "{URL}/"},
        "went to another host and was left",
        answers=(page(AWAY), *[ICON] * 3),
        settings=LOCAL,
    ),
    "browser": Scenario(
        {"action": "launch", "url": "{URL}/"},
        "the browser ended: no such thing",
        settings=LOCAL,
        patch=patched("agent_cli.tools._browser._CHILD", "raise SystemExit('no such thing')"),
    ),
    "timeout": Scenario(
        {"action": "launch", "url": "{URL}/"},
        "did not answer within",
        Code.TIMED_OUT,
        settings=LOCAL,
        patch=patched("agent_cli.tools._browser.TIMEOUT", 0.01),
    ),
}

PAINTER = {
    "images": {"model": "own/painter"},
    "providers": {"own": {"base_url": "{URL}/v1", "wire": "openai_chat"}},
}


def image(data: bytes, status: int = 200) -> Answer:
    body = {"created": 1, "data": [{"b64_json": b64encode(data).decode()}]}
    return page(msgspec.json.encode(body), "application/json", status=status)


def painting(path: str, says: str, *answers: Answer, **rest: Any) -> Scenario:
    args = {"prompt": "a cat", "path": path, **rest.pop("args", {})}
    return Scenario(args, says, settings=PAINTER, answers=answers, **rest)


def _folder(root: Path) -> None:
    (root / "folder.png").mkdir()


PAINTING = {
    "no_prompt": painting("a.png", "the prompt is empty", code=INVALID, args={"prompt": " "}),
    "blocked": painting("hidden.png", "covered by .agentignore", code=Code.BLOCKED_PATH),
    "start": painting("a.png", "is not a PNG", args={"image": "a.txt"}),
    "model": painting("a.png", "no image was made", image(PNG, 400)),
    "no_image": painting("a.png", "is not an image: nothing was written", image(b"text")),
    "too_large": painting("a.png", "is larger than", prepare=large("a.png", READ_LIMIT + 1)),
    "unwritable": painting("folder.png", "it is a directory", prepare=_folder),
    "changed": painting(
        "a.png", "has changed since", image(PNG), asks=True, on_start=file("a.png", "else")
    ),
}


def served(*does: str, timeout: float = 60) -> dict[str, Any]:
    """Settings with a server that a model gets to know too late to be offered its tools."""
    words = ["-I", str(HERE / "bare_server.py"), *does]
    bare = {"command": sys.executable, "args": words, "timeout": timeout}
    return {"mcp": {"wait": 0, "servers": {"bare": bare}}}


def using(tool: str, says: str, *does: str, timeout: float = 60, **rest: Any) -> Scenario:
    args = {"server_name": "bare", "tool_name": tool, "arguments": {}}
    return Scenario(args, says, settings=served(*does, timeout=timeout), **rest)


def called(tool: str) -> Call:
    return Call("use_mcp_tool", {"server_name": "bare", "tool_name": tool})


GONE = "server 'bare' is gone"
PATIENCE = 4.0
"""Seconds for a server that never answers; enough for it to start on a busy machine."""
SILENCE = f"did not answer within {PATIENCE:g} seconds"
USING = {
    "no_object": Scenario(
        {"server_name": "bare", "tool_name": "echo", "arguments": "[1]"},
        "are no JSON object",
        INVALID,
        settings=served(),
    ),
    "server": Scenario(
        {"server_name": "none", "tool_name": "echo"}, "no server 'none'", settings=served()
    ),
    "unusable": using("echo", "cannot find my configuration", "leaves"),
    "gone": using("die", GONE),
    "timeout": using("wait", SILENCE, timeout=PATIENCE, code=Code.TIMED_OUT),
    "answer": using("echo", "refused", "tools/call:refuse"),
    "tool": using("nothing", "has no tool 'nothing'"),
    "changed": using(
        "echo", "has changed what 'echo' does", "renews", before=(called("echo"), called("die"))
    ),
    "refused": using("refuse", "not today"),
}


def reading(says: str, *does: str, timeout: float = 60, **rest: Any) -> Scenario:
    args = {"server_name": "bare", "uri": "note://one"}
    return Scenario(args, says, settings=served(*does, timeout=timeout), **rest)


READING = {
    "server": Scenario(
        {"server_name": "none", "uri": "note://one"}, "no server 'none'", settings=served()
    ),
    "unusable": reading("cannot find my configuration", "leaves"),
    "gone": reading(GONE, "resources/read:die"),
    "timeout": reading(SILENCE, "resources/read:wait", timeout=PATIENCE, code=Code.TIMED_OUT),
    "answer": reading("gave no valid answer", "resources/read:wrong"),
    "resource": reading("refused", "resources/read:refuse"),
}
SCENARIOS: dict[str, dict[str, Scenario]] = {
    "web_fetch": FETCHING,
    "browser_action": BROWSING,
    "generate_image": PAINTING,
    "use_mcp_tool": USING,
    "access_mcp_resource": READING,
}

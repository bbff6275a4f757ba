"""What a folder is set up with for Roo Code, said in our files.

| there | here |
|---|---|
| .roomodes | .agent/modes/SLUG.md |
| .roo/rules/, .roorules | .agent/rules/ |
| .roo/rules-SLUG/, .roorules-SLUG | .agent/rules-SLUG/ |
| .roo/commands/ | .agent/commands/ |
| .roo/mcp.json | .mcp.json |
| .rooignore | .agentignore |

Rule 1: what cannot be said exactly is said more strictly, or left out, with a remark.
Rule 2: nothing is interpreted beyond that; a rule or a command stays as it was written.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from msgspec import Struct

from agent_cli.context._yaml import read_yaml
from agent_cli.context.modes import modes, read_mode
from agent_cli.i18n.catalog import say
from agent_cli.types.errors import ConfigurationError

MODES = ".roomodes"
SERVERS = ".roo/mcp.json"
IGNORED = ".rooignore"
_RULES = ".roorules"
_KINDS = {
    "read": "read",
    "edit": "write",
    "browser": "network",
    "command": "execute",
    "mcp": "mcp",
    "modes": "mode",
}
_SLUG = re.compile(r"[A-Za-z0-9-]+")
_SERVER_FIELDS = frozenset(
    {"type", "command", "args", "env", "cwd", "url", "headers", "timeout", "disabled"}
)
_NO_RULE = re.compile(
    r".*\.(bak|cache|crdownload|db|dmp|dump|eslintcache|lock|log|old|part|partial|pyc|pyo"
    r"|stackdump|swo|swp|temp|tmp)|(.*/)?(\.DS_Store|Thumbs\.db)"
)


class Written(Struct, frozen=True):
    """A file to be written."""

    path: str
    text: str
    source: str


class Remark(Struct, frozen=True):
    """What of a file is not brought over, and why."""

    source: str
    why: str


class Imported(Struct, frozen=True):
    files: tuple[Written, ...]
    remarks: tuple[Remark, ...]


def tops(modes_text: bytes | None = None) -> tuple[str, ...]:
    """Return where to look; the names of rules files follow from the modes there are."""
    slugs = [mode.slug for mode in modes()]
    for entry in _entries(modes_text, []):
        slug = str(entry.get("slug", ""))
        if _SLUG.fullmatch(slug):
            slugs.append(slug)
    named = [f"{_RULES}-{slug}" for slug in dict.fromkeys(slugs)]
    return (MODES, ".roo", IGNORED, _RULES, *named)


def converted(files: Mapping[str, bytes]) -> Imported:
    """Return what is to be written, in the order of the paths; the first of a path counts."""
    remarks: list[Remark] = []
    written: dict[str, Written] = {}
    for one in (*_modes(files.get(MODES), remarks), *_others(files, remarks)):
        written.setdefault(one.path, one)
    # What is to be ignored comes last: it must not keep the others from being written.
    paths = sorted(written, key=lambda path: (path == ".agentignore", path))
    return Imported(tuple(written[path] for path in paths), tuple(remarks))


def _entries(content: bytes | None, remarks: list[Remark]) -> list[dict[str, Any]]:
    if content is None:
        return []
    text = content.decode("utf-8", errors="replace").removeprefix("\ufeff")
    try:
        found: Any = json.loads(text) if text.lstrip().startswith("{") else read_yaml(text)
    except (ValueError, RecursionError) as error:
        remarks.append(Remark(MODES, say("it cannot be read: {error}", error=str(error))))
        return []
    entries = cast("dict[str, Any]", found).get("customModes") if isinstance(found, dict) else None
    if not _is_list(entries):
        remarks.append(Remark(MODES, say("it has no list of customModes")))
        return []
    return [cast("dict[str, Any]", one) for one in cast("list[Any]", entries) if _is_map(one)]


def _modes(content: bytes | None, remarks: list[Remark]) -> Iterator[Written]:
    for entry in _entries(content, remarks):
        slug = str(entry.get("slug", ""))
        source = f"{MODES} ({slug})"
        text = _mode_text(entry, source, remarks)
        try:
            read_mode(slug, text)
        except ConfigurationError as error:
            remarks.append(Remark(source, str(error)))
            continue
        yield Written(f".agent/modes/{slug}.md", text, source)


def _mode_text(entry: Mapping[str, Any], source: str, remarks: list[Remark]) -> str:
    role = _text(entry, "roleDefinition")
    when = _text(entry, "whenToUse") or _text(entry, "description") or role
    kinds, pattern = _groups(entry.get("groups"), source, remarks)
    fields = {"name": _text(entry, "name"), "kinds": ", ".join(kinds), "files": pattern}
    lines = [
        f"{name}: {_field(value)}"
        for name, value in {**fields, "when": when}.items()
        if value or name == "kinds"
    ]
    more = _text(entry, "customInstructions")
    body = "\n\n".join(part for part in (role, more) if part)
    return "\n".join(["---", *lines, "---", body, ""])


def _groups(groups: object, source: str, remarks: list[Remark]) -> tuple[list[str], str]:
    """Return our kinds and the pattern of files; without a usable pattern nothing is written."""
    kinds: list[str] = []
    pattern = ""
    for group in cast("list[Any]", groups) if _is_list(groups) else []:
        name, options = (group, None) if isinstance(group, str) else _with_options(group)
        kind = _KINDS.get(name)
        if kind is None:
            remarks.append(Remark(source, say("the group {name} is unknown", name=repr(name))))
            continue
        if options is not None and kind == "write":
            pattern = options
            if not _compiles(pattern):
                why = say("its pattern of files is not one here, so it may write none")
                remarks.append(Remark(source, why))
                pattern = ""
                continue
        kinds.append(kind)
    if pattern and "execute" in kinds:
        why = say("it may only write some files, so its commands can change nothing")
        remarks.append(Remark(source, why))
    return list(dict.fromkeys(kinds)), pattern


def _with_options(group: object) -> tuple[str, str | None]:
    parts = cast("list[Any]", group) if _is_list(group) else []
    options: Any = parts[1] if len(parts) > 1 else {}
    found = cast("dict[str, Any]", options).get("fileRegex") if _is_map(options) else None
    return (str(parts[0]) if parts else ""), (None if found is None else str(found))


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return bool(pattern) and "\n" not in pattern


def _others(files: Mapping[str, bytes], remarks: list[Remark]) -> Iterator[Written]:
    for source, content in files.items():
        if source == MODES:
            continue
        path = _path(source)
        if path is None:
            if not _NO_RULE.fullmatch(source):
                remarks.append(Remark(source, say("there is nothing like it here")))
        elif b"\0" in content:
            remarks.append(Remark(source, say("it is not text")))
        elif source == SERVERS:
            yield from _servers(content, remarks)
        elif content.strip():
            yield Written(path, content.decode("utf-8", errors="replace"), source)


def _path(source: str) -> str | None:
    """Return where a file belongs here; None where nowhere."""
    if source in (SERVERS, IGNORED):
        return ".mcp.json" if source == SERVERS else ".agentignore"
    if source == _RULES or source.startswith(f"{_RULES}-"):
        return f".agent/rules{source.removeprefix(_RULES)}/roorules.md"
    top, _, below = source.removeprefix(".roo/").partition("/")
    if top == "commands" and below.endswith(".md"):
        return f".agent/commands/{below}"
    is_rule = top == "rules" or (top.startswith("rules-") and _SLUG.fullmatch(top[6:]))
    if not (below and is_rule) or _NO_RULE.fullmatch(below):
        return None
    return f".agent/{top}/{below if below.endswith('.md') else f'{below}.md'}"


def _servers(content: bytes, remarks: list[Remark]) -> Iterator[Written]:
    try:
        found: Any = json.loads(content)
        servers: Any = found["mcpServers"]
        entries: list[tuple[str, dict[str, Any]]] = list(servers.items())
        kept = {name: _server(name, entry, remarks) for name, entry in entries}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        remarks.append(Remark(SERVERS, say("it cannot be read: {error}", error=str(error))))
        return
    text = json.dumps({"mcpServers": kept}, indent=2, ensure_ascii=False)
    yield Written(".mcp.json", text + "\n", SERVERS)


def _server(name: str, entry: dict[str, Any], remarks: list[Remark]) -> dict[str, Any]:
    lost = sorted(entry.keys() - _SERVER_FIELDS)
    if lost:
        said = say("these are left out: {names}", names=", ".join(lost))
        remarks.append(Remark(f"{SERVERS} ({name})", said))
    return {key: value for key, value in entry.items() if key in _SERVER_FIELDS}


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _is_map(value: object) -> bool:
    return isinstance(value, dict)


def _text(entry: Mapping[str, Any], name: str) -> str:
    value = entry.get(name)
    return value.strip() if isinstance(value, str) else ""


def _field(value: str) -> str:
    """Write a value into front matter, which has one line for it and takes quotes off."""
    line = " ".join(value.split())
    if line[:1] in ("'", '"') or re.fullmatch(r"[|>][+-]?", line):
        return "'" + line.replace("'", "''") + "'"
    return line

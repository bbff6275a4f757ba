"""The options of a session, one type each: name, help, and how typer reads it."""

import re
from pathlib import Path
from typing import Annotated, TypeAlias

from msgspec import Struct
from typer import Argument, BadParameter, Option

from agent_cli.i18n.catalog import say

Prompt: TypeAlias = Annotated[list[str] | None, Argument(help="What is to be done.")]
Print: TypeAlias = Annotated[
    bool, Option("--print", "-p", "--prompt", help="Do this one task and exit.")
]
OutputFormat: TypeAlias = Annotated[
    str, Option("--output-format", help="text, json or stream-json, with --print.")
]
Json: TypeAlias = Annotated[bool, Option("--json", help="Short for --output-format stream-json.")]
Model: TypeAlias = Annotated[str, Option("--model", "-m", help="provider/name, or replay:FILE.")]
Mode: TypeAlias = Annotated[
    str, Option("--mode", "--agent", help="code, architect, ask, debug, orchestrator or your own.")
]
Protocol: TypeAlias = Annotated[str, Option("--protocol", help="native or xml.")]
Parallel: TypeAlias = Annotated[
    bool | None,
    Option("--parallel-tool-calls/--no-parallel-tool-calls", help="Several calls per message."),
]
Transport: TypeAlias = Annotated[str, Option("--transport", help="direct or sdk.")]
MaxTurns: TypeAlias = Annotated[
    int | None, Option("--max-turns", help="Model responses at most, in the whole session.")
]
MaxCost: TypeAlias = Annotated[
    float | None,
    Option(
        "--max-cost", "--max-budget-usd", "--max-price", help="US dollars, in the whole session."
    ),
]
MaxTokens: TypeAlias = Annotated[
    int | None, Option("--max-tokens", help="Tokens read and written, in the whole session.")
]
MaxTime: TypeAlias = Annotated[
    str, Option("--max-time", help="Of models and calls at work, in the whole session: 90s, 10m.")
]
Verify: TypeAlias = Annotated[
    list[str] | None,
    Option("--verify", help="A command that must pass before the task counts as completed."),
]
ApprovalMode: TypeAlias = Annotated[
    str,
    Option("--approval-mode", "--permission-mode", help="ask, accept-edits, plan or auto."),
]
Yolo: TypeAlias = Annotated[
    bool, Option("--yolo", "-y", help="Ask nothing; deny rules and protected names stay.")
]
Sandbox: TypeAlias = Annotated[
    str, Option("--sandbox", help="Confine commands: off, workspace or read-only.")
]
Trust: TypeAlias = Annotated[
    bool, Option("--trust", help="Trust this folder's settings as they are, for this run.")
]
Plain: TypeAlias = Annotated[
    bool, Option("--plain", help="Lines of words only, for screen readers and dumb terminals.")
]
Allowed: TypeAlias = Annotated[
    list[str] | None,
    Option("--allowed-tools", help="Rules that need no question, comma-separated."),
]
Disallowed: TypeAlias = Annotated[
    list[str] | None, Option("--disallowed-tools", help="Tools to leave out, rules to deny.")
]
Cwd: TypeAlias = Annotated[
    Path | None, Option("--cwd", "-C", "--cd", help="Work in this directory.")
]
AddDir: TypeAlias = Annotated[
    list[Path] | None, Option("--add-dir", help="One more directory to work in.")
]
Ephemeral: TypeAlias = Annotated[
    bool,
    Option(
        "--ephemeral",
        "--no-session",
        help="Keep no session file; what commands change cannot be undone then.",
    ),
]
Continue: TypeAlias = Annotated[
    bool, Option("--continue", "-c", help="Go on with the last session of this directory.")
]
Resume: TypeAlias = Annotated[
    str, Option("--resume", "-r", "--session", "-s", help="Go on with a session, by id.")
]
Fork: TypeAlias = Annotated[
    bool,
    Option("--fork", "--fork-session", help="Go on in a new session with the same beginning."),
]
Record: TypeAlias = Annotated[
    Path | None, Option("--record", help="Write a cassette of the run to this file.")
]


_TIME = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s?)?", re.ASCII)


class Flags(Struct, frozen=True):
    """What was said on the command line."""

    prompt: list[str] | None
    once: bool
    output_format: str
    json: bool
    model: str
    mode: str
    protocol: str
    parallel: bool | None
    transport: str
    max_turns: int | None
    max_tokens: int | None
    max_cost: float | None
    max_time: str
    verify: list[str] | None
    approval_mode: str
    yolo: bool
    sandbox: str
    trust: bool
    allowed_tools: list[str] | None
    disallowed_tools: list[str] | None
    cwd: Path | None
    add_dir: list[Path] | None
    ephemeral: bool
    continue_: bool
    resume: str
    fork: bool
    record: Path | None
    plain: bool

    def settings(self) -> dict[str, object]:
        """Return those that override the settings, by the settings' names."""
        flags: dict[str, object] = {
            "model": self.model or None,
            "mode": self.mode or None,
            "protocol": self.protocol or None,
            "transport": self.transport or None,
            "approval.mode": self.approval_mode or None,
            "sandbox.mode": self.sandbox or None,
            "parallel_tool_calls": self.parallel,
            "max_turns": self.max_turns,
            "max_tokens": self.max_tokens,
            "max_cost": self.max_cost,
            "max_seconds": seconds(self.max_time),
            "terminal.plain": self.plain or None,
            "completion.verify": self.verify or None,
        }
        return {name: value for name, value in flags.items() if value is not None}


def seconds(said: str) -> float | None:
    """Return how long `90s`, `10m`, `2h` or `1h30m` is; None if nothing was said."""
    if not said:
        return None
    found = _TIME.fullmatch(said.strip())
    if found is None or not any(found.groups()):
        wrong = f"{said!r} is no time: write 90s, 10m, 2h or 1h30m"
        raise BadParameter(wrong, param_hint="--max-time")
    hours, minutes, rest = (float(part or 0) for part in found.groups())
    return hours * 3600 + minutes * 60 + rest


def directory(said: Path | None, option: str = "--cwd") -> Path:
    """Return the directory that the option names, the current one if it was not given."""
    root = (said or Path()).absolute()
    if not root.is_dir():
        raise BadParameter(say("{said!r} is not a directory", said=str(said)), param_hint=option)
    return root

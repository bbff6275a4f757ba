"""Journals for tests: a short session with one of everything, and its bytes."""

from collections.abc import Iterable, Sequence
from hashlib import sha256

from testbed.story import (
    BEGINNING,
    accepted,
    asked,
    completion,
    denied,
    entries_of,
    ran,
    settled,
    started,
)

from agent_cli.sessions.codec import SEED, seal
from agent_cli.types.approval import ApprovalMode, DecidedBy, Decision, Verdict
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.entries import (
    ApprovalSwitched,
    AssistantSaid,
    AttemptLost,
    BudgetStopped,
    CallDecided,
    CallFinished,
    CheckRun,
    Entry,
    Envelope,
    FailuresWaived,
    FilesChanged,
    FilesRestored,
    HistoryCompacted,
    Interrupted,
    ModelSwitched,
    ModeSwitched,
    Nudged,
    ParallelSwitched,
    PreImageKept,
    Rewound,
    RuleGranted,
    SessionRenamed,
    TaskFinished,
    TaskStarted,
    Todo,
    TodosUpdated,
    TurnRulesSet,
    UserSaid,
    VerdictGiven,
)
from agent_cli.types.evidence import Check, FileChange, FileVersion
from agent_cli.types.messages import (
    AssistantMessage,
    Image,
    Reasoning,
    StopReason,
    Text,
    ToolCall,
    ToolResult,
)
from agent_cli.types.outcomes import Code, Limit, Nudge, Outcome, Stop
from agent_cli.types.queued_input import InputQueued, InputUnqueued
from agent_cli.types.turn_rules import OnFailure, TurnRules
from agent_cli.types.usage import Usage
from agent_cli.types.user_commands import UserRan

MADE = FileChange("a", None, FileVersion("0" * 64, 0o644))

SESSION: list[Entry] = entries_of(
    [
        *BEGINNING,
        AssistantSaid(
            AssistantMessage(
                (
                    Reasoning("hm", '{"signature":"x"}'),
                    Text("größer — 你好 \u2028 \r\n\ttab"),
                    ToolCall("a", "read_file", '{"path": "a\\n"}', opaque="item"),
                    ToolCall("b", "execute_command", '{"comm', complete=False),
                ),
                StopReason.LENGTH,
                Usage(10, 20, 3, 4, 0.5, estimated=True),
            )
        ),
        RuleGranted("read_file(src/**)"),
        ApprovalSwitched(ApprovalMode.AUTO),
        VerdictGiven("b", Verdict(approved=True, feedback="but mind it"), "0" * 64),
        CallDecided("a", Decision.ALLOW, DecidedBy.USER, "yes", (Effect(Kind.READ, "a"),)),
        ran("a", content="line one\nline two\r\n")[1:],
        settled("b", Outcome.FAILED, Code.CUT_OFF),
        TodosUpdated((Todo("look", "completed"),)),
        ModeSwitched("architect"),
        ParallelSwitched(on=False),
        ModelSwitched("openai/gpt"),
        asked(text="well"),
        Nudged(Nudge.NO_TOOL),
        asked("c"),
        denied("c", "x"),
        Interrupted(Stop.USER, "ctrl-c", "half a sent"),
        UserSaid("see", (Image("image/png", "AA=="),), "it is Monday"),
        SessionRenamed("a name"),
        TurnRulesSet(TurnRules(OnFailure.STOP)),
        asked(ToolCall("t", "new_task", "{}")),
        started("t"),
        TaskStarted("ask", "t", "look at it", "it is Monday", (Todo("look", "pending"),)),
        asked(completion("t1")),
        accepted("t1"),
        TaskFinished("it is done"),
        CallFinished(ToolResult("t", Outcome.OK, Code.SUBTASK_COMPLETED, "it is done")),
        AttemptLost(Usage(1)),
        asked("e", text="I change it."),
        started("e"),
        PreImageKept("e", "a", None),
        FilesChanged("e", (MADE,), ("b",)),
        CallFinished(ToolResult("e", Outcome.FAILED, None, "no\n```\n~~~")),
        FailuresWaived(),
        InputQueued("and this"),
        InputQueued("or that"),
        InputUnqueued("or that"),
        UserSaid("and this", queued=True),
        FilesRestored((FileChange("a", MADE.after, None),), "undo", ("e",), ("c",)),
        asked(text="well"),
        HistoryCompacted("what was said", 1, "user", asked=True, usage=Usage(1)),
        UserRan("make `x`", "done\n```\n", 2),
        UserSaid("no"),
        asked(text="well <script>alert(1)</script>"),
        Rewound(3),
        UserSaid("yes"),
        asked(completion()),
        started("done"),
        CheckRun("done", Check("true", 0)),
        accepted()[-1],
        TaskFinished("it is done"),
        BudgetStopped(Limit.TURNS),
    ]
)
"""One of every entry, in an order that the engine accepts."""


def lines_of(entries: Iterable[Entry]) -> list[bytes]:
    lines: list[bytes] = []
    previous = SEED
    for seq, entry in enumerate(entries):
        line, previous = seal(Envelope(seq, "2026-11-21T10:00:00.000000Z", entry), previous)
        lines.append(line)
    return lines


def journal_of(entries: Sequence[Entry]) -> bytes:
    return b"".join(lines_of(entries))


def sealed(body: bytes, previous: str = SEED) -> bytes:
    """Seal any JSON object, whatever it holds, as a journal line."""
    digest = sha256(previous.encode() + body).hexdigest()
    return b'{"hash":"' + digest.encode() + b'",' + body[1:] + b"\n"

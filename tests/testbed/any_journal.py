"""Hypothesis strategies for journals that any program may have written, sense or no sense."""

import json

from hypothesis import strategies as st

from agent_cli.types.approval import DecidedBy, Decision
from agent_cli.types.entries import (
    AssistantSaid,
    CallDecided,
    CallFinished,
    CheckRun,
    Entry,
    FilesChanged,
    HistoryCompacted,
    Interrupted,
    ModelSwitched,
    Rewound,
    SessionRenamed,
    SessionStarted,
    TaskFinished,
    TaskStarted,
    Todo,
    TodosUpdated,
    UserSaid,
)
from agent_cli.types.evidence import Check, FileChange
from agent_cli.types.messages import AssistantMessage, Image, Reasoning, Text, ToolCall, ToolResult
from agent_cli.types.outcomes import Code, Outcome, Stop
from agent_cli.types.queued_input import InputQueued, InputUnqueued
from agent_cli.types.requests import Protocol
from agent_cli.types.user_commands import UserRan

HOSTILE = [
    "<script>alert(1)</script>", "</pre>", "</details>", "<!--", "]]>", "&lt;", '" onload="x',
    "```", "````\n", "~~~", "`", "> ", "# ", "\n", "\r", "\r\n", "\x1b[31m", "\u202e", "\x00",
    "\u2028", "    ", "<details>", "- ", "***", "[a]: http://x", "|", "\\", "\x85", "\x0c",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(HOSTILE) | st.text(max_size=5), max_size=6).map("".join)
IDS = st.sampled_from(["a", "b", "c", "d"])
ARGUMENTS = TEXTS | st.dictionaries(TEXTS, TEXTS | st.integers(), max_size=2).map(json.dumps)
CALLS = st.builds(ToolCall, IDS, TEXTS, ARGUMENTS, st.booleans())
BLOCKS = st.lists(st.builds(Text, TEXTS) | st.builds(Reasoning, TEXTS) | CALLS, max_size=3)
RESULTS = st.builds(
    ToolResult,
    IDS,
    st.sampled_from(Outcome),
    st.sampled_from([None, *Code]),
    TEXTS,
    exit_code=st.sampled_from([None, 0, 1]),
)
STARTED = st.builds(
    SessionStarted, st.just(1), st.just("s-1"), TEXTS, TEXTS, st.sampled_from(Protocol)
)
ENTRIES: st.SearchStrategy[Entry] = st.one_of(
    st.builds(TaskStarted, TEXTS, st.just("") | IDS, TEXTS),
    st.builds(UserSaid, TEXTS, st.lists(st.just(Image("image/png", "")), max_size=1).map(tuple)),
    st.builds(AssistantSaid, st.builds(AssistantMessage, BLOCKS.map(tuple))),
    st.builds(CallFinished, RESULTS, st.none() | TEXTS),
    st.builds(CallDecided, IDS, st.sampled_from(Decision), st.sampled_from(DecidedBy), TEXTS),
    st.builds(FilesChanged, IDS, TEXTS.map(lambda path: (FileChange(path, None, None),))),
    st.builds(CheckRun, IDS, st.builds(Check, TEXTS, st.integers(0, 1))),
    st.builds(Rewound, st.integers(-1, 5)),
    st.builds(SessionRenamed, TEXTS),
    st.builds(InputQueued, TEXTS),
    st.builds(InputUnqueued, TEXTS),
    st.builds(UserRan, TEXTS, TEXTS),
    st.builds(ModelSwitched, TEXTS),
    st.builds(TaskFinished, TEXTS),
    st.builds(Interrupted, st.sampled_from(Stop), TEXTS, TEXTS),
    st.builds(HistoryCompacted, TEXTS, st.just(0), st.just("user")),
    st.builds(TodosUpdated, TEXTS.map(lambda text: (Todo(text, text),))),
)
JOURNALS = st.tuples(STARTED, st.lists(ENTRIES, max_size=12)).map(lambda told: [told[0], *told[1]])

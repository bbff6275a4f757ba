"""Who listens hears what the frontend hears, and counts it."""

from testbed.journals import SESSION
from testbed.telling import WORDS, facts_of

from agent_cli.telemetry.counters import Counters, count
from agent_cli.telemetry.facts import Fact
from agent_cli.telemetry.listener import Listener
from agent_cli.telemetry.reader import Reader, read
from agent_cli.types.events import Appended, Notice, SessionOpened
from agent_cli.types.requests import Protocol

AT = "1970-01-01T00:00:01.000000Z"


def test_a_listener_counts_what_the_journal_records():
    told: list[Fact] = []
    listener = Listener(WORDS, told.append)
    reader, expected = Reader(WORDS), list[Fact]()
    for seq, entry in enumerate(SESSION):
        listener.hear(Appended(seq, AT, entry))
        listener.hear(Notice("it is about this"))
        reader, facts = read(reader, 10**9, entry)
        expected += facts
    assert told == expected
    assert listener.counters == count(Counters(), expected)


def test_the_end_of_the_session_ends_the_work():
    told: list[Fact] = []
    listener = Listener(WORDS, told.append)
    for seq, entry in enumerate(SESSION[:3]):
        listener.hear(Appended(seq, AT, entry))
    listener.close()
    assert [type(fact) for fact in told] == [type(fact) for fact in facts_of(SESSION[:3])]


def test_the_announcement_names_the_model_of_a_session_gone_on_with():
    told: list[Fact] = []
    listener = Listener(WORDS, told.append)
    opened = SessionOpened(
        id="x",
        cwd="/",
        model="test/model",
        protocol=Protocol.NATIVE,
        parallel_tool_calls=True,
        mode="code",
        tools=(),
    )
    listener.hear(opened)
    listener.hear(Appended(7, AT, SESSION[2]))
    assert [fact.model.name for fact in told if hasattr(fact, "model")] == ["model"]

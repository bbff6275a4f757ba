"""`/undo`, `/redo` and `/diff`."""

from agent_cli.frontends.sanitiser import visible
from agent_cli.frontends.undo_view import undo_lines
from agent_cli.i18n.catalog import say
from agent_cli.runtime.agent import Agent
from agent_cli.runtime.undoing import redo, undo
from agent_cli.types.evidence import FileVersion
from agent_cli.undo.diffs import unified
from agent_cli.undo.history import history, net


def undo_command(agent: Agent, argument: str) -> str:
    """Undo the last turn that changed something, or everything from a turn on."""
    turn = _turn(argument)
    store = agent.keeping.store
    if turn is None:
        return say("{text} is not the number of a turn", text=visible(argument))
    if store is None:
        return say("nothing is kept of this session")
    done = undo(agent.session, agent.keeping.restoring(store), turn or None)
    if done is None:
        return say("there is nothing to undo")
    return "\n".join([say("undone, from turn {turn} on:", turn=done.turn), *undo_lines(done.plan)])


def redo_command(agent: Agent, argument: str) -> str:
    """Make again what was undone last."""
    store = agent.keeping.store
    done = redo(agent.session, agent.keeping.restoring(store)) if store is not None else None
    if done is None:
        return say("there is nothing to redo")
    return "\n".join([say("made again:"), *undo_lines(done)])


def diff_command(agent: Agent, argument: str) -> str:
    """Show what a turn changed, or the whole session."""
    turn = _turn(argument)
    store = agent.keeping.store
    if turn is None:
        return say("{text} is not the number of a turn", text=visible(argument))
    if store is None:
        return say("nothing is kept of this session")

    def content(wanted: FileVersion) -> bytes | None:
        return store.get(wanted.hash)

    changes = agent.session.recall(history).of(turn or None)
    shown = unified(net([one.file for one in changes]), content)
    return visible("\n\n".join(shown)) if shown else say("nothing was changed")


def _turn(argument: str) -> int | None:
    """Return the number, 0 for none given, None for what is no number."""
    if not argument:
        return 0
    return int(argument) if argument.isascii() and argument.isdecimal() and int(argument) else None

"""What can be typed after a slash. A mistyped command is reported, never sent to the model."""

from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

from msgspec import Struct

from agent_cli.context.commands import typed
from agent_cli.engine.budget import accounts
from agent_cli.frontends.messages import amount, remark
from agent_cli.frontends.sanitiser import visible
from agent_cli.frontends.terminal.room import compact, context
from agent_cli.frontends.terminal.session_commands import export, rename
from agent_cli.frontends.terminal.undo_commands import diff_command, redo_command, undo_command
from agent_cli.i18n.catalog import say
from agent_cli.runtime.agent import Agent
from agent_cli.runtime.standing import standing
from agent_cli.types.entries import FailuresWaived, ModeSwitched, ParallelSwitched
from agent_cli.types.requests import Protocol

_LEAVING = ("exit", "quit")


class Rewind(Struct, frozen=True):
    """The user wants to take words back: from that message on, or from one to be chosen."""

    number: str


class Fork(Struct, frozen=True):
    """The user wants to go on in a fork."""


Shown: TypeAlias = str | Coroutine[Any, Any, str] | Rewind | Fork
"""A text, or the work that leads to one, empty for nothing; or what only the loop can do."""


class Command(Struct, frozen=True):
    help: str
    run: Callable[[Agent, str], Shown]


class Leave(Exception):  # noqa: N818 - an answer, not an error
    """The user wants to leave."""


def is_prompt(agent: Agent, line: str) -> bool:
    """Whether the line is for the model: no command, or one whose text is written in Markdown.

    Our own commands come first: what they do must not depend on the folder.
    """
    if not line.startswith("/"):
        return True
    return _name(line) not in (*COMMANDS, *_LEAVING) and bool(typed(line, agent.customs.commands))


def run_command(agent: Agent, line: str) -> Shown:
    """Run the command and return what to show; raises Leave."""
    name, _, argument = line[1:].partition(" ")
    if name in _LEAVING:
        raise Leave
    command = COMMANDS.get(name)
    if command is None:
        return say("there is no command /{name}; /help lists them", name=name)
    return command.run(agent, argument.strip())


def _help(agent: Agent, argument: str) -> str:
    lines = [f"/{name}  {say(command.help)}" for name, command in COMMANDS.items()]
    own = [
        f"/{' '.join(filter(None, (command.name, command.hint)))}  {command.description}"
        for command in agent.customs.commands
    ]
    return visible("\n".join([*lines, f"/exit  {say('leave')}", *own]))


def _name(line: str) -> str:
    return line[1:].split(maxsplit=1)[0] if line[1:].strip() else ""


def _mode(agent: Agent, argument: str) -> str:
    session = agent.session
    slugs = [mode.slug for mode in agent.customs.modes.known]
    if not argument:
        return say(
            "mode {mode}; there are {slugs}",
            mode=session.state.task.mode,
            slugs=", ".join(slugs),
        )
    if argument not in slugs:
        return say("unknown mode {mode}; use one of {slugs}", mode=argument, slugs=", ".join(slugs))
    session.append(ModeSwitched(argument))
    return say("mode {mode}", mode=argument)


def _parallel(agent: Agent, argument: str) -> str:
    session = agent.session
    started = session.state.session
    if started is not None and started.protocol is Protocol.XML:
        return say("the XML protocol has one call per message")
    if argument in ("on", "off"):
        session.append(ParallelSwitched(on=argument == "on"))
    state = say("on") if session.state.parallel else say("off")
    return say("several calls per message: {state}; /parallel on|off changes it", state=state)


def _waive(agent: Agent, argument: str) -> str:
    session = agent.session
    failures = session.state.task.unresolved
    if not failures:
        return say("no call that failed stands in the way of a completion")
    session.append(FailuresWaived())
    names = "\n".join(f"  {name} {target}".rstrip() for name, target in failures)
    return visible(say("these failures may stand:") + f"\n{names}")


def _status(agent: Agent, argument: str) -> str:
    state = agent.session.state
    started = state.session
    if started is None:
        return say("no session")
    return say(
        "session {id}, model {model}, protocol {protocol}, mode {mode}, {turns} turns",
        id=started.id,
        model=started.model,
        protocol=started.protocol,
        mode=state.task.mode,
        turns=state.turns,
    )


def _cost(agent: Agent, argument: str) -> str:
    spent = agent.session.state.spent
    cost = say("unknown") if spent.cost is None else f"${spent.cost:.4f}"
    about = say("(partly estimated)") if spent.estimated else ""
    shown = say(
        "{input} tokens in, {output} out; cost: {cost}",
        input=spent.input_tokens,
        output=spent.output_tokens,
        cost=cost,
    )
    return f"{shown} {about}".rstrip()


def _budget(agent: Agent, argument: str) -> str:
    lines: list[str] = []
    for account in accounts(agent.session.state.used, agent.budget):
        used = amount(account.limit, account.used)
        if account.most is None:
            lines.append(say("{name}: {used}, no limit", name=account.limit, used=used))
            continue
        left = amount(account.limit, max(account.most - account.used, 0))
        most = amount(account.limit, account.most)
        lines.append(
            say(
                "{name}: {used} of {most}, {left} left",
                name=account.limit,
                used=used,
                most=most,
                left=left,
            )
        )
    return "\n".join(lines)


def _tasks(agent: Agent, argument: str) -> Shown:
    if argument != "cancel":
        return visible(standing(agent.session.state))
    if len(agent.session.state.tasks) == 1:
        return say("no subtask runs")
    return _without_subtask(agent)


async def _without_subtask(agent: Agent) -> str:
    """Give up the running subtask; return what is to be said when its parent has come on."""
    awaiting = await agent.cancel_subtask()
    return remark(awaiting, agent.session.state.task.limit)


def _fork(agent: Agent, argument: str) -> Fork:
    return Fork()


def _rewind(agent: Agent, argument: str) -> Rewind:
    return Rewind(argument)


COMMANDS: dict[str, Command] = {
    "help": Command("list the commands", _help),
    "mode": Command("show or switch the mode", _mode),
    "parallel": Command("allow several calls per message, or one", _parallel),
    "waive": Command("let the failures so far stand", _waive),
    "undo": Command("take back what the last turn changed, or all from a turn on", undo_command),
    "redo": Command("make again what was undone last", redo_command),
    "diff": Command("show what a turn changed, or the session", diff_command),
    "status": Command("show session, model and mode", _status),
    "tasks": Command("show the tasks that wait for each other; cancel gives one up", _tasks),
    "context": Command("show how full the model's window is", context),
    "compact": Command("replace the older part of the conversation by a summary", compact),
    "budget": Command("show what is used of each limit, and what is left", _budget),
    "rename": Command("name the session", rename),
    "export": Command("write the session to a file: .md, .json or .html", export),
    "fork": Command("go on in a new session with the same beginning", _fork),
    "rewind": Command("take words back and say them differently (also Esc Esc)", _rewind),
    "cost": Command("show tokens and cost so far", _cost),
}

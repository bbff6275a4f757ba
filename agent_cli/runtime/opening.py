"""Begins a session, or goes on with one that was left."""

from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from msgspec import Struct

from agent_cli.context.customs import Customs
from agent_cli.context.environment import spelled
from agent_cli.i18n.catalog import say
from agent_cli.runtime.agent import Agent
from agent_cli.runtime.frontend import Frontend
from agent_cli.runtime.policy import without_tool
from agent_cli.runtime.prepare import Toolbox
from agent_cli.runtime.redaction import Redacted
from agent_cli.runtime.session import Session, open_session
from agent_cli.runtime.session_care import delete_session, fork_session
from agent_cli.runtime.standing import standing
from agent_cli.runtime.toolbox import Options
from agent_cli.sessions.catalog import new_id, session_path
from agent_cli.sessions.codec import FORMAT
from agent_cli.sessions.journal import Ephemeral, create
from agent_cli.settings.load import digest
from agent_cli.settings.places import data_directory
from agent_cli.settings.schema import Blocking, Settings
from agent_cli.tools.registry import built_in
from agent_cli.types.approval import ApprovalMode
from agent_cli.types.entries import (
    ApprovalSwitched,
    ModelSwitched,
    ModeSwitched,
    ParallelSwitched,
    SessionStarted,
    TaskStarted,
    TurnRulesSet,
)
from agent_cli.types.events import Notice, SessionOpened
from agent_cli.types.requests import Protocol
from agent_cli.types.turn_rules import TurnRules
from agent_cli.workspace.gate import Workspace


class Left(Struct, frozen=True):
    """A session that is gone on with, open for writing."""

    session: Session
    damage: str
    """What was cut off its file, because it was damaged."""
    forked: Path | None = None
    """The file that was made for it."""

    @property
    def protocol(self) -> Protocol:
        return _started(self.session).protocol

    def give_up(self, environ: Mapping[str, str]) -> None:
        """Close it; a fork that nobody has worked in is no session."""
        self.session.close()
        if self.forked is not None:
            delete_session(self.forked, environ)


def left(settings: Settings, options: Options, frontend: Redacted) -> Left | None:
    """Open the session that the options name, if any; raises JournalError."""
    if options.resume is None:
        return None
    forked = fork_session(options.resume, options.environ) if options.fork else None
    session, damage = open_session(forked or options.resume, frontend.emit, frontend.redactor)
    if not session.state.tasks:  # it ended right after its beginning
        session.append(TaskStarted(settings.mode))
    return Left(session, damage, forked)


def begin(
    settings: Settings,
    options: Options,
    workspace: Workspace,
    protocol: Protocol,
    frontend: Redacted,
) -> Session:
    """Start a new session; raises JournalError."""
    session_id = new_id()
    sessions = data_directory(options.environ) / "sessions"
    path = session_path(sessions, workspace.root, session_id)
    log = Ephemeral() if options.ephemeral else create(path)
    session = Session(log, frontend.emit, redactor=frontend.redactor)
    session.append(
        SessionStarted(
            format=FORMAT,
            id=session_id,
            cwd=spelled(workspace.root),
            model=options.model,
            protocol=protocol,
            parallel_tool_calls=settings.parallel_tool_calls,
            settings=digest(settings),
        )
    )
    session.append(TaskStarted(settings.mode))
    _keep_turn_rules(session, settings)
    _keep_approval(session, settings.approval.mode)
    return session


def announce(session: Session, options: Options, toolbox: Toolbox, frontend: Frontend) -> None:
    """Tell the frontend which session it is about to watch, and what of its rules is idle."""
    state, started = session.state, _started(session)
    opened = SessionOpened(
        id=started.id,
        cwd=started.cwd,
        model=options.model,
        protocol=started.protocol,
        parallel_tool_calls=state.parallel,
        mode=state.task.mode,
        tools=tuple(toolbox.tools),
        resumed=options.resume is not None,
        turns=state.turns,
        open_calls=tuple(call for task in state.tasks for call in task.open_calls),
        subtasks=tuple(task.parent_call_id for task in state.tasks[1:]),
    )
    frontend.emit(opened)
    for rule in without_tool(toolbox.policy, built_in()):
        frontend.emit(Notice(say("the rule {rule} names no tool that there is", rule=rule)))
    for fault in toolbox.customs.faults:
        text = say("{place} has no effect: {why}", place=fault.path, why=fault.problem)
        frontend.emit(Notice(text))


def go_on(
    agent: Agent, options: Options, damage: str, frontend: Frontend, settings: Settings
) -> None:
    """Settle what was left open; let the command line hold over what the session had.

    A session whose mode is not there any more goes on in that of the settings.
    """
    session = agent.session
    if damage:
        frontend.emit(
            Notice(say("the session file was damaged and cut back: {damage}", damage=damage))
        )
    if agent.recover():
        frontend.emit(Notice(say("the session had been cut off; its open calls were settled")))
    if len(session.state.tasks) > 1:
        frontend.emit(Notice(standing(session.state)))
    state, started = session.state, _started(session)
    if not options.mode:
        leave_lost_mode(session, agent.customs, settings, frontend)
    if options.mode and options.mode != state.task.mode:
        session.append(ModeSwitched(options.mode))
    if options.model != state.model:
        session.append(ModelSwitched(options.model))
    if options.parallel_tool_calls not in (None, state.parallel):
        session.append(ParallelSwitched(on=not state.parallel))
    if options.approval is not None:
        _keep_approval(session, options.approval)
    _keep_turn_rules(session, settings)
    if options.protocol not in (None, started.protocol):
        kept = say(
            "this session speaks the {protocol} protocol, and a session keeps its own",
            protocol=started.protocol,
        )
        frontend.emit(Notice(kept))


def leave_lost_mode(
    session: Session, known: Customs, settings: Settings, frontend: Frontend
) -> None:
    """Go on in the mode of the settings if the task's own is not there any more."""
    mode = session.state.task.mode
    if not known.modes.has(mode):
        frontend.emit(Notice(say("the mode {mode} is not there any more", mode=mode)))
        session.append(ModeSwitched(settings.mode))


def turn_rules(settings: Settings) -> TurnRules:
    """Return what the settings say of failures; equal for equal meanings."""
    completion = settings.completion
    return TurnRules(
        settings.turn.on_failure,
        tuple(name for name in get_args(Blocking) if name in completion.block_on),
        completion.scope,
    )


def _keep_turn_rules(session: Session, settings: Settings) -> None:
    """Record the rules that hold from now on, if they are not those that held until now."""
    rules = turn_rules(settings)
    if rules != session.state.turn_rules:
        session.append(TurnRulesSet(rules))


def _keep_approval(session: Session, mode: ApprovalMode) -> None:
    if mode is not session.state.approval:
        session.append(ApprovalSwitched(mode))


def _started(session: Session) -> SessionStarted:
    started = session.state.session
    assert started is not None  # whatever has a file has a beginning
    return started

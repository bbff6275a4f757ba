"""Builds an agent from settings: the one place where everything is put together."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from agent_cli.context.environment import MOST_NAMES, details
from agent_cli.context.modes import allows
from agent_cli.context.request import RequestBuilder
from agent_cli.context.terms import Terms
from agent_cli.context.user_commands import ran
from agent_cli.engine.budget import Budget
from agent_cli.engine.steps import Rules
from agent_cli.engine.task import State
from agent_cli.providers.base import Provider
from agent_cli.providers.registry import ModelInfo, ResolvedModel, resolve
from agent_cli.runtime.agent import Agent
from agent_cli.runtime.asking import Asking
from agent_cli.runtime.dispatch import Dispatcher
from agent_cli.runtime.frontend import Frontend
from agent_cli.runtime.listening import listened
from agent_cli.runtime.mentions import Attachments
from agent_cli.runtime.models import Chosen, Models, affordable, chooser, chosen
from agent_cli.runtime.opening import announce, begin, go_on, leave_lost_mode, left, turn_rules
from agent_cli.runtime.prepare import RequiredCheck, Toolbox
from agent_cli.runtime.prompting import Prompts
from agent_cli.runtime.redaction import Redacted, secrets
from agent_cli.runtime.servers import join, known_servers
from agent_cli.runtime.session import Session
from agent_cli.runtime.toolbox import Options, toolbox
from agent_cli.settings.schema import Settings
from agent_cli.tools.base import ToolContext
from agent_cli.tools.registry import spec
from agent_cli.types.approval import ApprovalMode
from agent_cli.types.errors import ConfigurationError, ToolError
from agent_cli.types.messages import ToolCall
from agent_cli.types.redaction import Redactor
from agent_cli.types.requests import ModelRequest, Protocol, ToolSpec
from agent_cli.workspace.gate import Workspace


class Parts(Struct, frozen=True):
    settings: Settings
    options: Options
    toolbox: Toolbox
    prompts: Prompts


class Instead(Struct, frozen=True):
    """What stands in for a model that is asked, and for the runner of its calls."""

    resolved: ResolvedModel
    provider: Provider
    dispatcher: Callable[[Session, Toolbox, Frontend], Dispatcher]


def assemble(
    settings: Settings, options: Options, watching: Frontend, instead: Instead | None = None
) -> Agent:
    """Return an agent ready to work, its session started or recovered.

    Raises ConfigurationError and JournalError.
    """
    resolved = instead.resolved if instead else resolve(options.model, settings, options.environ)
    affordable(resolved, options.model, settings)
    parts, frontend = _parts(settings, options, resolved.info, watching)
    resumed = left(settings, options, frontend)
    protocol = resumed.protocol if resumed else settings.protocol or resolved.info.protocol
    choose = (
        partial(_recorded, instead, settings)
        if instead
        else chooser(settings, options, protocol, frontend.redactor, resolved)
    )
    try:
        first = choose(options.model)
    except ConfigurationError:
        if resumed:
            resumed.give_up(options.environ)
        raise
    session = (
        resumed.session
        if resumed
        else begin(settings, options, parts.toolbox.workspace, protocol, frontend)
    )
    models = Models(session, {options.model: first}, choose)
    run = instead.dispatcher if instead else Dispatcher
    tools = _shown(parts.toolbox, models)
    agent = _agent(parts, session, models, run(session, tools, frontend), frontend)
    announce(session, options, parts.toolbox, frontend)
    if resumed:
        go_on(agent, options, resumed.damage, frontend, settings)
    return agent


def _parts(
    settings: Settings, options: Options, info: ModelInfo, watching: Frontend
) -> tuple[Parts, Redacted]:
    """Return what a session is made of, and who watches it, without secrets."""
    known = known_servers(settings, options.cwd, options.environ, options.folders_servers)
    hidden = secrets(settings, options.environ, known.servers if known else ())
    heard, closing = listened(settings, watching)
    frontend = Redacted(Redactor(hidden), heard)
    box = toolbox(settings, options, frontend, frontend.redactor, vision=info.vision)
    box = replace(box, closing=(*closing, *box.closing), checks=_checks(settings, options))
    prompts = Prompts(box, options.environ, _terms(settings))
    parts = Parts(settings, options, box, prompts)
    return parts, frontend


def _agent(
    parts: Parts, session: Session, models: Models, run: Dispatcher, frontend: Frontend
) -> Agent:
    settings, options = parts.settings, parts.options
    started = session.state.session
    assert started is not None
    budget = Budget(
        settings.max_turns, settings.max_tokens, settings.max_cost, settings.max_seconds
    )

    async def ready(state: State) -> None:
        leave_lost_mode(session, parts.toolbox.customs, settings, frontend)
        run.keeping.begin()
        await join(parts.toolbox, state)

    asking = Asking(
        models=models,
        builder=RequestBuilder(),
        customs=parts.toolbox.customs,
        request=lambda state, builder: _request(parts, models, state, builder),
        along=Attachments(parts.toolbox).along,
        instructions=lambda state: parts.prompts.files(state.task.mode),
        environment=lambda state: _environment(parts, state),
        ready=ready,
        budget=budget,
        redactor=session.redactor,
        protocol=started.protocol,
    )
    rules = Rules(
        interactive=options.interactive,
        open_todos_block=settings.completion.open_todos == "block",
        budget=budget,
    )
    return Agent(session, asking, run, rules, frontend.emit)


def _recorded(instead: Instead, settings: Settings, model: str) -> Chosen:
    """Return who answers, whatever it was called when it was asked."""
    resolved = instead.resolved
    return chosen(resolved, instead.provider, settings, resolved.info.protocol)


def _shown(tools: Toolbox, models: Models) -> Toolbox:
    """Return the tools with results that show images only to a model that sees them."""

    def context(call: ToolCall) -> ToolContext:
        made = tools.context(call)
        vision = models.current.resolved.info.vision
        return replace(made, services=replace(made.services, vision=vision))

    return replace(tools, context=context)


def _checks(settings: Settings, options: Options) -> tuple[RequiredCheck, ...]:
    own = options.own_checks
    commands = dict.fromkeys(settings.completion.verify)
    return tuple(RequiredCheck(command, asked=command not in own) for command in commands)


def _terms(settings: Settings) -> Terms:
    completion = settings.completion
    checks = tuple(dict.fromkeys(completion.verify))
    return Terms(turn_rules(settings), completion.open_todos == "block", checks)


def _request(parts: Parts, models: Models, state: State, builder: RequestBuilder) -> ModelRequest:
    started = state.session
    assert started is not None
    task, resolved = state.task, models.current.resolved
    offered = _specs(parts, task.mode)
    # A call in XML of a tool that the mode does not have is a call, to be refused as one.
    native = started.protocol is Protocol.NATIVE
    tools = _enforced(resolved, offered) if native else _specs(parts)
    request = builder.build(
        model=resolved.name,
        messages=task.messages,
        system=parts.prompts.system(task.mode, started.protocol, offered, parallel=state.parallel),
        tools=tools,
        max_output=resolved.info.max_output or 0,
        parallel=state.parallel,
        protocol=started.protocol,
        session_id=started.id,
        speaker=state.speaker,
    )
    # Several calls are every provider's default; only "one" is said, and only to who understands.
    says_one = not state.parallel and resolved.info.sends_parallel
    return request if says_one else replace(request, parallel_tool_calls=None)


def _specs(parts: Parts, slug: str | None = None) -> tuple[ToolSpec, ...]:
    """Describe the tools of a mode, or all."""
    tools = parts.toolbox.tools.values()
    find = parts.toolbox.customs.modes.find
    return tuple(spec(tool) for tool in tools if slug is None or allows(find(slug), tool.kind))


def _enforced(resolved: ResolvedModel, specs: tuple[ToolSpec, ...]) -> tuple[ToolSpec, ...]:
    """Have the model held to the schemas, where the vendor does that."""
    if not resolved.info.strict_tools:
        return specs
    from agent_cli.wire.strict_schema import strict  # noqa: PLC0415 - for one vendor

    return tuple(map(strict, specs))


def _environment(parts: Parts, state: State) -> str:
    task = state.task
    names = None if task.messages else _names(parts.toolbox.workspace)
    now = datetime.now().astimezone()
    mode = parts.toolbox.customs.modes.find(task.mode)
    environment = details(
        now=now,
        mode=mode,
        todos=task.todos,
        names=names,
        restored=task.restored,
        commands=parts.toolbox.processes.background.standing(),
        planning=state.approval is ApprovalMode.PLAN if state.planned else None,
    )
    return "\n\n".join(filter(None, (ran(task.ran), environment)))


def _names(workspace: Workspace) -> list[str]:
    """Return names from the top of the workspace, one more than are shown."""
    try:
        return [entry.path for entry in islice(workspace.walk("."), MOST_NAMES + 1)]
    except ToolError as error:  # nothing can be listed, and what was said must not be lost
        return [str(error)]

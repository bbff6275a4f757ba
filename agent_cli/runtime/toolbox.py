"""Builds what calls are run with: workspace, tools, policy and context. No model is needed."""

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from agent_cli.context.customs import Customs, customs
from agent_cli.hooks.runner import Hooks
from agent_cli.processes.run import Processes
from agent_cli.processes.sandbox import Confinement
from agent_cli.runtime.code_index import code_index
from agent_cli.runtime.frontend import Frontend
from agent_cli.runtime.keeper import keeper
from agent_cli.runtime.policy import policy
from agent_cli.runtime.prepare import Toolbox
from agent_cli.runtime.redaction import hidden_variables
from agent_cli.runtime.servers import hub, known_servers
from agent_cli.sessions.catalog import new_id
from agent_cli.settings.places import (
    cache_directory,
    config_directory,
    data_directory,
    is_inside,
    rules_file,
    state_directory,
)
from agent_cli.settings.schema import SandboxSettings, Settings
from agent_cli.tools._browser import Browser, installed
from agent_cli.tools.base import AnyTool, Painter, Services, ToolContext
from agent_cli.tools.registry import built_in
from agent_cli.trust.manifest import Manifest
from agent_cli.types.approval import ApprovalMode
from agent_cli.types.brought import Brought
from agent_cli.types.errors import ConfigurationError, ToolError
from agent_cli.types.events import Progress
from agent_cli.types.messages import ToolCall
from agent_cli.types.outcomes import Code
from agent_cli.types.redaction import Redactor
from agent_cli.types.requests import Protocol
from agent_cli.workspace.gate import Workspace

if TYPE_CHECKING:
    from agent_cli.mcp.config import FoldersFile


class Options(Struct, frozen=True):
    """What is decided for this one run, beyond the settings."""

    cwd: Path
    environ: Mapping[str, str]
    model: str
    """`provider/name` or `replay:FILE`."""
    add_dirs: tuple[Path, ...] = ()
    yolo: bool = False
    allowed_tools: tuple[str, ...] = ()
    disallowed_tools: tuple[str, ...] = ()
    ephemeral: bool = False
    keeps: Path | None = None
    """Where what calls change is kept, if it is not with the sessions."""
    spills: bool = True
    """Output that is too long to be shown is kept in a file, for as long as the session is."""
    interactive: bool = False
    demonstrates: bool = False
    """The command that demonstrates a result may run though nobody is there to see it."""
    resume: Path | None = None
    """The session file to go on with."""
    fork: bool = False
    """Go on in a new session with the same beginning."""
    own_checks: tuple[str, ...] = ()
    """Those of `completion.verify` that are the user's, and run without a question."""
    mode: str = ""
    """What the command line says of these four holds for a session that is gone on with, too."""
    protocol: Protocol | None = None
    parallel_tool_calls: bool | None = None
    approval: ApprovalMode | None = None
    record: Path | None = None
    """Where the exchange with the model is written as a cassette."""
    trusted: Manifest | None = None
    """What the folder was trusted with, where hooks of its own are in force."""
    folders_servers: "FoldersFile | None" = None
    """The servers of a trusted folder."""
    brought: tuple[Brought, ...] = ()
    """Modes, skills, commands and rules: the user's, and of a trusted folder its own."""


def toolbox(
    settings: Settings,
    options: Options,
    frontend: Frontend,
    redactor: Redactor | None = None,
    *,
    vision: bool = True,
) -> Toolbox:
    """Return what the calls of one session are run with; raises ConfigurationError.

    `vision` says whether who reads the results can see images.
    """
    found = customs(options.brought)
    found.modes.find(settings.mode)  # an unknown mode stops before a session is made
    workspace = _workspace(options)
    processes = _processes(settings, options, workspace, redactor or Redactor())
    known = known_servers(settings, options.cwd, options.environ, options.folders_servers)
    servers = hub(known, processes, frontend, settings.mcp.wait)
    services = replace(_services(settings, options, found, vision=vision), servers=servers)
    return Toolbox(
        tools=_offered(services, options),
        policy=policy(
            settings.approval,
            allow=options.allowed_tools,
            deny=options.disallowed_tools,
            yolo=options.yolo,
            confined=settings.sandbox.mode != "off" and not settings.sandbox.network,
        ),
        customs=found,
        workspace=workspace,
        context=_context(services, workspace, processes, frontend),
        hooks=Hooks(settings.hooks, processes, workspace.root, options.trusted),
        processes=processes,
        servers=servers,
        keeper=partial(keeper, _undo(options)),
        keep_rule=partial(_keep_rule, options),
        closing=(services.browser.close,) if services.browser else (),
        demonstrates=options.interactive or options.demonstrates,
    )


def _keep_rule(options: Options, rule: str) -> None:
    from agent_cli.settings.remembered import remember  # noqa: PLC0415 - for who says "always"

    path = rules_file(options.environ)
    if is_inside(path, options.cwd, options.environ):
        raise ConfigurationError(
            f"the rule holds for this session only: {str(path)!r} lies in the folder that is "
            "worked in, and is not read there"
        )
    remember(path, rule)


def _workspace(options: Options) -> Workspace:
    added = tuple(path.resolve() for path in options.add_dirs)
    notes = None if options.ephemeral else state_directory(options.environ) / "writing"
    workspace = Workspace(options.cwd.resolve(), added, notes=notes)
    workspace.own = _own(options.environ)
    workspace.tidy()
    return workspace


def _undo(options: Options) -> Path | None:
    """Return where is kept what calls change; None for a session that is kept nowhere."""
    if options.keeps is not None:
        return options.keeps
    return None if options.ephemeral else data_directory(options.environ) / "undo"


def _offered(services: Services, options: Options) -> dict[str, AnyTool]:
    removed = {rule for rule in options.disallowed_tools if "(" not in rule}
    return {
        name: tool
        for name, tool in built_in().items()
        if name not in removed and tool.available(services)
    }


def _services(settings: Settings, options: Options, found: Customs, *, vision: bool) -> Services:
    return Services(
        command_timeout=settings.command_timeout,
        vision=vision,
        web_local=settings.web.allow_local,
        images=_painter(settings, options),
        browser=_browser(options),
        index=code_index(settings, options.environ),
        modes=tuple(mode.slug for mode in found.modes.known),
        skills=found.skills,
        commands=found.commands,
    )


def _browser(options: Options) -> Browser | None:
    program = installed(options.environ.get("PATH"))
    return Browser(program) if program else None


def _painter(settings: Settings, options: Options) -> Painter | None:
    if settings.images.model is None:
        return None
    from agent_cli.providers.images import painter  # noqa: PLC0415 - for who has set one

    return painter(settings, options.environ)


def _processes(
    settings: Settings, options: Options, workspace: Workspace, redactor: Redactor
) -> Processes:
    hidden = hidden_variables(settings)
    environ = {name: text for name, text in options.environ.items() if name not in hidden}
    folder = cache_directory(environ) / "output" if options.spills else None
    if options.ephemeral and options.spills:
        folder = Path(environ.get("TMPDIR") or "/tmp") / f"agent-{new_id()}"  # noqa: S108 - random
    return Processes(
        environ,
        folder,
        temporary=options.ephemeral,
        confinement=_confinement(settings.sandbox, workspace),
        redactor=redactor,
    )


def _confinement(
    settings: SandboxSettings, workspace: Workspace
) -> Callable[[], Confinement] | None:
    """Return what commands are confined to, seen afresh for each; None if they are not."""
    if settings.mode == "off":
        return None
    if settings.mode == "read-only":
        return lambda: Confinement(writable=(), network=settings.network)

    def now() -> Confinement:
        inside = (one for one in workspace.own if workspace.visible(one) and workspace.is_dir(one))
        return Confinement(workspace.roots, (*workspace.protected(), *inside), settings.network)

    return now


def _own(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return where our settings, trust and sessions are; in a workspace, if that is the home."""
    places = (config_directory, data_directory, state_directory)
    return tuple(os.path.realpath(place(environ)) for place in places)


def _context(
    services: Services, workspace: Workspace, processes: Processes, frontend: Frontend
) -> Callable[[ToolCall], ToolContext]:
    async def ask(question: str, suggestions: tuple[str, ...]) -> str:
        answer = await frontend.ask(question, suggestions)
        if answer is None:
            raise ToolError("", Code.NOBODY_TO_ASK)
        return answer

    def context(call: ToolCall) -> ToolContext:
        return ToolContext(
            workspace=workspace,
            processes=processes,
            ask=ask,
            progress=lambda text: frontend.emit(Progress(call.id, text)),
            services=services,
        )

    return context

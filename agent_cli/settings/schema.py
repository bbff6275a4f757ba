"""What can be set, with its default. Frozen; read by `load.py`, never changed afterwards."""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct, field

from agent_cli.types.approval import ApprovalMode, Decision
from agent_cli.types.requests import Protocol
from agent_cli.types.turn_rules import OnFailure, Scope

Wire: TypeAlias = Literal["anthropic_messages", "openai_chat", "openai_responses"]

Positive: TypeAlias = Annotated[int, Meta(ge=1)]
Amount: TypeAlias = Annotated[float, Meta(ge=0)]


class RuleLists(Struct, frozen=True, forbid_unknown_fields=True):
    """Rules in the grammar of `approval/rules.py`; deny wins over ask, ask over allow."""

    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


class ApprovalSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """What happens to a call of each kind when no rule matches it."""

    mode: ApprovalMode = ApprovalMode.ASK
    """What a session begins with; Shift+Tab changes it."""
    read: Decision = Decision.ALLOW
    write: Decision = Decision.ASK
    execute: Decision = Decision.ASK
    network: Decision = Decision.ASK
    mcp: Decision = Decision.ASK
    rules: RuleLists = RuleLists()


class ProviderSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Changes a provider that we know, or describes one that we do not."""

    base_url: str = ""
    """Required for a provider of your own; with `sdk`, empty leaves it to the SDK's environment."""
    api_key_env: str = ""
    """Name of the variable that holds the key; empty for none."""
    wire: Wire | None = None
    """Required for a provider of your own."""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    stall_timeout: Annotated[float, Meta(gt=0)] = 300.0
    """Seconds without a byte after which a request counts as cut; a model that is loaded first, or
    thinks without a word, may need more."""
    sdk: Literal["azure", "bedrock", "vertex"] | None = None
    """The official client that signs the requests; its region, project or API version come from
    the environment variables that the SDK itself reads."""


class ModelSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of a model, over `providers/models.toml`. Prices: USD per million tokens."""

    context_window: Positive | None = None
    max_output: Positive | None = None
    protocol: Protocol | None = None
    vision: bool | None = None
    parallel_tool_calls: bool | None = None
    """Whether the server accepts the switch; False sends nothing."""
    strict_tools: bool | None = None
    """Whether the server holds the model to the schemas of tools that allow it."""
    input_price: Amount | None = None
    output_price: Amount | None = None
    cache_read_price: Amount | None = None
    cache_write_price: Amount | None = None
    long_prompt: Positive | None = None
    """Input tokens beyond which the whole request costs more, by these factors."""
    long_input_factor: Amount | None = None
    long_output_factor: Amount | None = None


class RetrySettings(Struct, frozen=True, forbid_unknown_fields=True):
    attempts: Positive = 5
    """How often a request is sent at most, the first time included."""
    cap: Amount = 60.0
    """Longest wait before the next attempt, in seconds; a server that wants more is given up."""


SandboxMode: TypeAlias = Literal["off", "workspace", "read-only"]


class SandboxSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """What commands can change at most, however they came to run; see `processes/sandbox.py`."""

    mode: SandboxMode = "off"
    """`workspace`: only what lies in the workspace, protected names excepted."""
    network: bool = False
    """Whether confined commands reach the network."""


class WebSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """What tools that go to the web may do, beyond what the policy asks about."""

    allow_local: bool = False
    """Reach this machine, and what is in its local network."""


class ImagesSettings(Struct, frozen=True, forbid_unknown_fields=True):
    model: str | None = None
    """`provider/name` of the model that makes images; without one nobody is offered any."""


class TelemetrySettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing is sent anywhere unless it is asked for; free text never is."""

    otel: bool = False
    """Send spans and metrics to the collector that the OTEL_EXPORTER_OTLP_ variables name; without
    them to one on this machine."""


class IndexSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Finds code by meaning too, with an endpoint in OpenAI's format that makes embeddings."""

    embeddings_model: str = ""
    """Parts of every file that is searched are sent to it; empty sends nothing anywhere."""
    base_url: str = ""
    """To which `/embeddings` is added."""
    api_key_env: str = ""
    """Name of the variable that holds the key; empty for none."""


ThemeName: TypeAlias = Literal["auto", "dark", "light", "ansi", "none"]


class TerminalSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """How a session at the terminal looks, and is typed into."""

    theme: ThemeName = "auto"
    """`none` has no colours; NO_COLOR in the environment stands over it."""
    plain: bool = False
    """Nothing but lines of words: no boxes, nothing that moves, for screen readers among others.
    Without it the environment decides: TERM=dumb or ACCESSIBLE=1."""
    editing: Literal["emacs", "vi"] = "emacs"
    """Which keys edit the input line."""


class TurnSettings(Struct, frozen=True, forbid_unknown_fields=True):
    on_failure: OnFailure = OnFailure.CONTINUE
    """What becomes of the rest of a message after a call of it failed."""


Blocking: TypeAlias = Literal[
    "failed", "denied", "rejected", "skipped", "interrupted", "unknown", "exit_nonzero"
]


class CompletionSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """When a task counts as completed; see `types/turn_rules.py`."""

    block_on: tuple[Blocking, ...] = (
        "failed",
        "denied",
        "rejected",
        "skipped",
        "interrupted",
        "unknown",
    )
    """What may have become of no call before the completion, in its message."""
    open_todos: Literal["allow", "block"] = "allow"
    scope: Scope = Scope.TURN
    verify: tuple[Annotated[str, Meta(pattern=r"\S")], ...] = ()
    """Commands that have to end with status 0 before the result of a task is shown."""


class ContextSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """When a conversation is compacted: its older part replaced by a summary."""

    auto_compact: bool = True
    """Before the model's window is full; `/compact` does it at any time."""
    compact_at: Annotated[float, Meta(gt=0, le=1)] = 0.85
    """Part of the window that a request may fill."""


HookEvent: TypeAlias = Literal[
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PreCompletion",
    "TurnSettled",
    "SessionEnd",
]


class Hook(Struct, frozen=True, forbid_unknown_fields=True):
    """A program that is told of an event and can forbid it; see `hooks/runner.py`."""

    command: str
    """For the user's shell."""
    matcher: str = ""
    """Patterns of tool names, parted by `|`; empty for every tool."""
    timeout: Annotated[float, Meta(gt=0)] = 60.0
    """Seconds."""


class McpServer(Struct, frozen=True, forbid_unknown_fields=True):
    """A server that brings tools: a program that is started, or an address."""

    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict[str, str])
    """Besides what every program sees; `${NAME}` stands for a variable of the environment, here
    and in `args`, `url` and `headers`."""
    cwd: str = ""
    """Empty for the folder that is worked in."""
    url: str = ""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    timeout: Annotated[float, Meta(gt=0, le=3600)] = 60.0
    """Seconds for one call, and for the start."""
    disabled: bool = False


class McpSettings(Struct, frozen=True, forbid_unknown_fields=True):
    wait: Amount = 2.0
    """Seconds that the first request waits for servers; tools of a later one are called by
    `use_mcp_tool`."""
    servers: dict[str, McpServer] = field(default_factory=dict[str, McpServer])


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    model: str | None = None
    """`provider/name`, or `replay:FILE`."""
    mode: str = "code"
    protocol: Protocol | None = None
    """None: what the model is known to do best."""
    parallel_tool_calls: bool = True
    transport: Literal["direct", "sdk"] = "direct"
    max_turns: Positive | None = None
    """Model responses in the whole session, before and after it is gone on with."""
    max_tokens: Positive | None = None
    """Read and written, for the whole session."""
    max_seconds: Amount | None = None
    """Of models and calls at work, for the whole session."""
    max_cost: Amount | None = None
    """US dollars, for the whole session as well."""
    command_timeout: Annotated[float, Meta(gt=0)] = 120.0
    """Seconds."""
    language: Annotated[str, Meta(pattern=r"^[A-Za-z]{2,3}([_-][A-Za-z0-9]+)*$")] | None = None
    """None: the locale's. A name and never a path, for a catalogue is looked up by it."""
    approval: ApprovalSettings = ApprovalSettings()
    retry: RetrySettings = RetrySettings()
    turn: TurnSettings = TurnSettings()
    completion: CompletionSettings = CompletionSettings()
    sandbox: SandboxSettings = SandboxSettings()
    web: WebSettings = WebSettings()
    images: ImagesSettings = ImagesSettings()
    index: IndexSettings = IndexSettings()
    telemetry: TelemetrySettings = TelemetrySettings()
    terminal: TerminalSettings = TerminalSettings()
    context: ContextSettings = ContextSettings()
    providers: dict[str, ProviderSettings] = field(default_factory=dict[str, ProviderSettings])
    models: dict[str, ModelSettings] = field(default_factory=dict[str, ModelSettings])
    """By `provider/name`."""
    mcp: McpSettings = McpSettings()
    hooks: dict[HookEvent, tuple[Hook, ...]] = field(
        default_factory=dict[HookEvent, tuple[Hook, ...]]
    )
    """By event."""

"""What a trusted folder's settings may change, and what never has an effect."""

from pathlib import Path

import pytest

from agent_cli.settings.load import Folder, Loaded, ProjectFile, load_layers
from agent_cli.settings.project import MAY_NOT, Reason
from agent_cli.settings.schema import Settings
from agent_cli.types.approval import Decision
from agent_cli.types.errors import ConfigurationError

CONFIG = Path("/p/.agent/config.toml")
LOCAL = Path("/p/.agent/config.local.toml")


@pytest.fixture
def environ(tmp_path):
    return {"HOME": "/home/me", "AGENT_HOME": str(tmp_path / "agent")}


@pytest.fixture
def user(tmp_path):
    def write(text):
        (tmp_path / "agent" / "config").mkdir(parents=True)
        (tmp_path / "agent" / "config" / "config.toml").write_text(text)

    return write


def loaded(environ, text, flags=None, *, local="", managed=Path("/nonexistent/config.toml")):
    files = (ProjectFile(CONFIG, text.encode()), ProjectFile(LOCAL, local.encode()))
    return load_layers(environ, flags, Folder(Path("/p"), files), managed)


def said(result: Loaded) -> list[tuple[str, Reason]]:
    return [(one.key, one.reason) for one in result.ignored]


FORBIDDEN = [
    ("[providers.openai]\nbase_url = 'http://evil'", "providers", Reason.ADDRESS),
    ("[providers.x]\napi_key_env = 'AWS_SECRET'", "providers", Reason.ADDRESS),
    ("providers.x.headers.authorization = 'x'", "providers", Reason.ADDRESS),
    ("providers.anthropic.sdk = 'bedrock'", "providers", Reason.ADDRESS),
    ("transport = 'sdk'", "transport", Reason.ADDRESS),
    ("base_url = 'http://evil'", "base_url", Reason.ADDRESS),
    ("api_key = 'k'", "api_key", Reason.ADDRESS),
    ("proxy = 'http://evil'", "proxy", Reason.ADDRESS),
    ("[telemetry]\notel = true", "telemetry", Reason.ADDRESS),
    ("model = 'replay:/tmp/cassette'", "model", Reason.MODEL),
    ("model = 'replay:./x/y'", "model", Reason.MODEL),
    ("model = 'evil/m'", "model", Reason.MODEL),
    ("model = 'openai/m'", "model", Reason.MODEL),
    ("model = 'ollama/m'", "model", Reason.MODEL),
    ("[approval]\nwrite = 'allow'", "approval.write", Reason.LOOSENS),
    ("[approval]\nexecute = 'allow'", "approval.execute", Reason.LOOSENS),
    ("[approval]\nnetwork = 'allow'", "approval.network", Reason.LOOSENS),
    ("[approval]\nmcp = 'allow'", "approval.mcp", Reason.LOOSENS),
    ("approval.rules.allow = ['read_file']", "approval.rules.allow", Reason.LOOSENS),
    ("yolo = true", "yolo", Reason.LOOSENS),
    ("[approval]\nmode = 'auto'", "approval.mode", Reason.LOOSENS),
    ("[approval]\nyolo = true", "approval.yolo", Reason.LOOSENS),
    ("auto_approve = ['*']", "auto_approve", Reason.LOOSENS),
    ("allowed_tools = ['*']", "allowed_tools", Reason.LOOSENS),
    ("models.'openai/m'.input_price = 0", "models.openai/m.input_price", Reason.BUDGET),
    ("retry.attempts = 1000", "retry", Reason.BUDGET),
    ("trust = true", "trust", Reason.TRUST),
    ("trust.folders = ['/']", "trust", Reason.TRUST),
    ("shell = './sh'", "shell", Reason.PROGRAM),
    ("env.PATH = '.'", "env", Reason.PROGRAM),
    ("sandbox = 'off'", "sandbox", Reason.PROGRAM),
    ("mcp.servers.x.command = './x'", "mcp", Reason.PROGRAM),
    ("whatever = 1", "whatever", Reason.NOT_OFFERED),
    ("approval = 3", "approval", Reason.NOT_OFFERED),
    ("models.x.nothing = 3", "models.x.nothing", Reason.NOT_OFFERED),
]


@pytest.mark.parametrize(("text", "key", "reason"), FORBIDDEN, ids=[row[0] for row in FORBIDDEN])
def test_a_forbidden_setting_has_no_effect_and_one_warning(environ, text, key, reason):
    result = loaded(environ, text)
    assert result.settings == Settings()
    assert said(result) == [(key, reason)]
    assert result.ignored[0].place.startswith(f"{CONFIG}:")


@pytest.mark.parametrize("keys", MAY_NOT, ids=".".join)
def test_every_name_of_the_table_is_refused_whatever_its_value(environ, keys):
    dotted = ".".join(key.replace("*", "x") for key in keys)
    for value in ("1", "'text'", "['a']", "true"):
        result = loaded(environ, f"{dotted} = {value}")
        assert result.settings == Settings()
        assert said(result) == [(dotted, MAY_NOT[keys])]


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("mode = 'ask'", "mode", "ask"),
        ("language = 'de_AT'", "language", "de_AT"),
        ("protocol = 'xml'", "protocol", "xml"),
        ("parallel_tool_calls = false", "parallel_tool_calls", False),
        ("command_timeout = 600", "command_timeout", 600.0),
        ("max_turns = 3", "max_turns", 3),
        ("max_cost = 0.5", "max_cost", 0.5),
        ("approval.read = 'ask'", "approval.read", Decision.ASK),
        ("approval.write = 'deny'", "approval.write", Decision.DENY),
        ("approval.write = 'ask'", "approval.write", Decision.ASK),
        ("approval.rules.deny = ['a']", "approval.rules.deny", ("a",)),
        ("approval.rules.ask = ['a']", "approval.rules.ask", ("a",)),
    ],
)
def test_a_harmless_or_stricter_setting_counts(environ, text, path, expected):
    result = loaded(environ, text)
    value = result.settings
    for name in path.split("."):
        value = getattr(value, name)
    assert value == expected
    assert result.ignored == ()


def test_what_is_known_of_a_model_may_be_said(environ):
    result = loaded(environ, "models.'openai/m'.context_window = 5")
    assert result.settings.models["openai/m"].context_window == 5
    assert result.ignored == ()


@pytest.mark.parametrize(
    ("above", "text", "expected"),
    [
        ("approval.write = 'deny'", "approval.write = 'ask'", ("approval.write", Reason.LOOSENS)),
        ("approval.read = 'ask'", "approval.read = 'allow'", ("approval.read", Reason.LOOSENS)),
        ("max_cost = 1", "max_cost = 2", ("max_cost", Reason.BUDGET)),
        ("max_turns = 5", "max_turns = 6", ("max_turns", Reason.BUDGET)),
    ],
)
def test_a_project_cannot_loosen_what_the_user_set(environ, user, above, text, expected):
    user(above)
    result = loaded(environ, text)
    assert result.settings == load_layers(environ).settings
    assert said(result) == [expected]


def test_a_local_file_cannot_loosen_the_projects(environ):
    result = loaded(environ, "approval.write = 'deny'", local="approval.write = 'ask'\nmode='ask'")
    assert (result.settings.approval.write, result.settings.mode) == (Decision.DENY, "ask")
    assert result.ignored[0].place.startswith(str(LOCAL))


def test_deny_and_ask_rules_of_all_layers_add_up(environ, user, managed):
    user("[approval.rules]\nallow = ['mine']\ndeny = ['a']\nask = ['b']")
    text = "[approval.rules]\nallow = ['theirs']\ndeny = ['c']\nask = ['d']"
    above = managed("[approval.rules]\ndeny = ['e']")
    rules = loaded(environ, text, managed=above).settings.approval.rules
    assert (rules.allow, rules.deny, rules.ask) == (("mine",), ("a", "c", "e"), ("b", "d"))


def test_hooks_of_all_layers_add_up_in_their_order(environ, user, managed):
    def hook(command, event="PreToolUse"):
        return f"[[hooks.{event}]]\ncommand = '{command}'\n"

    user(hook("mine"))
    above = managed(hook("theirs"))
    text = hook("project") + hook("end", "SessionEnd")
    hooks = loaded(environ, text, local=hook("local"), managed=above).settings.hooks
    commands = {event: [one.command for one in found] for event, found in hooks.items()}
    assert commands == {"PreToolUse": ["mine", "project", "local", "theirs"], "SessionEnd": ["end"]}


@pytest.fixture
def managed(tmp_path):
    """A managed file, as root writes it: these tests have to be root's."""

    def write(text, mode=0o644):
        path = tmp_path / "managed" / "config.toml"
        path.parent.mkdir(mode=0o755)
        path.parent.chmod(0o755)
        path.write_text(text)
        path.chmod(mode)
        if path.stat().st_uid != 0:
            pytest.skip("only root can make a managed file")
        return path

    return write


def test_the_layers_stand_in_order(environ, user, managed):
    user("mode = 'user'\nprotocol = 'xml'\nlanguage = 'de'\nmax_turns = 9\ncommand_timeout = 9")
    environ |= {"AGENT_MAX_TURNS": "6", "AGENT_COMMAND_TIMEOUT": "6"}
    result = loaded(
        environ,
        "mode = 'project'\nlanguage = 'fr'\nmax_turns = 8",
        {"max_turns": 5, "mode": None},
        local="language = 'it'",
        managed=managed("command_timeout = 4"),
    ).settings
    assert (result.protocol, result.mode, result.language) == ("xml", "project", "it")
    assert (result.command_timeout, result.max_turns) == (4, 5)


@pytest.mark.parametrize("who", ["file", "folder", "owner"])
def test_a_managed_file_that_others_could_have_written_is_ignored(environ, managed, who):
    path = managed("mode = 'ask'", 0o664 if who == "file" else 0o644)
    if who == "folder":
        path.parent.chmod(0o777)
    if who == "owner":
        import os

        os.chown(path, 1000, 1000)
    result = load_layers(environ, managed=path)
    assert result.settings == Settings()
    assert [(one.place, one.reason) for one in result.ignored] == [(str(path), Reason.UNSAFE)]


def test_a_mistake_in_the_managed_file_stops_the_start(environ, managed):
    with pytest.raises(ConfigurationError, match=r"config.toml:1: unknown setting 'modle'"):
        load_layers(environ, managed=managed("modle = 'x'"))


@pytest.mark.parametrize("content", [b"\xff", None])
def test_a_managed_file_that_cannot_be_read_stops_the_start(environ, managed, content):
    path = managed("")
    if content is None:
        path.unlink()
        path.symlink_to(path)
    else:
        path.write_bytes(content)
    with pytest.raises(ConfigurationError, match="cannot read"):
        load_layers(environ, managed=path)


@pytest.mark.parametrize(
    ("variable", "model"), [("OPENAI_API_KEY", "openai/m"), ("GOOGLE_API_KEY", "gemini/m")]
)
def test_a_project_may_name_a_model_whose_provider_the_user_has_a_key_for(environ, variable, model):
    assert loaded(environ | {variable: "k"}, f"model = '{model}'").settings.model == model
    assert loaded(environ | {"OTHER": "k"}, f"model = '{model}'").settings.model is None


def test_a_project_may_name_a_model_of_a_provider_that_the_user_described(environ, user):
    user("[providers.mine]\nbase_url = 'http://127.0.0.1:9/v1'\nwire = 'openai_chat'")
    assert loaded(environ, "model = 'mine/m'").settings.model == "mine/m"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\nmode = 3", r"config.toml:2: mode = 3: expected `str`"),
        ("mode = ", "not valid TOML"),
        ("language = '../../evil'", r"config.toml:1: language = "),
        ("[models.x]\ncontext_window = 0", r"config.toml:2: models.x.context_window = 0"),
        ("a = " + "[" * 100_000, "not valid TOML"),
    ],
    ids=["type", "syntax", "path as language", "range", "depth"],
)
def test_a_mistake_in_a_trusted_file_names_its_place(environ, text, expected):
    with pytest.raises(ConfigurationError, match=expected):
        loaded(environ, text)


def test_a_trusted_file_that_is_not_text_is_refused(environ):
    with pytest.raises(ConfigurationError, match="cannot read"):
        load_layers(environ, folder=Folder(Path("/p"), (ProjectFile(CONFIG, b"\xff"),)))


def test_settings_of_the_users_that_lie_in_the_folder_have_no_effect(environ, user, tmp_path):
    user("mode = 'orchestrator'\n[providers.openai]\nbase_url = 'http://evil'")
    result = load_layers(environ, folder=Folder(tmp_path))
    assert result.settings == Settings()
    assert said(result) == [("", Reason.INSIDE)]
    assert load_layers(environ, folder=Folder(tmp_path / "x")).settings.mode == "orchestrator"


def test_settings_that_are_not_there_cannot_lie_in_the_folder(environ, tmp_path):
    assert load_layers(environ, folder=Folder(tmp_path)) == Loaded(Settings())

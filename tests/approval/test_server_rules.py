import pytest

from agent_cli.approval.policy import Policy, decide, rule_for
from agent_cli.approval.server_tools import tool_name
from agent_cli.types.approval import Decision
from agent_cli.types.effects import Effect, Kind

ALLOW, ASK, DENY = Decision.ALLOW, Decision.ASK, Decision.DENY
PUSH = (Effect(Kind.MCP, "github/push"),)
ODD = (Effect(Kind.MCP, "github/a.b"),)
CHANGED = (Effect(Kind.MCP, "github/push", protected=True),)
NATIVE, REACHED = "mcp__github__push", "use_mcp_tool"

JUDGED = [
    pytest.param(Policy(), PUSH, ASK, id="nothing said"),
    pytest.param(Policy(mcp=ALLOW), PUSH, ALLOW, id="all allowed"),
    pytest.param(Policy(mcp=ALLOW, deny=("mcp__github__push",)), PUSH, DENY, id="its name"),
    pytest.param(Policy(mcp=ALLOW, deny=("mcp__github",)), PUSH, DENY, id="its server"),
    pytest.param(Policy(mcp=ALLOW, deny=("use_mcp_tool(github/*)",)), PUSH, DENY, id="a pattern"),
    pytest.param(Policy(mcp=ALLOW, deny=("mcp__git",)), PUSH, ALLOW, id="another server"),
    pytest.param(Policy(mcp=ALLOW, deny=("mcp__github__pus",)), PUSH, ALLOW, id="another tool"),
    pytest.param(Policy(allow=("mcp__github__push",)), PUSH, ALLOW, id="allowed by name"),
    pytest.param(Policy(allow=("mcp__github",)), PUSH, ALLOW, id="allowed by server"),
    pytest.param(Policy(allow=("use_mcp_tool(github/p*)",)), PUSH, ALLOW, id="allowed by pattern"),
    pytest.param(Policy(allow=("use_mcp_tool(git/*)",)), PUSH, ASK, id="another pattern"),
    pytest.param(
        Policy(mcp=ALLOW, deny=("mcp__github__a.b",)), ODD, DENY, id="a foreign character"
    ),
    pytest.param(
        Policy(mcp=ALLOW, deny=(tool_name("github", "a.b"),)), ODD, DENY, id="the name it goes by"
    ),
    pytest.param(Policy(mcp=ALLOW, allow=("mcp__github",)), CHANGED, ASK, id="changed"),
    pytest.param(Policy(yolo=True), CHANGED, ASK, id="changed under yolo"),
]


@pytest.mark.parametrize("tool", [NATIVE, REACHED])
@pytest.mark.parametrize(("policy", "effects", "expected"), JUDGED)
def test_a_server_tool_is_judged_alike_however_it_is_called(
    policy: Policy, effects: tuple[Effect, ...], expected: Decision, tool: str
):
    assert decide(policy, tool, effects, ()).decision is expected


@pytest.mark.parametrize("tool", [NATIVE, REACHED])
def test_an_approval_for_the_session_holds_for_both_ways(tool: str):
    rule = rule_for(tool, PUSH)
    assert rule is not None
    for other in (NATIVE, REACHED):
        assert decide(Policy(), other, PUSH, (rule,)).decision is ALLOW
    assert decide(Policy(), NATIVE, (Effect(Kind.MCP, "github/pull"),), (rule,)).decision is ASK

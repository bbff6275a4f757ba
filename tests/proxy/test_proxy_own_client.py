"""Our own command line behind the proxy."""

import subprocess
import sys
from pathlib import Path

import pytest
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES, Exchange
from testbed.proxied import Proxied, proxied
from testbed.proxy_cells import M
from testbed.replies import Call, Reply, Say
from testbed.run_agent import environment

MODELS = {
    ANTHROPIC_MESSAGES: "anthropic/m",
    OPENAI_CHAT: "openai-chat/m",
    OPENAI_RESPONSES: "openai/m",
}
LIST = Call("list_files", {"path": "."})
DONE = Call("attempt_completion", {"result": "All done."})


def run(wire: str, proxy: Proxied, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "work").mkdir()
    environ = environment(folder / "home", None)
    base = f"http://127.0.0.1:{proxy.port}"
    name = "ANTHROPIC" if wire == ANTHROPIC_MESSAGES else "OPENAI"
    environ[f"{name}_BASE_URL"] = base if wire == ANTHROPIC_MESSAGES else f"{base}/v1"
    environ[f"{name}_API_KEY"] = "not needed"
    return subprocess.run(
        [sys.executable, "-m", "agent_cli", "run", "-y", "-m", MODELS[wire], "Do it."],
        cwd=folder / "work",
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("guided", [True, False], ids=["proxy remembers", "proxy forgets"])
@pytest.mark.parametrize("text", ["", "Let me look."], ids=["before any word", "after words"])
@pytest.mark.parametrize("wire", [ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES])
def test_a_refused_order_is_put_to_the_model(wire: str, text: str, *, guided: bool, tmp_path: Path):
    script = [Say(text, [LIST, M]), Say(calls=[M, LIST]), Say(calls=[DONE])]
    with proxied(script, tmp_path, mediation={"guidance_memory": guided}) as proxy:
        done = run(wire, proxy, tmp_path)
        assert done.returncode == 0, done.stderr
        assert proxy.service.tools == ["docs_search"]
        second, third = (str(one.body) for one in proxy.upstream.requests[1:])
    for told in (second, third):
        assert "order of its calls" in told
        assert "split them" in told
    assert "mixed_tool_order" not in done.stdout


@pytest.mark.parametrize("guided", [True, False])
@pytest.mark.parametrize("wire", [ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES])
def test_a_model_that_never_orders_its_calls_is_not_asked_for_ever(
    *, wire: str, guided: bool, tmp_path: Path
):
    def stubborn(exchange: Exchange) -> Reply:
        return Say(calls=[LIST, M])

    with proxied(stubborn, tmp_path, mediation={"guidance_memory": guided}) as proxy:
        done = run(wire, proxy, tmp_path)
        assert len(proxy.upstream.requests) == 3
        assert proxy.service.executed == []
    assert done.returncode not in (0, 1), done.stderr
    assert "split them" in done.stderr

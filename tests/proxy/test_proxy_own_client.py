"""Our own command line behind the proxy."""

import subprocess
import sys
from pathlib import Path

import pytest
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES
from testbed.proxied import proxied
from testbed.proxy_cells import M
from testbed.replies import Call, Say
from testbed.run_agent import environment

MODELS = {
    ANTHROPIC_MESSAGES: "anthropic/m",
    OPENAI_CHAT: "openai-chat/m",
    OPENAI_RESPONSES: "openai/m",
}
LIST = Call("list_files", {"path": "."})
DONE = Call("attempt_completion", {"result": "All done."})


@pytest.mark.parametrize("text", ["", "Let me look."], ids=["before any word", "after words"])
@pytest.mark.parametrize("wire", [ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES])
def test_a_refused_order_is_put_to_the_model(wire: str, text: str, tmp_path: Path):
    script = [Say(text, [LIST, M]), Say(calls=[M, LIST]), Say(calls=[DONE])]
    (tmp_path / "work").mkdir()
    with proxied(script, tmp_path) as proxy:
        environ = environment(tmp_path / "home", None)
        base = f"http://127.0.0.1:{proxy.port}"
        name = "ANTHROPIC" if wire == ANTHROPIC_MESSAGES else "OPENAI"
        environ[f"{name}_BASE_URL"] = base if wire == ANTHROPIC_MESSAGES else f"{base}/v1"
        environ[f"{name}_API_KEY"] = "not needed"
        model = MODELS[wire]
        done = subprocess.run(
            [sys.executable, "-m", "agent_cli", "run", "-y", "-m", model, "Do it."],
            cwd=tmp_path / "work",
            env=environ,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert proxy.service.tools == ["docs_search"]
        assert "split them" in str(proxy.upstream.requests[1].body)
    assert "mixed_tool_order" not in done.stdout

"""What the user says while the agent works goes the way of everything they say."""

from pathlib import Path

from testbed.replies import Call, Delivery, Say
from testbed.screens import Screen
from testbed.server import ModelServer

from agent_cli.settings.places import config_file

MODEL = ["-m", "anthropic/test-model"]
READ = Call("read_file", {"files": [{"path": "README.md"}]})
SLOW = Delivery(between=0.3, piece=8)
HOOK = (
    "python -c \"import sys; t = sys.stdin.read(); 'secret' in t and sys.exit(print('no') or 2)\""
)


def test_a_hook_forbids_queued_words_and_a_mention_in_them_counts(project: Path, home: Path):
    settings = config_file({"AGENT_HOME": str(home / "agent")})
    settings.parent.mkdir(parents=True)
    settings.write_text(f"[[hooks.UserPromptSubmit]]\ncommand = '''{HOOK}'''\n")
    script = [Say("I look at it, word by word. " * 4, calls=[READ], delivery=SLOW), Say("Seen.")]
    with (
        ModelServer(script) as server,
        Screen([*MODEL, "Go."], cwd=project, home=home, server=server) as screen,
    ):
        screen.wait_for("Esc stops")
        screen.say("the secret plan")
        screen.wait_for("secret plan")
        screen.say("and look at @README.md")
        screen.wait_for("forbids 'the secret plan': no")
        screen.wait_for("Seen")
        screen.leave()
    asked = server.requests[1].raw.decode()
    assert "secret" not in asked
    assert "and look at @README.md" in asked
    assert asked.count("It adds numbers.") == 2
    assert server.violations == []

"""How long a verdict on a command takes; see `test_speed.py` for how to run it."""

import subprocess
import sys
import time

import pytest

from agent_cli.approval.shell import LONGEST, judge

pytestmark = pytest.mark.benchmark

ALLOW = ["git", "ls", "rg", "grep", "cat", "pytest", "npm run test", "find", "echo", "cd"]
DENY = ["rm -rf", "git push", "git reset --hard", "sudo", "curl", "npm publish"]
USUAL = [
    "git status --short",
    "git diff HEAD~1 -- src/app.py tests/test_app.py",
    "cd src && ls -la | grep -v '\\.pyc$' 2>/dev/null",
    "rg -n 'def (main|run)' --type py src tests || true",
    "find . -name '*.py' -exec grep -l TODO {} +",
    "git add -A && git commit -m 'Fix the parser; see \"notes\"'",
    'for f in *.py; do python -m py_compile "$f"; done',
    "cat <<'EOF' > notes.md\n# Notes\ngit push, then rm -rf\nEOF",
    "python -c 'import sys; print(sys.path)' && echo $(date)",
    "sudo rm -rf /var/tmp/x",
]
LONG = {
    "one word": "echo " + "a" * LONGEST,
    "words": "echo " + "abcdefg " * LONGEST,
    "commands": "ls -l a; " * LONGEST,
    "pipes": "ls | grep x | " * LONGEST,
    "quotes": "echo 'a' \"b\" " * LONGEST,
    "a here-document": "cat <<'E'\n" + "git push and text\n" * LONGEST,
    "substitutions": "echo $(ls) `ls` " * LONGEST,
    "nested parentheses": "(" * LONGEST,
    "nested quotes": '"$(' * LONGEST,
    "denied words": "git push -x " * LONGEST,
    "signs": "<" * LONGEST,
    "letters of others": "echo ä日б " * LONGEST,
}
FIRST = """
import time
begun = time.perf_counter()
from agent_cli.approval.shell import judge
judge("git status | cat", allow=["git", "cat"], deny=["rm"])
print(time.perf_counter() - begun)
"""


def report(name: str, seconds: float, promised: str = "nothing") -> None:
    print(f"\n{name:52} {seconds * 1000:8.2f} ms (promised: {promised})")


def spent(text: str) -> float:
    """Return the processor's seconds of the best of three verdicts, each on a text of its own."""
    found: list[float] = []
    for turn in range(3):
        begun = time.process_time()
        judge(text + " " * turn, allow=ALLOW, deny=DENY)
        found.append(time.process_time() - begun)
    return min(found)


def test_the_first_verdict():
    done = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True)
    report("the first verdict, imports included", float(done.stdout))


def test_usual_commands():
    judge("ls", allow=["ls"], deny=[])
    report("the slowest of usual commands", max(spent(text) for text in USUAL), "5 ms")


@pytest.mark.parametrize("name", LONG)
def test_64_kib(name: str):
    text = LONG[name].encode()[: LONGEST - 4].decode("utf-8", "ignore")
    report(f"64 KiB of {name}", spent(text), "50 ms")

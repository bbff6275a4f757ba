"""Random scripts: what the judge allows starts only programs that rules name, and writes nothing.

The scripts really run, in bash and in sh, with a search path that holds nothing but witnesses:
programs that write down under which name they were started. The directory must be as before.
"""

import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from agent_cli.approval.shell import judge
from agent_cli.types.approval import Decision

ALLOWED = ("good", "fine", "echo", "true", "[", "cd", "sh", "cat")
WITNESSES = ("good", "fine", "bad", "evil", "a", "x", "E", "then", "1")
PASSED_ON = ("sh", "bash", "env", "timeout", "nice", "find", "cat", "xargs")
"""Programs that are really there, as they run others."""
STRACE = shutil.which("strace")
_EXECUTED = re.compile(r'execve(?:at)?\("([^"]*)"')
_WROTE = re.compile(
    r"O_WRONLY|O_RDWR|O_CREAT|creat\(|truncate\(|rename\(|unlink\(|mkdir\(|symlink\("
)
_HARMLESS = re.compile(r'"/dev/(?:null|tty)"|/started"|"/tmp/sh-thd')
"""The null device, what a witness notes, and a shell's own file for a here-document."""
SEEDS = range(12)
SCRIPTS = 60
"""Scripts of one seed."""

COMMANDS = [
    "good", "good a", "fine -x", "good 'a b'", 'fine "a;b"', "good a\\;b", "echo 'x'", "true",
    "[ -f f ]", "cd d", "good f*", "good '$x'", "good \\$x", "good # x", "good 2>/dev/null",
    "fine >/dev/null 2>&1", "good {}", "good a#b", "fine x@{1}", 'good "$ a"', "good $",
    "cat <<'E'\nbad\nE", "cat <<E\nbad\nE", "cat <<-E\n\tbad\n\tE", "cat <<< bad", "good \\\n a",
    "timeout 5 good", "env good", "nice good", "sh -c 'good; fine'", "eval 'good a'",
    "find . -maxdepth 0 -exec good {} \\;", "command good", "exec good", "time good",
]  # fmt: skip
HOSTILE = [
    "bad", "evil x", "bad > f", "good > new", "good `bad`", "good $(bad)", "A=b", "A=b good",
    "good <(bad)", "good & bad", "f() { bad; }", "for i in a; do bad; done", "${x:-bad}", "$x",
    "b''ad", "good >| f", "good 3<> new", "sh -c bad", "eval bad", "env bad", "'bad'", "{bad,x}",
    "find . -exec bad \\;", "xargs bad < f", "cat f | sh", "if bad; then good; fi", "((x=1))",
    "good \\\nbad", "case a in a) bad;; esac", "sh <<E\nbad\nE", ". ./f", "./f", "bad <<E\ngood\nE",
]  # fmt: skip
JOINTS = ["; ", " && ", " || ", " | ", "\n", " & ", " |& ", ";", "\n\n", " # ", "&&", "|"]
AROUND = [
    "({})",
    "{{ {}; }}",
    "! {}",
    "if {}; then good; fi",
    "if true; then {}\nfi",
    "{} ",
    "({}\n)",
]
MUTATIONS = [*"'\"\\`$(){}<>|&;#!=~*?[] \t\n", "\\\n", "<<E\n", "E\n", "$(", "2>", ">&", "&>", "\r"]


def script(chance: random.Random) -> str:
    parts: list[str] = []
    for _ in range(chance.randint(1, 4)):
        one = chance.choice(HOSTILE if chance.random() < 0.1 else COMMANDS)
        while chance.random() < 0.25:
            one = chance.choice(AROUND).format(one)
        parts += [one, chance.choice(JOINTS)]
    text = "".join(parts[:-1])
    for _ in range(chance.choice([0, 0, 1, 1, 2, 3])):
        at = chance.randrange(len(text) + 1)
        cut = chance.choice([0, 0, 1])
        text = text[:at] + chance.choice([*MUTATIONS, ""]) + text[at + cut :]
    return text


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory with things to spoil, beside one with witnesses."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in WITNESSES:
        witness = programs / name
        witness.write_text(f"#!/bin/sh\necho {name} >> '{tmp_path}/started'\n")
        witness.chmod(0o755)
    for name in PASSED_ON:
        found = next(Path(one, name) for one in ("/usr/bin", "/bin") if Path(one, name).exists())
        (programs / name).symlink_to(found)
    (tmp_path / "work" / "d").mkdir(parents=True)
    (tmp_path / "work" / "f").write_text("bad\n")
    (tmp_path / "work" / "f").chmod(0o755)
    return tmp_path


def state(top: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(top)): None if path.is_dir() else path.read_bytes()
        for path in top.rglob("*")
    }


def started(place: Path, shell: str, text: str) -> set[str]:
    """Run the script; return which witnesses were started."""
    (place / "started").write_text("")
    environ = {"PATH": str(place / "programs"), "HOME": str(place / "work"), "LC_ALL": "C.UTF-8"}
    subprocess.run(
        [shell, "-c", f" {text}"],
        cwd=place / "work",
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=20,
        check=False,
    )
    return set((place / "started").read_text().split())


def traced(place: Path, shell: str, text: str) -> tuple[set[str], list[str]]:
    """Run the script under strace; return which programs were started and which files written."""
    log = place / "trace"
    environ = {"PATH": str(place / "programs"), "HOME": str(place / "work"), "LC_ALL": "C.UTF-8"}
    calls = "trace=execve,execveat,open,openat,creat,truncate,rename,unlink,mkdir,symlink"
    subprocess.run(
        [
            STRACE or "",
            "-f",
            "-qq",
            "-o",
            str(log),
            "-e",
            calls,
            shutil.which(shell) or shell,
            "-c",
            f" {text}",
        ],
        cwd=place / "work",
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    done = [line for line in log.read_text(errors="replace").splitlines() if " = -1 " not in line]
    programs = {Path(found[1]).name for line in done if (found := _EXECUTED.search(line))}
    written = [line for line in done if _WROTE.search(line) and not _HARMLESS.search(line)]
    return programs, written


def check(place: Path, seed: int, scripts: int) -> int:
    chance = random.Random(seed)
    before = state(place / "work")
    allowed = 0
    for _ in range(scripts):
        text = script(chance)
        if judge(text, allow=ALLOWED + PASSED_ON, deny=()).decision is not Decision.ALLOW:
            continue
        allowed += 1
        for shell in ("bash", "sh"):
            assert started(place, shell, text) <= {"good", "fine"}, text
            assert state(place / "work") == before, text
        denied = judge(text, allow=["*"], deny=["bad", "evil"]).decision
        assert denied is not Decision.DENY or "bad" in text, text
    return allowed


@pytest.mark.invariant("C6")
@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_allowed_starts_only_what_rules_name(place: Path, seed: int):
    assert check(place, seed, SCRIPTS) > 0


@pytest.mark.invariant("C6")
@pytest.mark.skipif(STRACE is None, reason="strace is not installed")
@pytest.mark.parametrize("seed", range(4))
def test_traced_what_is_allowed_starts_and_writes_nothing_else(place: Path, seed: int):
    chance = random.Random(seed)
    texts = [script(chance) for _ in range(SCRIPTS)]
    allowed = [
        text
        for text in texts
        if judge(text, allow=ALLOWED + PASSED_ON, deny=()).decision is Decision.ALLOW
    ]
    assert allowed
    for text in allowed:
        programs, written = traced(place, "bash", text)
        assert programs <= {*ALLOWED, *PASSED_ON}, text
        assert written == [], text


@pytest.mark.skipif(STRACE is None, reason="strace is not installed")
def test_the_trace_shows_what_is_started_and_written(place: Path):
    programs, written = traced(place, "bash", "good; bad > new")
    assert {"good", "bad"} <= programs
    assert any('"new"' in line for line in written)


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(1000, 1040))
def test_what_is_allowed_starts_only_what_rules_name_in_many_scripts(place: Path, seed: int):
    assert check(place, seed, 1500) > 0


def test_a_denied_program_is_denied_wherever_it_starts(place: Path):
    chance = random.Random(7)
    for _ in range(120):
        text = script(chance)
        if "\0" in text or "$x" in text or "./f" in text or "f | sh" in text:
            continue
        ran = started(place, "bash", text) & {"bad", "evil"}
        (place / "work" / "new").unlink(missing_ok=True)
        (place / "work" / "f").write_text("bad\n")
        if ran:
            assert judge(text, allow=["*"], deny=["bad", "evil"]).decision is Decision.DENY, text


def test_the_witnesses_see_what_is_started(place: Path):
    assert started(place, "bash", "good; bad > f") == {"good", "bad"}
    assert os.access(place / "programs" / "sh", os.X_OK)

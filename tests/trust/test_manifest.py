"""What of a folder would act, and what stands in the way of trusting it."""

import os
import socket
from pathlib import Path

import pytest
from testbed.ordinary_user import as_ordinary_user, open_the_way

from agent_cli.trust import manifest as manifest_module
from agent_cli.trust.manifest import FILE_LIMIT, MOST_FILES, Manifest, Obstacle, manifest


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def put(root: Path, path: str, content: str | bytes = "x") -> Path:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content.encode() if isinstance(content, str) else content)
    return place


def paths(found: Manifest) -> list[str]:
    return [file.path for file in found.files]


def refused(found: Manifest) -> list[tuple[str, Obstacle]]:
    return [(refusal.path, refusal.obstacle) for refusal in found.refusals]


@pytest.mark.parametrize(
    "path",
    [
        ".agent/config.toml",
        ".agent/config.local.toml",
        ".agent/hooks/pre.sh",
        ".agent/modes/reviewer.md",
        ".agent/commands/deploy.md",
        ".agent/skills/pdf/SKILL.md",
        ".agents/skills/pdf/SKILL.md",
        ".claude/skills/pdf/SKILL.md",
        ".mcp.json",
    ],
)
def test_what_would_act_is_found(root: Path, path: str):
    put(root, path, "content")
    found = manifest(root)
    assert (paths(found), refused(found), found.acts) == ([path], [], True)
    assert found.content(path) == b"content"
    assert found.content("other") is None


@pytest.mark.parametrize(
    "path",
    ["AGENTS.md", ".agentignore", ".env", ".envrc", ".git/config", ".vscode/tasks.json",
     ".agents/other", "sub/.agent/config.toml", "sub/.mcp.json", "package.json"],
)  # fmt: skip
def test_what_never_acts_needs_no_trust(root: Path, path: str):
    put(root, path)
    assert manifest(root) == Manifest()


def test_other_places_can_be_looked_at(root: Path):
    put(root, ".roo/rules/a.md")
    put(root, ".agent/config.toml")
    (root / ".roomodes").symlink_to(root / ".agent/config.toml")
    found = manifest(root, (".roo", ".roomodes"))
    assert (paths(found), refused(found)) == ([".roo/rules/a.md"], [(".roomodes", Obstacle.LINK)])


def test_an_empty_folder_of_ours_does_not_act(root: Path):
    (root / ".agent" / "modes").mkdir(parents=True)
    assert not manifest(root).acts


def test_a_script_that_the_settings_name_acts_too(root: Path):
    put(root, ".agent/config.toml", "[[hooks.PreToolUse]]\ncommand = './tools/check.py --all'\n")
    put(root, ".mcp.json", '{"command": "node", "args": ["./server.js", "/etc/passwd", "../up"]}')
    put(root, "tools/check.py", "print()")
    put(root, "server.js")
    put(root, "README.md")
    put(root.parent, "up")
    (root / "node").mkdir()
    assert paths(manifest(root)) == [
        ".agent/config.toml", ".mcp.json", "server.js", "tools/check.py",
    ]  # fmt: skip


def test_a_named_link_counts_with_what_it_leads_to(root: Path):
    put(root, ".mcp.json", '{"command": "bin/run", "args": [".venv/python"]}')
    put(root, "lib/run.sh", "echo")
    (root / "bin").symlink_to("lib")
    (root / "lib" / "run").symlink_to("run.sh")
    (root / ".venv").mkdir()
    (root / ".venv" / "python").symlink_to("/bin/sh")
    found = manifest(root)
    assert paths(found) == [".mcp.json", ".venv/python", "bin/run", "lib/run.sh"]
    assert found.content("bin/run") == f"link to {root}/lib/run.sh".encode()
    assert found.refusals == ()


def test_a_large_program_that_is_named_is_known_by_its_hash(root: Path):
    put(root, ".mcp.json", '{"command": "./server"}')
    server = put(root, "server", b"x" * (FILE_LIMIT + 1))
    before = manifest(root)
    content = before.content("server")
    assert content is not None
    assert content.startswith(f"{FILE_LIMIT + 1} bytes, SHA-256 ".encode())
    server.write_bytes(b"y" * (FILE_LIMIT + 1))
    assert manifest(root).content("server") != content


def test_names_that_are_no_text_are_kept_apart(root: Path):
    for name in (b"a\xff", b"a\xfe"):
        put(root, ".agent/" + os.fsdecode(name))
    assert len(manifest(root).files) == 2


def link(place: Path, target: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)


def special(root: Path) -> None:
    (root / ".agent").mkdir()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(root / ".agent" / "s"))


def deep(root: Path) -> None:
    put(root, ".agent/" + "d/" * 9 + "x")


def many(root: Path) -> None:
    for number in range(MOST_FILES + 1):
        put(root, f".agent/{number}")


OBSTACLES = {
    "our folder is a link": (lambda root, out: link(root / ".agent", out), Obstacle.LINK),
    "a file is a link": (
        lambda root, out: link(root / ".agent/config.toml", out / "config.toml"), Obstacle.LINK),
    "the server file is a link": (lambda root, out: link(root / ".mcp.json", out), Obstacle.LINK),
    "a link that leads nowhere": (
        lambda root, out: link(root / ".mcp.json", out / "no"), Obstacle.LINK),
    "the skills are reached by a link": (
        lambda root, out: link(root / ".agents", out), Obstacle.LINK),
    "a pipe": (lambda root, out: os.mkfifo(root / ".mcp.json"), Obstacle.SPECIAL),
    "a socket": (lambda root, out: special(root), Obstacle.SPECIAL),
    "a huge file": (
        lambda root, out: put(root, ".mcp.json", b" " * (FILE_LIMIT + 1)), Obstacle.TOO_LARGE),
    "too many files": (lambda root, out: many(root), Obstacle.TOO_MANY),
    "too many words": (
        lambda root, out: put(root, ".mcp.json", " ".join(map(str, range(3000)))),
        Obstacle.TOO_MANY),
    "too deep": (lambda root, out: deep(root), Obstacle.TOO_DEEP),
}  # fmt: skip


@pytest.mark.parametrize("case", OBSTACLES)
def test_what_cannot_be_looked_at_cannot_be_trusted(root: Path, case: str):
    outside = put(root.parent, "outside/config.toml").parent
    put(root.parent, "outside/skills/a/SKILL.md")
    build, obstacle = OBSTACLES[case]
    build(root, outside)
    found = manifest(root)
    assert [one for _, one in refused(found)] == [obstacle]
    assert found.acts
    assert not any("outside" in file.path for file in found.files)


def test_all_files_together_are_bounded(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(manifest_module, "TOTAL_LIMIT", 10)
    put(root, ".agent/a", "123456")
    put(root, ".agent/b", "123456")
    found = manifest(root)
    assert (paths(found), refused(found)) == (
        [".agent/a"], [(".agent/b", Obstacle.TOO_LARGE)],
    )  # fmt: skip


def test_a_program_without_measure_cannot_be_trusted(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(manifest_module, "PROGRAM_LIMIT", FILE_LIMIT)
    put(root, ".mcp.json", "./server")
    put(root, "server", b"x" * (FILE_LIMIT + 1))
    assert refused(manifest(root)) == [("server", Obstacle.TOO_LARGE)]


@pytest.mark.parametrize("closed", [".agent/sub/x", ".agent/sub", ".agent", "run.sh"])
def test_what_may_not_be_read_cannot_be_trusted(root: Path, closed: str):
    put(root, ".agent/sub/x")
    put(root, ".mcp.json", "./run.sh")
    put(root, "run.sh")
    open_the_way(root)
    for path in root.rglob("*"):
        path.chmod(0o755)
    (root / closed).chmod(0)

    def look() -> None:
        assert refused(manifest(root)) == [(closed, Obstacle.UNREADABLE)]

    try:
        as_ordinary_user(look)
    finally:
        (root / closed).chmod(0o755)

"""The path gate as a table: what each path is to a read and to a write."""

import os
import socket
from pathlib import Path

import pytest
from testbed.traps import SECRET

from agent_cli.types.effects import Kind
from agent_cli.types.errors import BlockedPathError, ToolError
from agent_cli.workspace.gate import Workspace

IN_READS = {
    "plain": "a.txt",
    "dotted": "./a.txt",
    "double slash": "src//b.py",
    "up and back": "src/../a.txt",
    "below a directory that is missing and back": "none/../a.txt",
    "absolute": "{root}/a.txt",
    "absolute with dots": "{root}/src/../a.txt",
    "leaves and comes back": "../root/a.txt",
    "link": "to-a",
    "link to a directory": "to-src/b.py",
    "absolute link inside": "abs-in",
    "link to the root": "self/self/a.txt",
    "through the root by proc": "/proc/self/root{root}/a.txt",
    "git's own files can be read": ".git/config",
}


@pytest.mark.parametrize("path", IN_READS.values(), ids=IN_READS)
def test_inside_is_read_without_asking(tree: Path, path: str):
    workspace = Workspace(tree)
    path = path.format(root=tree)
    effect = workspace.effect(Kind.READ, path)
    assert (effect.outside, effect.protected) == (False, False)
    assert workspace.read(path) in {b"a", b"b", b"[core]"}
    assert workspace.visible(path)


OUTSIDE = {
    "parent": "../outside/s.txt",
    "absolute": "{root}/../outside/s.txt",
    "sibling with the same prefix": "../root-2/s.txt",
    "sibling, absolute": "{root}-2/s.txt",
    "link to a file": "out-file",
    "link to a directory": "out/s.txt",
    "link in a directory": "src/up-out/s.txt",
    "chain of links": "chain",
    "up after a link goes where the link went": "out/../root-2/s.txt",
    "proc": "/proc/self/root{root}/../outside/s.txt",
    "system file": "/etc/passwd",
    "dangling link": "dangling-out",
    "missing outside": "../outside/none",
    "the parent itself": "..",
    "the file system's root": "/",
    "proc environ": "/proc/self/environ",
}


@pytest.mark.invariant("F1")
@pytest.mark.parametrize("path", OUTSIDE.values(), ids=OUTSIDE)
def test_outside_is_asked_for_and_not_touched_before(tree: Path, path: str):
    workspace = Workspace(tree)
    path = path.format(root=tree)
    assert workspace.effect(Kind.READ, path).outside
    assert workspace.effect(Kind.WRITE, path).outside
    assert not workspace.visible(path)
    before = sorted((tree.parent / "outside").iterdir())
    for act in (
        lambda: workspace.read(path),
        lambda: workspace.show(path),
        lambda: workspace.take(path),
        lambda: workspace.write(path, b"x", expected=None),
        lambda: workspace.write(path, b"x", expected=SECRET),
        lambda: workspace.list_dir(path),
        lambda: workspace.is_file(path),
        lambda: workspace.is_dir(path),
    ):
        with pytest.raises(BlockedPathError) as caught:
            act()
        assert "secret" not in str(caught.value)
    assert sorted((tree.parent / "outside").iterdir()) == before
    assert (tree.parent / "outside" / "s.txt").read_bytes() == SECRET


REFUSED = {
    "empty": "",
    "NUL": "a\0b",
    "lone surrogate": "a\ud800",
    "ignored by extension": "pass.key",
    "ignored by extension in a directory": "src/new.key",
    "ignored directory": "vault",
    "in an ignored directory": "vault/key",
    "new in an ignored directory": "vault/new",
    "ignored, other case": "VAULT/key",
    "ignored name, other case": "PASS.KEY",
    "ignored by a roundabout way": "src/../vault/./key",
    "ignored, absolute": "{root}/vault/key",
    "ignored through a link": "innocent",
    "ignored through a linked directory": "innocent-dir/key",
    "ignored through the root": "self/vault/key",
    "ignored by proc": "/proc/self/root{root}/vault/key",
    "pipe": "pipe",
    "device": "/dev/zero",
    "terminal": "/dev/tty",
    "null": "/dev/null",
}


@pytest.mark.parametrize("path", REFUSED.values(), ids=REFUSED)
def test_refused_paths_are_refused_without_asking(tree: Path, path: str):
    workspace = Workspace(tree).granting(["/"])
    path = path.format(root=tree)
    for kind in (Kind.READ, Kind.WRITE):
        with pytest.raises(BlockedPathError):
            workspace.effect(kind, path)
    for act in (
        lambda: workspace.read(path),
        lambda: workspace.write(path, b"x", expected=None),
    ):
        with pytest.raises(ToolError) as caught:
            act()
        assert "hidden" not in str(caught.value)


def test_an_ignored_file_is_not_read_by_a_hard_link(tree: Path):
    workspace = Workspace(tree)
    with pytest.raises(BlockedPathError, match="agentignore"):
        workspace.read("hard")
    with pytest.raises(BlockedPathError, match="agentignore"):
        workspace.effect(Kind.WRITE, "hard")


def test_a_socket_is_refused(tree: Path):
    with socket.socket(socket.AF_UNIX) as listener:
        os.chdir(tree)
        listener.bind("sock")
    with pytest.raises(BlockedPathError, match="socket"):
        Workspace(tree).read("sock")


def test_a_reincluded_file_can_be_read(tree: Path):
    (tree / "open.key").write_bytes(b"fine")
    assert Workspace(tree).read("open.key") == b"fine"


PROTECTED = [
    ".git/config", ".git/hooks/pre-commit", "src/.git/x", "to-git/config", ".GIT/config", ".git",
    ".g\u200cit/config", ".git./config", ".git /config", "\uff0egit/config", "git~1/config",
    ".vscode/settings.json", ".idea/x.xml", ".husky/pre-commit", "p.code-workspace",
    "sub/P.Code-Workspace", ".mcp.json", ".envrc", "sub/.npmrc", ".gitmodules", ".gitattributes",
    ".bashrc", ".zshenv", ".profile", ".agent/commands/x.md", ".agentignore", "AGENTS.md",
    "src/agents.md", "HEAD", "bare/packed-refs", "bare/config", "hooks/post-checkout",
    "refs/heads/main", "objects/info/alternates", "has-head/info/attributes",
]  # fmt: skip
UNPROTECTED = [
    "a.txt", "src/b.py", ".gitignore", ".github/workflows/x.yml", "agents.py", "src/hooks/useX.ts",
    "config/routes.rb", "config.toml", "refs.py", "objects/thing.py", "git/x", ".gitkeep", "heads",
    "src/info/x.py", "hooks/prefetch.ts",
]  # fmt: skip


@pytest.mark.invariant("F4")
@pytest.mark.parametrize("path", PROTECTED)
def test_writing_a_protected_name_is_marked(tree: Path, path: str):
    (tree / "has-head").mkdir()
    (tree / "has-head" / "HEAD").write_bytes(b"ref: x")
    assert Workspace(tree).effect(Kind.WRITE, path).protected
    assert not Workspace(tree).effect(Kind.READ, path).protected


@pytest.mark.parametrize("path", UNPROTECTED)
def test_writing_an_ordinary_name_is_not(tree: Path, path: str):
    assert not Workspace(tree).effect(Kind.WRITE, path).protected


def test_a_hard_link_to_a_protected_file_is_protected(tree: Path):
    os.link(tree / ".git" / "config", tree / "settings")
    assert Workspace(tree).effect(Kind.WRITE, "settings").protected


TARGETS = {
    "src/../a.txt": "a.txt",
    "to-a": "a.txt",
    "to-src/b.py": "src/b.py",
    "dangling-in": "src/new.txt",
    ".": ".",
    "caf\u00e9": "caf\u00e9",
    "bad\udcff": "bad\\xff",
    "out-file": "{outside}/s.txt",
}


@pytest.mark.parametrize(("path", "target"), TARGETS.items(), ids=ascii)
def test_an_effect_names_the_canonical_target(tree: Path, path: str, target: str):
    target = target.format(outside=tree.parent / "outside")
    assert Workspace(tree).effect(Kind.WRITE, path).target == target


def test_links_in_circles_and_endless_chains_are_errors(tree: Path):
    for number in range(1500):
        (tree / f"l{number}").symlink_to(f"l{number + 1}")
    for path in ("loop", "loop/x", "l0"):
        with pytest.raises(ToolError):
            Workspace(tree).read(path)
        with pytest.raises(ToolError):
            Workspace(tree).write(path, b"x", expected=b"")


@pytest.mark.parametrize(
    ("path", "says"),
    [
        pytest.param("src", "list_files", id="a directory"),
        pytest.param(".", "list_files", id="the root"),
        pytest.param("none.txt", "no such file", id="missing"),
        pytest.param("a.txt/x", "not a directory", id="below a file"),
        pytest.param("x" * 300, "too long", id="a name that is too long"),
    ],
)
def test_what_cannot_be_read_says_why(tree: Path, path: str, says: str):
    with pytest.raises(ToolError, match=says):
        Workspace(tree).read(path)


@pytest.mark.parametrize("path", ["src", ".", "to-src", "new/", "a.txt/x"])
def test_a_directory_is_not_written(tree: Path, path: str):
    for expected in (None, b""):
        with pytest.raises(ToolError):
            Workspace(tree).write(path, b"x", expected=expected)

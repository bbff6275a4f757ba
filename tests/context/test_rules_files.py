"""Instructions in files: which are read, and in which order."""

from pathlib import Path

import pytest

from agent_cli.context.rules_files import CAP, instructions, project_rules, user_rules


def read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


def put(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def texts(files) -> list[str]:
    return [file.text for file in files]


@pytest.fixture
def repository(tmp_path):
    put(tmp_path, AGENTS_md="outside")
    root = tmp_path / "repository"
    (root / ".git").mkdir(parents=True)
    return root


def test_files_from_the_repository_root_down_with_the_nearest_last(repository):
    put(repository, AGENTS_md="top", src__AGENTS_md="middle", src__app__AGENTS_md="near")
    put(repository, src__other__AGENTS_md="elsewhere")
    assert texts(project_rules(repository / "src/app", read)) == ["top", "middle", "near"]


def test_directories_without_a_file_are_passed_over(repository):
    put(repository, AGENTS_md="top", src__app__x_py="")
    assert texts(project_rules(repository / "src/app", read)) == ["top"]


def test_the_git_of_a_worktree_is_a_file(tmp_path):
    put(tmp_path, AGENTS_md="outside", tree__AGENTS_md="top", tree__src__AGENTS_md="near")
    (tmp_path / "tree/.git").write_text("gitdir: elsewhere")
    assert texts(project_rules(tmp_path / "tree/src", read)) == ["top", "near"]


def test_outside_of_a_repository_only_the_directory_itself_counts(tmp_path):
    put(tmp_path, AGENTS_md="above", work__AGENTS_md="here")
    assert texts(project_rules(tmp_path / "work", read)) == ["here"]


CHOICES = [
    pytest.param({"AGENTS_md": "a", "CLAUDE_md": "c", "GEMINI_md": "g"}, ["a"], id="AGENTS first"),
    pytest.param({"CLAUDE_md": "c", "GEMINI_md": "g"}, ["c"], id="CLAUDE without AGENTS"),
    pytest.param({"GEMINI_md": "g"}, ["g"], id="GEMINI alone"),
    pytest.param({"AGENTS_md": " \n", "CLAUDE_md": "c"}, [], id="an empty AGENTS says nothing"),
    pytest.param({"README_md": "r"}, [], id="others are not read"),
]


@pytest.mark.parametrize(("files", "expected"), CHOICES)
def test_one_file_is_chosen_in_each_directory(repository, files, expected):
    put(repository, **files)
    assert texts(project_rules(repository, read)) == expected


def test_a_directory_with_another_name_does_not_hide_the_one_above(repository):
    put(repository, AGENTS_md="top", src__CLAUDE_md="near")
    assert texts(project_rules(repository / "src", read)) == ["top", "near"]


def test_the_users_file_comes_from_the_configuration_directory(tmp_path):
    put(tmp_path, AGENTS_md="mine")
    assert texts(user_rules(tmp_path, read)) == ["mine"]
    assert user_rules(tmp_path / "absent", read) == ()


@pytest.mark.parametrize(("size", "cut"), [(CAP, False), (CAP + 1, True)])
def test_a_long_file_is_cut_with_a_note(repository, size, cut):
    put(repository, AGENTS_md="x" * size)
    (file,) = project_rules(repository, read)
    assert (len(file.text), file.cut) == (CAP, cut)
    assert ("longer than 64 KiB" in instructions([file])) is cut


def test_a_cut_never_splits_a_character(repository):
    put(repository, AGENTS_md="x" + "ü" * CAP)
    (file,) = project_rules(repository, read)
    assert file.text.endswith("ü")
    assert len(file.text.encode()) <= CAP


def test_each_file_is_named_and_its_text_stands_as_it_is(repository):
    put(repository, AGENTS_md="use $HOME\n", src__AGENTS_md="second")
    text = instructions(project_rules(repository / "src", read))
    assert text == (
        f"## From {repository}/AGENTS.md\n\nuse $HOME\n\n"
        f"## From {repository}/src/AGENTS.md\n\nsecond"
    )
    assert instructions([]) == ""

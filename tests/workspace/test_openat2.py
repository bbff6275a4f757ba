"""The way down in one call: no link anywhere, and no answer where it cannot be made."""

import ctypes
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_cli.workspace import _openat2
from agent_cli.workspace._descend import descend, directory

FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    _openat2._call.cache_clear()
    yield
    _openat2._call.cache_clear()


def test_a_directory_is_opened(tmp_path: Path):
    (tmp_path / "a").mkdir()
    with directory(str(tmp_path / "a")) as folder:
        assert os.fstat(folder).st_ino == (tmp_path / "a").stat().st_ino
        assert not os.get_inheritable(folder)


@pytest.mark.parametrize("path", ["link", "link/b", "none", "file"])
def test_links_and_what_is_no_directory_are_not(tmp_path: Path, path: str):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "file").write_bytes(b"")
    assert _openat2.open_without_links(str(tmp_path / path), FLAGS) is None
    with pytest.raises(OSError, match=path.split("/", maxsplit=1)[0]):
        descend(str(tmp_path / path))


def test_not_even_links_of_proc_are_followed(tmp_path: Path):
    assert _openat2.open_without_links(f"/proc/self/root{tmp_path}", FLAGS) is None


def test_another_system_goes_step_by_step(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert _openat2.open_without_links(str(tmp_path), FLAGS) is None
    with directory(str(tmp_path)) as folder:
        assert os.fstat(folder).st_ino == tmp_path.stat().st_ino


def test_a_python_without_a_c_library_goes_step_by_step(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda _: None)
    assert _openat2.open_without_links(str(tmp_path), FLAGS) is None
    os.close(descend(str(tmp_path)))

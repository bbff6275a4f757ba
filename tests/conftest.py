"""Every test runs in a home of its own, with none of the developer's keys or settings."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from testbed import kept

settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.register_profile("nightly", deadline=None, max_examples=20_000)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "default")

FOREIGN = ("AGENT_", "OPENAI_", "ANTHROPIC_", "OTEL_", "XDG_", "GIT_")
FOREIGN_ENDS = ("_API_KEY", "_AUTH_TOKEN", "_BASE_URL", "_PROXY", "_proxy")
FOREIGN_NAMES = frozenset({"NO_COLOR", "FORCE_COLOR", "OLLAMA_HOST", "EDITOR", "VISUAL", "PAGER"})


def is_foreign(name: str) -> bool:
    """Whether a variable of the developer's could change what a test sees."""
    return name.startswith(FOREIGN) or name.endswith(FOREIGN_ENDS) or name in FOREIGN_NAMES


def pytest_xdist_auto_num_workers() -> int:
    """Return one worker more than there are cores: many tests wait for programs."""
    return 1 + (os.cpu_count() or 1)


FIRST = pytest.StashKey[bool]()
"""Whether it is the first case of its test."""


@pytest.hookimpl(trylast=True)  # when it is known which will run
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    seen: set[str] = set()
    for item in items:
        name = item.nodeid.partition("[")[0]
        item.stash[FIRST] = name not in seen
        seen.add(name)


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def measured_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure the coverage of programs that a test's first case starts: it doubles their time."""
    if not request.node.stash[FIRST]:
        for name in [name for name in os.environ if name.startswith("COVERAGE_")]:
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def isolated(homes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the test an empty home and an empty current directory; return the home."""
    # not tmp_path: what a test finds there is only what it put there
    room = Path(tempfile.mkdtemp(dir=homes))
    home, work = room / "home", room / "work"
    home.mkdir()
    work.mkdir()
    for name in [name for name in os.environ if is_foreign(name)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("AGENT_HOME", str(home / "agent"))
    for name, place in [
        ("XDG_CONFIG_HOME", ".config"),
        ("XDG_DATA_HOME", ".local/share"),
        ("XDG_STATE_HOME", ".local/state"),
        ("XDG_CACHE_HOME", ".cache"),
    ]:
        monkeypatch.setenv(name, str(home / place))
    monkeypatch.chdir(work)
    return home


@pytest.fixture(autouse=True)
def sessions_add_up(isolated: Path, request: pytest.FixtureRequest) -> Iterator[None]:
    """Verify every session that the test keeps, unless it says why that cannot be."""
    homes = [isolated.parent]
    if "tmp_path" in request.fixturenames:
        homes.append(request.getfixturevalue("tmp_path"))
    yield
    if request.node.get_closest_marker("unverified") is None:
        assert [fault for place in homes for fault in kept.faults(place)] == []

"""A pytest plugin: sessions kept in a repository are played again as tests, without a key.

Every file `NAME.session.jsonl` is a test. A directory `NAME.workspace` beside it is what the
session began with: a copy of it is worked in, with real tools. Without one the results are taken
from the record. `agent replay SESSION --save PLACE/NAME` makes both.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

_SHOWN = 2000
"""Characters of a value that came out otherwise."""

SUFFIX = ".session.jsonl"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "SessionFile | None":
    if not file_path.name.endswith(SUFFIX):
        return None
    return SessionFile.from_parent(parent, path=file_path)  # pyright: ignore[reportUnknownMemberType] - **kw


class SessionFile(pytest.File):
    """One kept session."""

    def collect(self) -> Iterable[pytest.Item]:
        yield SessionItem.from_parent(self, name="replay")  # pyright: ignore[reportUnknownMemberType] - **kw


class DivergedError(Exception):
    """The session came out otherwise."""


class SessionItem(pytest.Item):
    """Plays the session; fails where it first comes out otherwise."""

    def runtest(self) -> None:
        import shutil  # noqa: PLC0415 - the plugin is loaded by every run of pytest
        import tempfile  # noqa: PLC0415 - as above

        workspace = self.path.with_name(self.path.name.removesuffix(SUFFIX) + ".workspace")
        with tempfile.TemporaryDirectory(prefix="agent-replay-") as place:
            folder = Path(place).resolve() / "workspace"
            if workspace.is_dir():
                shutil.copytree(workspace, folder, symlinks=True)
            else:
                folder.mkdir()
            self._play(folder, Path(place), real=workspace.is_dir())

    def _play(self, folder: Path, home: Path, *, real: bool) -> None:
        import asyncio  # noqa: PLC0415 - as above
        import os  # noqa: PLC0415 - as above

        from agent_cli.frontends.headless.silent import Silent  # noqa: PLC0415 - as above
        from agent_cli.runtime.recording import recording  # noqa: PLC0415 - as above
        from agent_cli.runtime.replaying import Stage, play  # noqa: PLC0415 - as above
        from agent_cli.sessions.divergence import around  # noqa: PLC0415 - as above
        from agent_cli.sessions.journal import read  # noqa: PLC0415 - as above
        from agent_cli.settings.schema import Settings  # noqa: PLC0415 - as above

        told = read(self.path, recording).value
        environ = {**os.environ, "AGENT_HOME": str(home / "agent")}
        stage = Stage(folder, environ, real=real, keeps=home / "kept")
        played = asyncio.run(play(told, stage, Settings(), Silent()))
        if played.divergence is not None:
            found = played.divergence
            raise DivergedError(
                f"turn {found.turn}, {found.what}: {found.field} is not the same\n"
                f"recorded: {around(found.recorded, found.played, _SHOWN)}\n"
                f"now:      {around(found.played, found.recorded, _SHOWN)}"
            )

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, DivergedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, f"replay of {self.path.name}"

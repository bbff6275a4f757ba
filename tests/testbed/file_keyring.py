"""A keyring that the library finds by its name: it keeps what it is given in a file."""

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.errors import KeyringError


class FileKeyring(KeyringBackend):
    priority = 5.0  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride] - as the library's own backends do

    @property
    def name(self) -> str:
        return "a keyring of the tests"

    def get_password(self, service: str, username: str) -> str | None:
        if "KEYRING_LOCKED" in os.environ:
            raise KeyringError("it is locked")
        return self._kept().get(f"{service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self._file().write_text(json.dumps({f"{service} {username}": password}))

    def _kept(self) -> dict[str, str]:
        return json.loads(self._file().read_text())

    def _file(self) -> Path:
        return Path(os.environ["KEYRING_FILE"])

"""What the user was shown of a file before approving its edit."""

from agent_cli.types.errors import ToolError
from agent_cli.workspace._locate import Location


class Pins:
    """Remembers, per path as it was named, where it led and what was shown of it.

    Shared by a workspace and its copies, since the edit that follows an approval runs in a copy.
    """

    def __init__(self) -> None:
        self._targets: dict[str, str] = {}
        self._shown: dict[str, bytes | None] = {}

    def begin(self, location: Location) -> None:
        self._targets[location.named] = location.path
        self._shown.pop(location.named, None)

    def show(self, location: Location, content: bytes | None) -> None:
        self._shown[location.named] = content

    def check(self, location: Location, path: str, content: bytes | None) -> None:
        """Raise ToolError if the path leads elsewhere now, or to other content than was shown."""
        self.check_target(location, path)
        if self._shown.get(location.named, content) != content:
            raise ToolError(f"{path!r} has changed since its edit was shown: read it again")

    def check_target(self, location: Location, path: str) -> None:
        if self._targets.get(location.named, location.path) != location.path:
            raise ToolError(f"{path!r} leads elsewhere than when its edit was proposed")

    def forget(self, location: Location) -> None:
        self._targets.pop(location.named, None)
        self._shown.pop(location.named, None)

"""Behind what the programs of one session are put: what the settings say, or nothing writable."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from agent_cli.processes.sandbox import Confinement

if TYPE_CHECKING:
    from agent_cli.processes.confine import Confiner


class Walls:
    """The confiners of one session, made when they are first needed."""

    def __init__(
        self, environ: Mapping[str, str], confinement: Callable[[], Confinement] | None
    ) -> None:
        self._environ = environ
        self._confinement = confinement
        self.usual = self._confiner(confinement) if confinement else None
        """None where the settings confine nothing."""
        self._reader: Confiner | None = None

    def reader(self) -> "Confiner":
        """Return the one behind which nothing can be changed; the network is as it is for all."""
        if self._reader is None:
            network = self._confinement().network if self._confinement else True
            only_read = Confinement(writable=(), network=network)
            self._reader = self._confiner(lambda: only_read)
        return self._reader

    def close(self) -> None:
        for confiner in (self.usual, self._reader):
            if confiner is not None:
                confiner.close()

    def _confiner(self, confinement: Callable[[], Confinement]) -> "Confiner":
        from agent_cli.processes.confine import Confiner  # noqa: PLC0415 - 8 ms, when asked for

        return Confiner(self._environ, confinement)

"""The proxy as a process of its own, which can be killed."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from testbed.managed_service import ToolService
from testbed.proxied import KEY, Proxied
from testbed.server import ModelServer

TOML = """
[upstream]
url = "http://127.0.0.1:{upstream}"
api_key_env = "UPSTREAM_KEY"

[server]
drain = 20
port = 0
auth = "none"

[http."docs.search"]
url = "{service}/docs_search"
read_only = true

[http."crm.update"]
url = "{service}/crm_update"

[continuity]
path = "{folder}/continuity.db"

[audit]
path = "{folder}/audit.jsonl"
"""


class ProxyProcess:
    """Started and ended at will; what it remembers stays."""

    def __init__(
        self, upstream: ModelServer, service: ToolService, folder: Path, database: str = ""
    ) -> None:
        """Remember in the folder, or in the database of this address."""
        self.proxied = Proxied(upstream, service, folder)
        self.config = folder / "proxy.toml"
        written = TOML.format(upstream=upstream.port, service=service.url, folder=folder)
        if database:
            written = re.sub("path = .*continuity.db.", 'postgres_env = "REMEMBERED"', written)
        self._database = database
        self.config.write_text(written)
        self._running: subprocess.Popen[str] | None = None

    @property
    def pid(self) -> int:
        assert self._running is not None
        return self._running.pid

    def start(self, *program: str) -> Proxied:
        """Start it, or this program instead of it."""
        words = ["agent_cli", "proxy", "--tools", str(self.config)]
        words = [*program] or [*words, "--listen", "127.0.0.1:0", "--no-auth"]
        environ = {**os.environ, "UPSTREAM_KEY": KEY, "REMEMBERED": self._database}
        found = [str(Path(__file__).parents[1]), environ.get("PYTHONPATH", "")]
        environ["PYTHONPATH"] = os.pathsep.join(filter(None, found))
        self._running = subprocess.Popen(
            [sys.executable, "-m", *words],
            stderr=subprocess.PIPE,
            text=True,
            env=environ,
        )
        assert self._running.stderr is not None
        line = self._running.stderr.readline()
        found = re.search(r":(\d+)$", line.strip())
        assert found, line + self._running.stderr.read()
        self.proxied.port = int(found[1])
        return self.proxied

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send it a signal; return its exit status."""
        running = self._running
        assert running is not None
        running.send_signal(number)
        running.communicate(timeout=30)
        return running.returncode

    def signal(self, number: int) -> None:
        assert self._running is not None
        self._running.send_signal(number)

    def wait(self) -> int:
        assert self._running is not None
        self._running.communicate(timeout=30)
        return self._running.returncode

    def close(self) -> None:
        if self._running is not None and self._running.poll() is None:
            self.end(signal.SIGKILL)


@contextmanager
def proxy_process(
    upstream: ModelServer, service: ToolService, folder: Path, database: str = ""
) -> Generator[ProxyProcess]:
    process = ProxyProcess(upstream, service, folder, database)
    try:
        yield process
    finally:
        process.close()

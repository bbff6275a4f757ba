"""A proxy before two scripted upstreams: the first, and one that is asked when it fails."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from testbed.managed_service import ToolService
from testbed.proxied import Proxied, configured, serving
from testbed.server import ModelServer, Script

from agent_cli.proxy.config import Upstream


class Backup(ModelServer):
    first_number = 1_000


@contextmanager
def backed_up(
    first: Script,
    second: Script,
    folder: Path,
    settings: dict[str, Any] | None = None,
    **parts: Any,
) -> Generator[tuple[Proxied, ModelServer]]:
    """Yield the proxy, and the second upstream; `settings` are said of that one."""
    with ModelServer(first) as upstream, Backup(second) as backup, ToolService() as tools:
        known = Proxied(upstream, tools, folder)
        config = configured(f"http://127.0.0.1:{upstream.port}", tools, folder, **parts)
        other = Upstream(url=f"http://127.0.0.1:{backup.port}", **(settings or {}))
        with serving(known, replace(config, fallback={"backup": other})):
            yield known, backup
        assert upstream.violations == []
        assert backup.violations == []

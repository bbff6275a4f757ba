"""Where the proxy remembers: in a file, or in a database that replicas share.

Whoever wants no database needs no driver for one.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path

from agent_cli.proxy import sqlite
from agent_cli.proxy.config import Config
from agent_cli.proxy.sealed import SealedStore, check_plain, cipher_of, is_sealed
from agent_cli.proxy.spending import Line
from agent_cli.proxy.store import Row, Segment, Store
from agent_cli.settings.places import data_directory
from agent_cli.types.errors import ConfigurationError


def continuity_path(config: Config, environ: Mapping[str, str]) -> Path:
    written = config.continuity.path
    return Path(written) if written else data_directory(environ) / "proxy" / "continuity.db"


@asynccontextmanager
async def remembering(
    config: Config, environ: Mapping[str, str], owner: str
) -> AsyncGenerator[Store]:
    """Open the store, with its key if it has one. Raises ConfigurationError."""
    cipher = cipher_of(config.continuity.key_env, environ)
    async with _opened(config, environ, owner) as store:
        if cipher is None:
            await check_plain(store)
            yield store
            return
        sealed = SealedStore(store, cipher)
        await sealed.check()
        yield sealed


@asynccontextmanager
async def _opened(config: Config, environ: Mapping[str, str], owner: str) -> AsyncGenerator[Store]:
    url = database_url(config, environ)
    if url:
        from agent_cli.proxy.postgres import postgres_store  # noqa: PLC0415 - its driver is optional

        async with postgres_store(url, config.continuity, owner) as shared:
            yield shared
        return
    store = sqlite.SqliteStore(continuity_path(config, environ), config.continuity, owner)
    await asyncio.sleep(0)  # so that its first sign of life precedes all that it does
    try:
        yield store
    finally:
        await store.close()


def rows(config: Config, environ: Mapping[str, str]) -> list[Row]:
    """Return what is remembered, the newest first."""
    url = database_url(config, environ)
    if not url:
        return sqlite.rows(continuity_path(config, environ))
    from agent_cli.proxy import postgres  # noqa: PLC0415 - its driver is optional

    return postgres.rows(url)


def shown(config: Config, environ: Mapping[str, str], id_: str) -> Segment | None:
    """Return a segment. Raises ConfigurationError if there is no key for it."""
    cipher = cipher_of(config.continuity.key_env, environ)
    segment = _shown(config, environ, id_)
    if segment is None or not is_sealed(segment):
        return segment
    if cipher is None:
        raise ConfigurationError(
            "the segment is encrypted: name the variable with its key in continuity.key_env"
        )
    return cipher.opened_segment(segment)


def _shown(config: Config, environ: Mapping[str, str], id_: str) -> Segment | None:
    url = database_url(config, environ)
    if not url:
        return sqlite.shown(continuity_path(config, environ), id_)
    from agent_cli.proxy import postgres  # noqa: PLC0415 - its driver is optional

    return postgres.shown(url, id_)


def spent(
    config: Config, environ: Mapping[str, str], since: str = "", principal: str = ""
) -> list[Line]:
    """Return the account book from that day on, one line for a day, principal and model."""
    url = database_url(config, environ)
    if not url:
        return sqlite.spent(continuity_path(config, environ), since, principal)
    from agent_cli.proxy import postgres  # noqa: PLC0415 - as above

    return postgres.spent(url, since, principal)


def purged(
    config: Config, environ: Mapping[str, str], principal: str = "", conversation: str = ""
) -> int:
    """Forget all, or what is somebody's, or one conversation's; return how many segments."""
    url = database_url(config, environ)
    if not url:
        return sqlite.purged(continuity_path(config, environ), principal, conversation)
    from agent_cli.proxy import postgres  # noqa: PLC0415 - as above

    return postgres.purged(url, principal, conversation)


def database_url(config: Config, environ: Mapping[str, str]) -> str:
    """Return the address of the database, empty for a file. Raises ConfigurationError."""
    name = config.continuity.postgres_env
    if not name:
        return ""
    if not environ.get(name):
        raise ConfigurationError(f"continuity.postgres_env names {name!r}, which is not set")
    if find_spec("psycopg_pool") is None:
        raise ConfigurationError(
            "continuity.postgres_env needs a driver: pip install 'agent-cli[postgres]'"
        )
    return environ[name]

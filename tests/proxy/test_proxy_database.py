"""The database that replicas share, when it is not there or not as it was."""

import asyncio

import psycopg
import pytest
from testbed.postgres import needs_postgres

from agent_cli.proxy import kept
from agent_cli.proxy.config import Config, Continuity
from agent_cli.proxy.envelopes import ProxyError
from agent_cli.proxy.postgres import postgres_store
from agent_cli.types.errors import ConfigurationError

VARIABLE = "CONTINUITY_URL"
FOREVER = float("inf")


@needs_postgres
def test_without_its_database_the_proxy_says_so(database: str):
    async def whole() -> None:
        async with postgres_store(database, Continuity(), "one") as store:
            with psycopg.connect(database) as connection:
                connection.execute("DROP TABLE proxy_records")
            with pytest.raises(ProxyError, match="cannot be kept") as raised:
                await store.get("journal", "alice", "k", FOREVER)
            assert (raised.value.status, raised.value.code) == (503, "store_unavailable")
            with psycopg.connect(database) as connection:  # to be able to end
                connection.execute("CREATE TABLE proxy_records (kind text, key text)")

    asyncio.run(whole())


def test_a_database_that_is_not_there_is_named_without_its_password():
    config = Config(continuity=Continuity(postgres_env=VARIABLE))
    for url in ("postgresql://a:secret@127.0.0.1:1/x", "postgresql:secret", "secret"):
        with pytest.raises(ConfigurationError, match="database of continuity") as raised:
            kept.rows(config, {VARIABLE: url})
        assert "secret" not in str(raised.value)
    with pytest.raises(ConfigurationError, match="not set"):
        kept.rows(config, {})

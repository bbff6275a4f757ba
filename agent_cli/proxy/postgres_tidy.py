"""What a Postgres database forgets: what is too old, and of the rest what was used longest ago."""

import psycopg

from agent_cli.proxy.config import Continuity
from agent_cli.proxy.postgres_tables import LOCK
from agent_cli.proxy.store import CHECK, LASTING

DEAD = 5.0
"""Seconds without a sign of life after which a replica counts as gone."""


async def tidy(database: psycopg.AsyncConnection[tuple[object, ...]], settings: Continuity) -> None:
    """Forget, unless another replica is doing so."""
    oldest = max(settings.journal_ttl, settings.guidance_ttl, DEAD)
    asked = await database.execute("SELECT pg_try_advisory_xact_lock(%s)", (LOCK,))
    if await asked.fetchone() != (True,):
        return
    await database.execute(
        "DELETE FROM proxy_segments WHERE used < proxy_now() - %s", (settings.lasts,)
    )
    await database.execute(
        "DELETE FROM proxy_records WHERE kind <> %s AND created < "
        "proxy_now() - CASE WHEN kind = ANY(%s) THEN %s ELSE %s END",
        (CHECK, list(LASTING), settings.lasts, oldest),
    )
    await database.execute(
        "DELETE FROM proxy_segments WHERE id IN (SELECT id FROM (SELECT id, sum(bytes) "
        "OVER (ORDER BY used DESC, id) AS total FROM proxy_segments) AS all_of_them "
        "WHERE total > %s)",
        (settings.max_bytes,),
    )

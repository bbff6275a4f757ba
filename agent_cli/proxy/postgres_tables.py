"""The tables in a Postgres database, and what is said of a database that cannot have them."""

from typing import LiteralString

import psycopg

LOCK = 0x6167656E74
"""Of who makes the tables, and of who forgets: one replica at a time."""
ALONE: LiteralString = "SELECT pg_advisory_xact_lock(%s)"
SCHEMA: LiteralString = """
CREATE OR REPLACE FUNCTION proxy_now() RETURNS double precision LANGUAGE sql VOLATILE AS
  $$ SELECT date_part('epoch', clock_timestamp()) $$;
CREATE TABLE IF NOT EXISTS proxy_records (
  kind text, principal text, key text, body bytea NOT NULL, created double precision NOT NULL,
  PRIMARY KEY (kind, principal, key)
);
CREATE INDEX IF NOT EXISTS proxy_records_by_age ON proxy_records (created);
CREATE TABLE IF NOT EXISTS proxy_segments (
  id text PRIMARY KEY, principal text NOT NULL, conversation text NOT NULL, body bytea NOT NULL,
  bytes bigint NOT NULL, created double precision NOT NULL, used double precision NOT NULL
);
CREATE INDEX IF NOT EXISTS proxy_segments_by_use ON proxy_segments (used);
CREATE INDEX IF NOT EXISTS proxy_segments_by_conversation
  ON proxy_segments (principal, conversation, created);
CREATE TABLE IF NOT EXISTS proxy_anchors (
  anchor text, principal text,
  segment text REFERENCES proxy_segments (id) ON DELETE CASCADE,
  PRIMARY KEY (anchor, principal, segment)
);
CREATE INDEX IF NOT EXISTS proxy_anchors_by_segment ON proxy_anchors (segment);
"""


def unusable(error: psycopg.Error) -> str:
    """Say why, without what may repeat the address with its password."""
    why = "its address is none, or it forbids to make tables"
    if isinstance(error, psycopg.OperationalError):
        why = " ".join(str(error).split())
    return f"the database of continuity.postgres_env cannot be used: {why}"

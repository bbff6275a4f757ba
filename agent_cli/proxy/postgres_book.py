"""The account book in a Postgres database, which replicas share; the day is the database's."""

from collections.abc import Sequence
from typing import Any, LiteralString

from agent_cli.proxy.spending import Line

SCHEMA: LiteralString = """
CREATE TABLE IF NOT EXISTS proxy_spent (
  at double precision NOT NULL, day text NOT NULL, request text NOT NULL, principal text NOT NULL,
  conversation text NOT NULL, round integer NOT NULL, provider text NOT NULL, model text NOT NULL,
  status integer NOT NULL, error text NOT NULL, input bigint NOT NULL, output bigint NOT NULL,
  cache_read bigint NOT NULL, cache_write bigint NOT NULL, reasoning bigint NOT NULL,
  estimated boolean NOT NULL, usd double precision, prices text
);
CREATE TABLE IF NOT EXISTS proxy_accounts (
  principal text, day text, usd double precision NOT NULL, tokens bigint NOT NULL,
  PRIMARY KEY (principal, day)
);
CREATE INDEX IF NOT EXISTS proxy_spent_by_day ON proxy_spent (day);
CREATE OR REPLACE FUNCTION proxy_today() RETURNS text LANGUAGE sql VOLATILE AS
  $$ SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD') $$;
"""
SPEND: LiteralString = """
WITH entered AS (
  INSERT INTO proxy_spent VALUES (proxy_now(), proxy_today(), %s, %s, %s, %s, %s, %s, %s, %s, %s,
    %s, %s, %s, %s, %s, %s, %s) RETURNING principal, day, COALESCE(usd, 0) AS usd, input + output
    AS tokens
)
INSERT INTO proxy_accounts SELECT * FROM entered ON CONFLICT (principal, day) DO UPDATE SET
  usd = proxy_accounts.usd + excluded.usd, tokens = proxy_accounts.tokens + excluded.tokens
"""
ACCOUNT: LiteralString = """
SELECT COALESCE(SUM(usd), 0), COALESCE(SUM(tokens), 0)::bigint FROM proxy_accounts
WHERE principal = %s AND day >= %s
"""
LINES: LiteralString = """
SELECT day, principal, provider, model, COUNT(*), SUM(input)::bigint, SUM(output)::bigint,
  SUM(cache_read)::bigint, SUM(cache_write)::bigint, SUM(reasoning)::bigint,
  COALESCE(SUM(usd), 0), COUNT(*) FILTER (WHERE usd IS NULL) FROM proxy_spent
WHERE day >= %s AND (%s = '' OR principal = %s) GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
"""


def lines(rows: Sequence[Sequence[Any]]) -> list[Line]:
    return [Line(*row) for row in rows]

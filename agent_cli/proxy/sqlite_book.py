"""The account book in the SQLite file: every call of an upstream, and sums by day."""

import sqlite3
import time

from agent_cli.proxy.spending import Account, Line, Spent, today

SCHEMA = """
CREATE TABLE IF NOT EXISTS spent (
  at REAL, day TEXT, request TEXT, principal TEXT, conversation TEXT, round INTEGER, provider TEXT,
  model TEXT, status INTEGER, error TEXT, input INTEGER, output INTEGER, cache_read INTEGER,
  cache_write INTEGER, reasoning INTEGER, estimated INTEGER, usd REAL, prices TEXT
);
CREATE TABLE IF NOT EXISTS accounts (
  principal TEXT, day TEXT, usd REAL, tokens INTEGER, PRIMARY KEY (principal, day)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS spent_by_day ON spent (day);
"""
LINES = """
SELECT day, principal, provider, model, COUNT(*), SUM(input), SUM(output), SUM(cache_read),
  SUM(cache_write), SUM(reasoning), COALESCE(SUM(usd), 0.0), SUM(usd IS NULL) FROM spent
WHERE day>=? AND (?='' OR principal=?) GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
"""


def spend(database: sqlite3.Connection, spent: Spent) -> None:
    now = time.time()
    day = today(now)
    database.execute(
        f"INSERT INTO spent VALUES ({', '.join('?' * 18)})",  # noqa: S608 - only question marks
        (now, day, *spent.columns),
    )
    database.execute(
        "INSERT INTO accounts VALUES (?,?,?,?) ON CONFLICT (principal, day) DO UPDATE SET "
        "usd = usd + excluded.usd, tokens = tokens + excluded.tokens",
        (spent.principal, day, spent.usd or 0.0, spent.tokens),
    )


def account(database: sqlite3.Connection, principal: str, since: str) -> Account:
    row = database.execute(
        "SELECT COALESCE(SUM(usd), 0.0), COALESCE(SUM(tokens), 0) FROM accounts "
        "WHERE principal=? AND day>=?",
        (principal, since),
    ).fetchone()
    return Account(*row)


def lines(database: sqlite3.Connection, since: str, principal: str) -> list[Line]:
    found = database.execute(LINES, (since, principal, principal)).fetchall()
    return [Line(*row) for row in found]

"""The tables of an index, and every statement that is run on them.

Texts are kept in an FTS5 table, for what is removed from one must be told again. Nothing newer than
SQLite 3.40 is used. Paths are blobs: they may hold bytes that are not text.
"""

import os
import sqlite3
from collections.abc import Collection, Generator, Iterable, Sequence
from contextlib import contextmanager, suppress

from msgspec import Struct

from agent_cli.index.chunks import Chunk
from agent_cli.index.words import humps

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value BLOB);
CREATE TABLE IF NOT EXISTS files(
    id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE, stamp TEXT NOT NULL, hash BLOB NOT NULL,
    size INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS chunks(
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    hash BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS chunks_of_file ON chunks(file);
CREATE INDEX IF NOT EXISTS chunks_of_text ON chunks(hash);
CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5(
    path, heads, humps, body, tokenize = "porter unicode61 remove_diacritics 2");
CREATE TABLE IF NOT EXISTS vectors(
    hash BLOB NOT NULL, model TEXT NOT NULL, signs BLOB NOT NULL, vector BLOB NOT NULL,
    PRIMARY KEY(hash, model)) WITHOUT ROWID;
"""
_TABLES = ("meta", "files", "chunks", "texts", "vectors")


class Known(Struct, frozen=True):
    """What is known of a file since it was read last."""

    stamp: str
    size: int


class Read(Struct, frozen=True):
    """A file as it was read."""

    path: str
    stamp: str
    hash: bytes
    size: int
    """Bytes of text; 0 for what is no text or too large."""
    chunks: tuple[tuple[bytes, Chunk], ...] = ()
    """Each with the hash of its text."""


class Match(Struct, frozen=True):
    """One chunk that was found."""

    id: int
    path: str
    first: int
    last: int
    hash: bytes
    rank: float = 0.0
    """The greater, the better."""


class Store:
    """One open database, used by one thread. Raises sqlite3.Error."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._run = connection.execute
        self._run_many = connection.executemany
        connection.executescript(_SCHEMA)

    def keep_only(self, origin: bytes) -> None:
        """Empty the index if it was made under other rules, which `origin` stands for."""
        if self._origin() == origin:
            return
        with self._transaction():
            for table in _TABLES:
                self._run(f"DELETE FROM {table}")  # noqa: S608 - a name of ours
            self._run("INSERT INTO meta VALUES ('origin', ?)", (origin,))

    def known(self) -> dict[str, Known]:
        rows = self._run("SELECT path, stamp, size FROM files")
        return {_path(path): Known(stamp, size) for path, stamp, size in rows}

    def put(self, files: Iterable[Read]) -> None:
        """Take in what was read. One whose content is known already only gets its new stamp."""
        with self._transaction():
            for file in files:
                self._put(file)

    def remove(self, paths: Collection[str]) -> None:
        if not paths:
            return
        with self._transaction():
            for path in paths:
                for (id_,) in self._run("SELECT id FROM files WHERE path = ?", (_blob(path),)):
                    self._clear(id_)
                    self._run("DELETE FROM files WHERE id = ?", (id_,))

    def search(self, expression: str, below: str, limit: int) -> list[Match]:
        """Return the best matches in a file or below a directory, the best first.

        A directory ends in a slash; the empty path is all there is.
        """
        low, high = _range(below)
        return [
            Match(id_, _path(path), first, last, hash_, -rank)
            for id_, path, first, last, hash_, rank in self._run(
                "SELECT chunks.id, files.path, first, last, chunks.hash,"
                " bm25(texts, 4.0, 6.0, 3.0, 1.0) AS score"  # path, heads, humps, body
                " FROM texts JOIN chunks ON chunks.id = texts.rowid"
                " JOIN files ON files.id = chunks.file"
                " WHERE texts MATCH ? AND files.path >= ? AND files.path < ?"
                " ORDER BY score LIMIT ?",
                (expression, low, high, limit),
            )
        ]

    def chunks_below(self, below: str) -> dict[bytes, Match]:
        """Return one chunk for each text in a file or below a directory, spelled as above."""
        low, high = _range(below)
        rows = self._run(
            "SELECT chunks.id, path, first, last, chunks.hash FROM chunks"
            " JOIN files ON files.id = file WHERE path >= ? AND path < ? ORDER BY chunks.id DESC",
            (low, high),
        )
        return {row[4]: Match(row[0], _path(row[1]), *row[2:]) for row in rows}

    def without_vector(self, model: str, limit: int) -> list[bytes]:
        """Return hashes of texts that have no vector of the model."""
        rows = self._run(
            "SELECT hash FROM chunks WHERE hash NOT IN"
            " (SELECT hash FROM vectors WHERE model = ?) GROUP BY hash ORDER BY min(id) LIMIT ?",
            (model, limit),
        )
        return [row[0] for row in rows]

    def count_vectors(self, model: str) -> tuple[int, int]:
        """Return how many texts have a vector of the model, and how many there are."""
        have = self._run("SELECT count(*) FROM vectors WHERE model = ?", (model,)).fetchone()
        texts = self._run("SELECT count(DISTINCT hash) FROM chunks").fetchone()
        return have[0], texts[0]

    def texts(self, hashes: Sequence[bytes]) -> list[str]:
        """Return the texts, in the order of their hashes; an empty one for what has gone."""
        query = "SELECT body FROM texts WHERE rowid = (SELECT min(id) FROM chunks WHERE hash = ?)"
        return [(self._run(query, (one,)).fetchone() or ("",))[0] for one in hashes]

    def signs(self, model: str) -> list[tuple[bytes, bytes]]:
        return self._run("SELECT hash, signs FROM vectors WHERE model = ?", (model,)).fetchall()

    def vector(self, model: str, hash_: bytes) -> bytes:
        query = "SELECT vector FROM vectors WHERE model = ? AND hash = ?"
        return bytes((self._run(query, (model, hash_)).fetchone() or (b"",))[0])

    def put_vectors(self, model: str, rows: Iterable[tuple[bytes, bytes, bytes]]) -> None:
        """Keep hash, signs and vector of texts; those of another model, or of no text, go."""
        with self._transaction():
            self._run(
                "DELETE FROM vectors WHERE model <> ? OR hash NOT IN (SELECT hash FROM chunks)",
                (model,),
            )
            self._run_many(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)",
                [(hash_, model, signs, vector) for hash_, signs, vector in rows],
            )

    def _origin(self) -> bytes | None:
        row = self._run("SELECT value FROM meta WHERE key = 'origin'").fetchone()
        return row[0] if row else None

    def _put(self, file: Read) -> None:
        row = self._run("SELECT id, hash FROM files WHERE path = ?", (_blob(file.path),)).fetchone()
        if row and row[1] == file.hash:
            self._run("UPDATE files SET stamp = ? WHERE id = ?", (file.stamp, row[0]))
            return
        if row:
            self._clear(row[0])
        id_ = self._run(
            "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)",
            (row[0] if row else None, _blob(file.path), file.stamp, file.hash, file.size),
        ).lastrowid
        name = file.path.encode("utf-8", "replace").decode()
        for hash_, chunk in file.chunks:
            inserted = self._run(
                "INSERT INTO chunks(file, first, last, hash) VALUES (?, ?, ?, ?)",
                (id_, chunk.first, chunk.last, hash_),
            )
            self._run(
                "INSERT INTO texts(rowid, path, heads, humps, body) VALUES (?, ?, ?, ?, ?)",
                (inserted.lastrowid, f"{name} {humps(name)}", chunk.heads, humps(chunk.text),
                 chunk.text),
            )  # fmt: skip

    def _clear(self, file: int) -> None:
        self._run(
            "DELETE FROM texts WHERE rowid IN (SELECT id FROM chunks WHERE file = ?)", (file,)
        )
        self._run("DELETE FROM chunks WHERE file = ?", (file,))

    @contextmanager
    def _transaction(self) -> Generator[None]:
        """All of it or nothing; waits for another session that is writing."""
        self._run("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            with suppress(sqlite3.Error):  # a damaged database may not even do that
                self._run("ROLLBACK")
            raise
        self._run("COMMIT")


def _blob(path: str) -> bytes:
    return os.fsencode(path)


def _path(blob: bytes) -> str:
    return os.fsdecode(blob)


def _range(below: str) -> tuple[bytes, bytes]:
    """Return what the paths below a directory, which ends in a slash, or one file lie between."""
    start = _blob(below)
    return (
        (start, start + b"\xff" * 2) if below.endswith("/") or not below else (start, start + b"\0")
    )

"""Ranks by meaning as well as by words, where the user has named a service that makes vectors.

Vectors are kept by the hash of their texts. One search has only so many seconds to get missing
ones, those of the best matches first; the next goes on. Whatever fails is said in a note, and the
words alone decide.
"""

import asyncio

from msgspec.structs import replace

from agent_cli.index.database import Database
from agent_cli.index.question import Embedder, Question
from agent_cli.index.store import Match, Store
from agent_cli.index.vectors import fused, nearest, packed
from agent_cli.types.errors import ProviderError

SECONDS = 20.0
"""For one search."""
MOST = 50_000
"""Vectors in one index."""
BATCH = 64
"""Texts in one request."""
TAKEN = 40
"""Texts that are ranked by meaning."""


async def ranked(
    database: Database, embedder: Embedder, question: Question, by_words: list[Match]
) -> tuple[list[Match], str]:
    """Rank by words and meaning together; say with it what could not be done."""
    try:
        async with asyncio.timeout(SECONDS):
            (vector,) = await embedder.embed([question.words])
    except (ProviderError, TimeoutError) as error:
        why = str(error) or f"no answer within {SECONDS:g} s"
        return by_words, f"found by words alone, not by meaning: {why}"
    first = [match.hash for match in by_words]
    note = await _get_missing(database, embedder, first)
    matches = await asyncio.to_thread(
        database.use,
        lambda store: _together(store, embedder.name, vector, question.below, by_words),
    )
    return matches, note


async def _get_missing(database: Database, embedder: Embedder, first: list[bytes]) -> str:
    """Get vectors of texts that have none; return what of it could not be done."""
    why = f"it takes more than {SECONDS:g} s"
    try:
        async with asyncio.timeout(SECONDS):
            while True:
                batch = await asyncio.to_thread(
                    database.use, lambda store: _missing(store, embedder.name, first)
                )
                if not batch:
                    return ""
                vectors = await embedder.embed([text for _, text in batch])
                await asyncio.to_thread(_keep, database, embedder.name, batch, vectors)
    except TimeoutError:
        pass
    except ProviderError as error:
        why = str(error)
    have, texts = await asyncio.to_thread(
        database.use, lambda store: store.count_vectors(embedder.name)
    )
    return f"{have} of {texts} parts can be found by meaning yet ({why}); the next search goes on"


def _missing(store: Store, model: str, first: list[bytes]) -> list[tuple[bytes, str]]:
    if store.count_vectors(model)[0] >= MOST:
        return []
    hashes = [one for one in dict.fromkeys(first) if not store.vector(model, one)][:BATCH]
    hashes += store.without_vector(model, BATCH - len(hashes))
    unique = list(dict.fromkeys(hashes))
    return [pair for pair in zip(unique, store.texts(unique), strict=True) if pair[1]]


def _keep(
    database: Database, model: str, batch: list[tuple[bytes, str]], vectors: list[list[float]]
) -> None:
    rows = [(hash_, *packed(vector)) for (hash_, _), vector in zip(batch, vectors, strict=True)]
    database.use(lambda store: store.put_vectors(model, rows))


def _together(
    store: Store, model: str, vector: list[float], below: str, by_words: list[Match]
) -> list[Match]:
    there = store.chunks_below(below)
    signs = (one for one in store.signs(model) if one[0] in there)
    near = nearest(vector, signs, lambda hash_: store.vector(model, hash_))
    by_meaning = [hash_ for hash_, _ in near[:TAKEN]]
    there |= {match.hash: match for match in by_words}
    scores = fused([match.hash for match in by_words], by_meaning)
    return [replace(there[hash_], rank=score) for hash_, score in scores.items()]

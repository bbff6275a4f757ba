"""One Postgres for all tests of the proxy; each test has a database of its own in it.

And what is streamed in one cell is compared with what is whole in the other.
"""

import os
import secrets
from collections.abc import Generator
from hashlib import sha256
from typing import Any

import psycopg
import pytest
from testbed import proxy_twins
from testbed.postgres import Postgres, postgres
from testbed.proxy_cells import Cell


@pytest.fixture(scope="session")
def postgres_server() -> Generator[Postgres]:
    with postgres() as server:
        yield server


@pytest.fixture
def database(postgres_server: Postgres) -> str:
    name = f"test_{secrets.token_hex(4)}"
    with psycopg.connect(postgres_server.url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return postgres_server.url.replace("/postgres", f"/{name}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Function) -> Generator[None, Any, Any]:
    """After a test of a cell has passed, compare its answers with those of its twin."""
    callspec = getattr(item, "callspec", None)
    cell = callspec.params.get("cell") if callspec else None
    proxy_twins.HEARD.clear()
    result = yield
    if isinstance(cell, Cell) and proxy_twins.HEARD:
        both = item.nodeid.replace(cell.id, cell.wire)
        factory: pytest.TempPathFactory = item._request.getfixturevalue("tmp_path_factory")
        base = factory.getbasetemp()
        alone = "PYTEST_XDIST_WORKER" not in os.environ
        shared = (base if alone else base.parent) / "twins"
        shared.mkdir(exist_ok=True)
        proxy_twins.compare(shared / sha256(both.encode()).hexdigest()[:32])
    return result

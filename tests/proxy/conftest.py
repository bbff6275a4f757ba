"""One Postgres for all tests of the proxy; each test has a database of its own in it."""

import secrets
from collections.abc import Generator

import psycopg
import pytest
from testbed.postgres import Postgres, postgres


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

"""Every catalogue has every message of the source, with the same fields to fill in."""

from collections.abc import Iterable
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po
from testbed.source import modules, said

from agent_cli.i18n.catalog import DOMAIN, LOCALES

SOURCES = sorted(LOCALES.glob(f"*/LC_MESSAGES/{DOMAIN}.po"))
MESSAGES = {message for tree in modules().values() for message in said(tree)}


def fields(message: str) -> list[tuple[str, str | None, str | None]]:
    """The fields of a message with their formats, in any order."""
    parsed: Iterable[tuple[str, str | None, str | None, str | None]] = Formatter().parse(message)
    return sorted((name, spec, conversion) for _, name, spec, conversion in parsed if name)


def read(source: Path) -> Catalog:
    with source.open("rb") as file:
        return read_po(file, abort_invalid=True)


def test_there_is_a_german_catalogue():
    assert "de" in [source.parts[-3] for source in SOURCES]


def test_the_source_says_something():
    assert len(MESSAGES) > 50
    assert all(message.strip() for message in MESSAGES)


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.parts[-3])
class TestCatalogue:
    def test_it_has_every_message_and_no_other(self, source: Path):
        catalogue = {str(message.id) for message in read(source) if message.id}
        missing, stale = sorted(MESSAGES - catalogue), sorted(catalogue - MESSAGES)
        assert (missing, stale) == ([], []), f"bring {source} up to date"

    def test_every_message_is_translated_for_good(self, source: Path):
        messages = [message for message in read(source) if message.id]
        assert [message.id for message in messages if not message.string or message.fuzzy] == []

    def test_every_translation_has_the_fields_of_its_message(self, source: Path):
        for message in read(source):
            assert fields(str(message.string)) == fields(str(message.id)), message.id

    def test_every_translation_keeps_the_white_space_around_its_message(self, source: Path):
        for message in read(source):
            original, translated = str(message.id), str(message.string)
            if original:
                assert (
                    original.partition(original.strip())[::2]
                    == (translated.partition(translated.strip())[::2])
                ), original

"""Every catalogue has every message of the source, with the same fields to fill in."""

import re
from collections.abc import Iterable
from pathlib import Path
from string import Formatter

import pytest
import typer
from babel.messages.catalog import Catalog
from babel.messages.catalog import Message as Entry
from babel.messages.pofile import read_po
from testbed.source import Message, modules, said

from agent_cli.cli.main import COMMANDS, app_of
from agent_cli.cli.spoken_help import TYPERS_WORDS, parts
from agent_cli.i18n.catalog import DOMAIN, LOCALES

PAGES = sorted({*COMMANDS, "start"} - {"run"})
"""What has help of its own."""
SOURCES = sorted(LOCALES.glob(f"*/LC_MESSAGES/{DOMAIN}.po"))
SAID = {message for tree in modules().values() for message in said(tree)}
HELP = {part.help for name in PAGES for part in parts(typer.main.get_command(app_of(name)))}
MESSAGES = SAID | HELP | set(TYPERS_WORDS)


def forms(words: str | Iterable[str] | None) -> tuple[str, ...]:
    """The message in each of its forms."""
    return (words or "",) if isinstance(words, str | None) else tuple(words)


def pairs(source: Path) -> list[tuple[str, str]]:
    """Each form of each translation with the message that it translates."""
    found = [(forms(entry.id)[-1], forms(entry.string)) for entry in entries(source)]
    return [(message, form) for message, translated in found for form in translated]


def fields(message: str) -> set[tuple[str, str | None, str | None]]:
    """The fields of a message with their formats, in any order."""
    parsed: Iterable[tuple[str, str | None, str | None, str | None]] = Formatter().parse(message)
    return {(name, spec, conversion) for _, name, spec, conversion in parsed if name}


def read(source: Path) -> Catalog:
    with source.open("rb") as file:
        return read_po(file, abort_invalid=True)


def entries(source: Path) -> list[Entry]:
    return [entry for entry in read(source) if entry.id]


def key(entry: Entry) -> Message:
    return entry.id if isinstance(entry.id, str) else (str(entry.id[0]), str(entry.id[1]))


LANGUAGES = "ca de es fr hi id it ja ko nl pl pt_BR ru tr vi zh_CN zh_TW"


def test_the_languages_are_there():
    assert " ".join(source.parts[-3] for source in SOURCES) == LANGUAGES


def test_the_source_says_something():
    assert len(MESSAGES) > 50
    assert all(form.strip() for message in MESSAGES for form in forms(message))


def test_what_is_counted_has_its_plural():
    """`files: {count}` fits every number; `{count} files` does not."""
    uncounted = [message for message in MESSAGES if isinstance(message, str)]
    assert [text for text in uncounted if re.search(r"\{count[^}]*\} \w", text)] == []


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.parts[-3])
class TestCatalogue:
    def test_it_has_every_message_and_no_other(self, source: Path):
        catalogue = {key(entry) for entry in entries(source)}
        missing = sorted(MESSAGES - catalogue, key=str)
        stale = sorted(catalogue - MESSAGES, key=str)
        assert (missing, stale) == ([], []), f"bring {source} up to date"

    def test_every_message_is_translated_for_good(self, source: Path):
        found = entries(source)
        unsure = [entry.id for entry in found if not all(forms(entry.string)) or entry.fuzzy]
        assert unsure == []

    def test_every_plural_has_the_forms_of_the_language(self, source: Path):
        wanted = read(source).num_plurals
        plural = [entry for entry in entries(source) if not isinstance(entry.id, str)]
        assert [entry.id for entry in plural if len(forms(entry.string)) != wanted] == []

    def test_every_translation_has_the_fields_of_its_message(self, source: Path):
        for message, translated in pairs(source):
            if message in HELP:  # nothing is filled in there, and it may show JSON
                continue
            missing = fields(message) ^ fields(translated)
            assert {name for name, _, _ in missing} <= {"count"}, message
            assert "count" in {name for name, _, _ in fields(message)} or not missing, message

    def test_every_translation_keeps_the_white_space_around_its_message(self, source: Path):
        for message, translated in pairs(source):
            around = message.partition(message.strip())[::2]
            assert translated.partition(translated.strip())[::2] == around, message

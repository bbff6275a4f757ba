"""What people read: English from the source, other languages from compiled catalogues."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from testbed.run_agent import environment

from agent_cli.i18n.catalog import LOCALES, language, say, say_many
from agent_cli.settings.places import config_file


@pytest.mark.parametrize("wanted", ["", "C", "en", "en_GB.UTF-8", "tlh", "no such language"])
def test_without_a_catalogue_it_is_english(wanted: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AGENT_LANGUAGE", wanted)
    assert say("mode {mode}", mode="code") == "mode code"


def test_braces_of_values_stay_as_they_are():
    assert say("then: {names}", names="{x}") == "then: {x}"


@pytest.mark.parametrize(
    ("count", "expected"), [(0, "({count} more lines)"), (1, "({count} more line)")]
)
def test_what_goes_with_a_count_fits_it(count: int, expected: str):
    said = say_many("({count} more line)", "({count} more lines)", count=count)
    assert said == expected.format(count=count)


def test_a_message_without_values_is_not_a_template():
    assert say("{not a field") == "{not a field"


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LANG": "POSIX"}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "de_AT.UTF-8"}, "de_AT"),
        ({"LANG": "de", "LC_MESSAGES": "fr"}, "fr"),
        ({"LC_MESSAGES": "fr", "LC_ALL": "it"}, "it"),
        ({"LC_ALL": "it", "AGENT_LANGUAGE": "ja"}, "ja"),
        ({"LC_ALL": "", "LANG": "de"}, "de"),
    ],
)
def test_the_language_is_the_environments(environ: dict[str, str], expected: str):
    assert language(environ) == expected


SPEAK = """
from agent_cli.i18n.catalog import say, say_many
print(say_many("({count} more line)", "({count} more lines)", count=1))
print(say_many("({count} more line)", "({count} more lines)", count=2))
print(say("the session adds up"))
print(say("mode {mode}", mode="code"))
print(say("nobody translated this"))
"""


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A copy of the package's words with its catalogues compiled, as in a wheel."""
    package = tmp_path / "built" / "agent_cli"
    shutil.copytree(LOCALES.parent, package / "i18n")
    shutil.copy(LOCALES.parents[1] / "__init__.py", package)
    for source in (package / "i18n" / "locales").glob("*/LC_MESSAGES/agent.po"):
        with source.open("rb") as text, source.with_suffix(".mo").open("wb") as compiled:
            write_mo(compiled, read_po(text))
    return package.parent


def spoken(built: Path, wanted: str) -> list[str]:
    """Return what the built package says where LANG is so."""
    env = environment(built / "home", None) | {"PYTHONPATH": str(built), "LANG": wanted}
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", SPEAK],
        cwd=built,
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("pt_BR.UTF-8", "modo code"),
        ("pt-BR", "modo code"),
        ("pt_PT", "modo code"),
        ("zh_CN", "会话一致"),
        ("zh_SG", "会话一致"),
        ("zh-Hans-HK", "会话一致"),
        ("zh-TW", "工作階段一致"),
        ("zh-Hant-TW", "工作階段一致"),
        ("zh_HK.UTF-8", "工作階段一致"),
        ("fr_CA", "mode code"),
        ("ja_JP", "モード code"),
    ],
)
def test_a_place_gets_the_nearest_catalogue(built: Path, wanted: str, expected: str):
    assert expected in spoken(built, wanted)


@pytest.mark.parametrize("wanted", ["de", "de_AT", "de_CH.UTF-8"])
def test_a_built_package_speaks_german(built: Path, wanted: str):
    assert spoken(built, wanted) == [
        "(1 weitere Zeile)",
        "(2 weitere Zeilen)",
        "die Sitzung geht auf",
        "Modus code",
        "nobody translated this",
    ]


def test_a_built_package_explains_itself_in_german(built: Path):
    shutil.copytree(LOCALES.parents[1], built / "agent_cli", dirs_exist_ok=True)
    shutil.copytree(LOCALES.parents[2] / "prompts", built / "prompts")
    env = environment(built / "home", None) | {"PYTHONPATH": str(built)}
    settings = config_file(env)
    settings.parent.mkdir(parents=True)
    settings.write_text('language = "de"\n')
    argv = [sys.executable, "-m", "agent_cli", "models", "--help"]
    done = subprocess.run(argv, cwd=built, env=env, capture_output=True, text=True, check=True)
    assert "Die Modelle der eingebauten Tabelle" in done.stdout
    assert "Optionen" in done.stdout

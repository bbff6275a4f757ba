import os

import pytest

from agent_cli.processes.environment import clean, shell

SECRETS = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "OPENAI_API_KEY",
    "OPENAI_ADMIN_KEY",
    "AZURE_OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "SOME_NEW_VENDOR_API_KEY",
    "HF_TOKEN",
    "HUGGING_FACE_HUB_TOKEN",
    "REPLICATE_API_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
    "openai_api_key",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
]
ORDINARY = ["HOME", "GITHUB_TOKEN", "OPENAI_BASE_URL", "SSH_AUTH_SOCK", "MONKEY", "KEYMAP"]
ORDINARY += ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_SERVICE_NAME"]


@pytest.mark.invariant("R5")
@pytest.mark.parametrize("name", SECRETS)
def test_a_providers_key_is_removed(name: str):
    assert name not in clean({name: "secret"})


@pytest.mark.parametrize("name", ORDINARY)
def test_other_variables_stay(name: str):
    assert clean({name: "value"})[name] == "value"


@pytest.mark.parametrize(
    "name", ["BASH_ENV", "ENV", "CDPATH", "SHELLOPTS", "BASHOPTS", "PS4", "BASH_FUNC_ls%%"]
)
def test_nothing_that_steers_a_shell_gets_to_one(name: str):
    assert name not in clean({name: "value"})


@pytest.mark.parametrize(
    ("path", "left"),
    [
        ("/usr/bin:node_modules/.bin:/bin", "/usr/bin:/bin"),
        (":/usr/bin:", "/usr/bin"),
        (".", os.defpath),
        ("", os.defpath),
    ],
)
def test_no_program_is_looked_for_where_the_work_is_done(path: str, left: str):
    assert clean({"PATH": path})["PATH"] == left


def test_programs_neither_page_nor_ask():
    environ = clean({"PAGER": "less", "TERM": "xterm-256color"})
    assert environ["PAGER"] == environ["GIT_PAGER"] == "cat"
    assert environ["TERM"] == "dumb"
    assert environ["GIT_TERMINAL_PROMPT"] == "0"
    assert environ["AI_AGENT"] == "agent"


@pytest.mark.parametrize(
    ("chosen", "used"),
    [
        ("/usr/local/bin/bash", "/usr/local/bin/bash"),
        ("/bin/zsh", "/bin/zsh"),
        ("/usr/bin/fish", "/bin/sh"),
        ("", "/bin/sh"),
    ],
)
def test_a_shell_with_another_grammar_is_not_used(chosen: str, used: str):
    assert shell({"SHELL": chosen}) == used


def test_without_a_shell_of_the_users_it_is_the_systems():
    assert shell({}) == "/bin/sh"

"""The environment of the programs we start: the user's, without our keys, and without questions."""

import os
import re
from collections.abc import Mapping

_SECRET = re.compile(
    r"""
    ANTHROPIC_.* | .*_API_KEY | .*_API_KEYS | API_KEY
    | (?: OPENAI | AZURE_OPENAI | GEMINI | GOOGLE_AI | MISTRAL | GROQ | XAI | DEEPSEEK | OPENROUTER
        | TOGETHER | FIREWORKS | COHERE | CEREBRAS | MOONSHOT | ZAI | PERPLEXITY | REPLICATE
        | HF | HUGGINGFACE | HUGGING_FACE_HUB | CLAUDE(?:_CODE)? | AWS_BEARER
      ) _ .* (?: KEY | TOKEN | SECRET | BEDROCK ) (?: _.* )?
    | (?: HF | CLAUDE_CODE_OAUTH ) _TOKEN
    | OTEL_EXPORTER_OTLP_ (?: [A-Z]+ _ )? HEADERS
    """,
    re.VERBOSE | re.IGNORECASE,
)

_STEERS_SHELLS = re.compile(
    r"BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_FUNC_.*|CDPATH|GLOBIGNORE|PS4", re.DOTALL
)
"""By which a shell runs a file before the command, takes a function for the program of that name,
or goes to another directory than the command says."""

_FIXED = {
    "AI_AGENT": "agent",  # lets programs know that no person reads them
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",  # git asks on /dev/tty, past our empty standard input
    "PAGER": "cat",
    "TERM": "dumb",
}


def clean(environ: Mapping[str, str]) -> dict[str, str]:
    """Return what a program may see of `environ`.

    A provider's key lets whoever reads it spend the user's money, and a model reads what
    programs print. A rule that allows `ls` means the system's, and none that lies in the folder
    that is worked in: relative directories of PATH are left out.
    """
    kept = {
        name: value
        for name, value in environ.items()
        if not holds_key(name) and not _STEERS_SHELLS.fullmatch(name)
    }
    if "PATH" in kept:
        places = [place for place in kept["PATH"].split(os.pathsep) if place.startswith("/")]
        kept["PATH"] = os.pathsep.join(places) or os.defpath
    return kept | _FIXED


def holds_key(name: str) -> bool:
    """Whether the variable is a provider's, so that no program gets to see it."""
    return _SECRET.fullmatch(name) is not None


def shell(environ: Mapping[str, str]) -> str:
    """Return the user's shell, if it understands what models write, else /bin/sh."""
    chosen = environ.get("SHELL", "")
    return chosen if chosen.rsplit("/", 1)[-1] in {"bash", "zsh", "sh"} else "/bin/sh"

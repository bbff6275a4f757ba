"""The environment of the programs we start: the user's, without our keys, and without questions."""

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
    """,
    re.VERBOSE | re.IGNORECASE,
)

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
    programs print.
    """
    kept = {name: value for name, value in environ.items() if not _SECRET.fullmatch(name)}
    return kept | _FIXED


def shell(environ: Mapping[str, str]) -> str:
    """Return the user's shell, if it understands what models write, else /bin/sh."""
    chosen = environ.get("SHELL", "")
    return chosen if chosen.rsplit("/", 1)[-1] in {"bash", "zsh", "sh"} else "/bin/sh"

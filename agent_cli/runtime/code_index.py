"""The index that codebase_search asks: where it is kept, and who helps it to understand."""

from collections.abc import Mapping

from agent_cli.index.search import Index
from agent_cli.runtime.redaction import secrets
from agent_cli.settings.places import cache_directory
from agent_cli.settings.schema import Settings
from agent_cli.types.redaction import Redactor


def code_index(settings: Settings, environ: Mapping[str, str]) -> Index:
    """Return an index that has not been opened; raises ConfigurationError."""
    folder = cache_directory(environ) / "index"
    if not settings.index.embeddings_model:
        return Index(folder)
    from agent_cli.providers.embeddings import embedder  # noqa: PLC0415 - for who has set one

    redactor = Redactor(secrets(settings, environ))
    return Index(folder, embedder(settings.index, environ, redactor.text))

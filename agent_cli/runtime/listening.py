"""Who listens to a session besides its frontend, and which names they may repeat."""

from agent_cli.providers.known import known_models
from agent_cli.providers.registry import REPLAY
from agent_cli.providers.rows import ROWS
from agent_cli.settings.schema import Settings
from agent_cli.telemetry.facts import Vocabulary
from agent_cli.tools.registry import built_in


def vocabulary() -> Vocabulary:
    """Return the names that are public: of our tools, and of the models of the built-in table."""
    names: dict[str, set[str]] = {}
    for full_name, _ in known_models(Settings()):
        section, _, name = full_name.partition("/")
        names.setdefault(section, set()).add(name)
    models = {
        provider: frozenset(names.get(row.models or provider, ())) for provider, row in ROWS.items()
    }
    return Vocabulary(frozenset(built_in()), {**models, REPLAY: frozenset()})

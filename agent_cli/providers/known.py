"""The models that the table and the settings name."""

import tomllib
from pathlib import Path

import msgspec

from agent_cli.settings.schema import ModelSettings, Settings


def known_models(settings: Settings) -> list[tuple[str, ModelSettings]]:
    """Return `provider/name` with what is known; the settings stand over the table."""
    text = Path(__file__).with_name("models.toml").read_text(encoding="utf-8")
    table = msgspec.convert(tomllib.loads(text), dict[str, dict[str, ModelSettings]])
    known = {
        f"{provider}/{name}": row for provider, rows in table.items() for name, row in rows.items()
    }
    for name, said in settings.models.items():
        fields = msgspec.structs.asdict(known.get(name, ModelSettings()))
        fields |= {
            key: value for key, value in msgspec.structs.asdict(said).items() if value is not None
        }
        known[name] = ModelSettings(**fields)
    return sorted(known.items())

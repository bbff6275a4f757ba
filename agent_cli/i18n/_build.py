"""Build hook: compiles the catalogues into the wheel. Needs Babel, only while building."""

from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileCatalogues(BuildHookInterface[Any]):
    """Makes an `agent.mo` beside every `agent.po`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root) / "agent_cli" / "i18n" / "locales"
        for source in sorted(root.glob("*/LC_MESSAGES/agent.po")):
            target = source.with_suffix(".mo")
            with source.open("rb") as text, target.open("wb") as compiled:
                write_mo(compiled, read_po(text))
            build_data["artifacts"].append(target.relative_to(self.root).as_posix())

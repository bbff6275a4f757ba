import sys
from collections.abc import Iterator

import pytest

from agent_cli.index import grammars


@pytest.fixture
def without_grammars(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As it is without the extra: only what the core depends on can be imported."""
    for grammar in grammars.GRAMMARS.values():
        if grammar.module != "tree_sitter_bash":
            monkeypatch.setitem(sys.modules, grammar.module, None)
    grammars.load.cache_clear()
    yield
    grammars.load.cache_clear()

"""Columns stand below each other, whatever is written in them."""

import pytest
from rich.cells import cell_len

from agent_cli.frontends.terminal.columns import left, right

TEXTS = ["mode", "模式", "e\u0301", "ü", "", "much too long for it"]


@pytest.mark.parametrize("text", TEXTS)
def test_every_text_takes_the_same_room(text):
    assert cell_len(left(text, 8)) == cell_len(right(text, 8)) == max(8, cell_len(text))
    assert left(text, 8).startswith(text)
    assert right(text, 8).endswith(text)

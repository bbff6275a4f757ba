"""How long a time is that was given on the command line."""

import pytest
from typer import BadParameter

from agent_cli.cli.options import seconds


@pytest.mark.parametrize(
    ("said", "expected"),
    [("", None), ("90s", 90), ("90", 90), ("10m", 600), ("2h", 7200), ("1h30m", 5400),
     ("1h5s", 3605), (" 3m ", 180)],
)  # fmt: skip
def test_a_time_has_a_unit(said: str, expected: float | None):
    assert seconds(said) == expected


@pytest.mark.parametrize("said", ["m", " ", "1.5h", "-3s", "10 m", "5m1h", "٣s", "ten"])
def test_what_is_no_time_is_named(said: str):
    with pytest.raises(BadParameter, match="write 90s"):
        seconds(said)

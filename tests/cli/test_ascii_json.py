"""JSON in printable ASCII: nothing else comes out, and everything comes back."""

import json

from hypothesis import given
from hypothesis import strategies as st

from agent_cli.cli.ascii_json import ascii_json

TEXTS = st.text(st.characters(), max_size=30)
LONE = TEXTS | st.sampled_from(["\udce9", "\x7f", "\\n", '\\"\n', "\\\\b", "\\u000a"])


@given(st.dictionaries(LONE, LONE | st.lists(LONE), max_size=3))
def test_everything_comes_back_from_printable_ascii(value: dict[str, object]):
    line = ascii_json(value)
    assert line.isascii()
    assert line.isprintable()
    assert json.loads(line) == value


def test_every_other_character_is_escaped_with_its_code():
    assert ascii_json('\n\t\\"é\udce9\x7f😀') == (
        r'"\u000a\u0009\\\"\u00e9\udce9\u007f\ud83d\ude00"'
    )

"""Which pasted texts are paths of images."""

from pathlib import Path

import pytest

from agent_cli.frontends.terminal.pictures import path_in

PATHS = {
    "as it is": ("/tmp/a.png", "/tmp/a.png"),
    "with a blank at its end, as terminals drag": ("/tmp/a.png ", "/tmp/a.png"),
    "escaped": ("/tmp/my\\ shot.PNG", "/tmp/my shot.PNG"),
    "in single quotes": ("'/tmp/my shot.jpeg'", "/tmp/my shot.jpeg"),
    "in double quotes": ('"/tmp/my shot.webp"', "/tmp/my shot.webp"),
    "with blanks in it": ("/tmp/my shot.gif", "/tmp/my shot.gif"),
    "a URL": ("file:///tmp/my%20shot.png", "/tmp/my shot.png"),
    "no image": ("/tmp/a.txt", None),
    "no whole path": ("a.png", None),
    "two": ("'/tmp/a.png' '/tmp/b.png'", None),
    "an open quote": ("'/tmp/a.png", None),
    "a sentence": ("see /tmp/a.png", None),
    "several lines": ("/tmp/a\n.png", None),
    "NUL": ("/tmp/a\0.png", None),
    "very long": ("/" + "a" * 5000 + ".png", None),
    "nothing": (" ", None),
}


@pytest.mark.parametrize(("text", "expected"), PATHS.values(), ids=PATHS)
def test_a_path(text: str, expected: str | None):
    assert path_in(text) == expected


def test_a_path_in_the_home():
    assert path_in("~/a.png") == str(Path("~/a.png").expanduser())

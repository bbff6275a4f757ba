import pytest
from testbed.bare_server import PNG

from agent_cli.mcp.results import EMPTY, LARGEST_IMAGE, LONGEST_RESULT, MOST_IMAGES, Part, rendered
from agent_cli.tools.base import Blocks, Failure
from agent_cli.types.messages import Image

IMAGE = Part(data=PNG, media_type="image/png")


def text(text: str) -> Part:
    return Part(text=text)


def test_texts_are_parted_by_a_blank_line():
    assert rendered((text("a"), text(""), text("b"))) == "a\n\nb"


@pytest.mark.trap("T-39")
def test_images_are_shown():
    assert rendered((text("a"), IMAGE)) == Blocks("a", (Image("image/png", PNG),))
    assert rendered((IMAGE,)) == Blocks("", (Image("image/png", PNG),))


@pytest.mark.parametrize(
    ("part", "said"),
    [
        pytest.param(Part(data=PNG, media_type="image/tiff"), "image/tiff", id="kind"),
        pytest.param(Part(data="AAAA", media_type="audio/wav"), "[audio/wav, 3 bytes", id="sound"),
        pytest.param(Part(data="not base64", media_type="image/png"), "image/png", id="base64"),
        pytest.param(Part(data="ü", media_type="image/png"), "image/png", id="not even ASCII"),
        pytest.param(
            Part(data="A" * (LARGEST_IMAGE + 4), media_type="image/png"), "image/png", id="size"
        ),
        pytest.param(Part(media_type="image/png"), "0 bytes", id="empty"),
    ],
)
def test_what_cannot_be_shown_is_named(part: Part, said: str):
    shown = rendered((part,))
    assert isinstance(shown, str)
    assert said in shown
    assert shown.endswith("cannot be shown]")


def test_images_are_limited():
    shown = rendered((IMAGE,) * (MOST_IMAGES + 1))
    assert isinstance(shown, Blocks)
    assert len(shown.images) == MOST_IMAGES
    assert "cannot be shown" in shown.text


def test_an_error_is_a_failure():
    assert rendered((text("no"),), is_error=True) == Failure("no")
    assert rendered((), is_error=True) == Failure(EMPTY)


def test_nothing_is_said_to_be_nothing():
    assert rendered(()) == EMPTY


@pytest.mark.parametrize(
    ("said", "structured", "expected"),
    [
        pytest.param((), {"a": 1}, '{"a":1}', id="alone"),
        pytest.param(('{"a": 1}',), {"a": 1}, '{"a": 1}', id="said already"),
        pytest.param(("3",), {"result": 3}, "3", id="a wrapped value"),
        pytest.param(("three",), {"result": "three"}, "three", id="a wrapped text"),
        pytest.param(("a", "b"), {"content": "a\n\nb"}, "a\n\nb", id="under any name"),
        pytest.param(("sum",), {"a": 1}, 'sum\n\n{"a":1}', id="more than the text"),
    ],
)
def test_structured_content_is_not_said_twice(
    said: tuple[str, ...], structured: object, expected: str
):
    assert rendered(tuple(map(text, said)), structured) == expected


def test_a_long_result_loses_its_middle():
    shown = rendered((text("a" * LONGEST_RESULT + "b" * LONGEST_RESULT),))
    assert isinstance(shown, str)
    assert f"[{LONGEST_RESULT} characters left out" in shown
    assert shown.startswith("aaa")
    assert shown.endswith("bbb")

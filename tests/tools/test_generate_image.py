"""generate_image: against a server on the loopback, through the official client."""

import asyncio
from base64 import b64encode
from pathlib import Path

import msgspec
import pytest
from testbed.bench import Bench
from testbed.dispatched import Answering
from testbed.loopback import Answer, Loopback

from agent_cli.cli.tool import Options
from agent_cli.providers.images import painter
from agent_cli.runtime.toolbox import toolbox
from agent_cli.settings.schema import ImagesSettings, ProviderSettings, Settings
from agent_cli.tools.base import Blocks, Output, Services
from agent_cli.tools.generate_image import TOOL
from agent_cli.types.approval import Words
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ConfigurationError, ToolError

PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 2000
JPEG = b"\xff\xd8\xff\xe0" + b"x" * 2000
KEY = {"PAINT_KEY": "secret-of-mine"}


def settings(url: str = "http://127.0.0.1:1", model: str = "own/painter") -> Settings:
    own = ProviderSettings(base_url=f"{url}/v1", api_key_env="PAINT_KEY", wire="openai_chat")
    claude = ProviderSettings(base_url=url, api_key_env="PAINT_KEY", wire="anthropic_messages")
    return Settings(images=ImagesSettings(model), providers={"own": own, "claude": claude})


def answer(data: bytes | None = PNG, status: int = 200) -> Answer:
    image = {} if data is None else {"b64_json": b64encode(data).decode()}
    body = msgspec.json.encode({"created": 1, "data": [image]})
    return Answer((body,), status=status, headers={"content-type": "application/json"})


def bench(root: Path, url: str = "http://127.0.0.1:1", *, vision: bool = True) -> Bench:
    made = Bench(TOOL, root)
    services = Services(images=painter(settings(url), KEY), vision=vision)
    made.context = msgspec.structs.replace(made.context, services=services)
    return made


def made(
    root: Path, *answers: Answer, vision: bool = True, **arguments: object
) -> tuple[Output, Loopback]:
    async def whole() -> tuple[Output, Loopback]:
        async with Loopback(*answers) as server:
            used = bench(root, server.url, vision=vision)
            asked = {"prompt": "a cat", "path": "cat.png", **arguments}
            used.call(**asked).preview()
            return await used.start(**asked), server

    return asyncio.run(whole())


def test_an_image_is_written_and_shown(tmp_path: Path):
    output, server = made(tmp_path, answer())
    assert isinstance(output, Blocks)
    assert output.text == "created cat.png\nImage (image/png, 2 KB)"
    assert (tmp_path / "cat.png").read_bytes() == PNG
    (request,) = server.requests
    assert request.target == "/v1/images/generations"
    assert request.headers["authorization"] == "Bearer secret-of-mine"
    assert msgspec.json.decode(request.body) == {"model": "painter", "prompt": "a cat", "n": 1}


def test_a_name_without_a_suffix_gets_one(tmp_path: Path):
    made(tmp_path, answer(), path="pictures/cat")
    assert (tmp_path / "pictures" / "cat.png").read_bytes() == PNG


def test_an_image_to_start_from_is_sent_along(tmp_path: Path):
    (tmp_path / "dog.jpg").write_bytes(JPEG)
    (tmp_path / "cat.png").write_bytes(b"old")
    output, server = made(tmp_path, answer(JPEG), image="dog.jpg", vision=False)
    assert isinstance(output, str)
    assert output.startswith("replaced cat.png. Note: it is image/jpeg, whatever its name says\n")
    (request,) = server.requests
    assert request.target == "/v1/images/edits"
    assert JPEG in request.body
    assert b'filename="image.jpeg"' in request.body


FAILURES = {
    "a refusal": (answer(status=400), "no image was made"),
    "a redirect": (Answer(status=302, headers={"location": "http://x.y/"}), "not followed"),
    "no data": (answer(None), "not an image: nothing was written"),
    "no image": (answer(b"text"), "not an image: nothing was written"),
    "no base64": (
        Answer(
            (b'{"created": 1, "data": [{"b64_json": "?"}]}',),
            headers={"content-type": "application/json"},
        ),
        "not valid base64",
    ),
}


@pytest.mark.parametrize(("given", "says"), FAILURES.values(), ids=FAILURES)
def test_what_is_no_image_is_not_written(tmp_path: Path, given: Answer, says: str):
    with pytest.raises(ToolError, match=says):
        made(tmp_path, given)
    assert not (tmp_path / "cat.png").exists()


def test_nobody_answers(tmp_path: Path):
    with pytest.raises(ToolError, match="no image was made: cannot reach 127"):
        asyncio.run(bench(tmp_path).start(prompt="a", path="b.png"))


def test_an_image_to_start_from_must_be_one(tmp_path: Path):
    (tmp_path / "a.png").write_text("no image")
    with pytest.raises(ToolError, match="is not a PNG, JPEG, GIF or WebP image"):
        made(tmp_path, image="a.png")


def test_an_empty_prompt_is_refused(tmp_path: Path):
    with pytest.raises(ToolError, match="prompt is empty"):
        made(tmp_path, prompt=" ")


def test_effects_name_file_host_and_source(tmp_path: Path):
    call = bench(tmp_path, "http://me:word@paint.example:99").call(
        prompt="a", path="b", image="c.png"
    )
    assert call.effects() == (
        Effect(Kind.WRITE, "b.png"),
        Effect(Kind.NETWORK, "paint.example:99"),
        Effect(Kind.READ, "c.png"),
    )


def test_the_card_says_what_is_made_and_replaced(tmp_path: Path):
    used = bench(tmp_path)
    assert used.preview(prompt="a cat", path="b.png") == Words(
        "make b.png with own/painter:\n\na cat"
    )
    (tmp_path / "b.png").write_bytes(PNG)
    assert used.preview(prompt="a", path="b.png", image="c.png") == Words(
        "replace b.png with own/painter, starting from c.png:\n\na"
    )
    assert used.preview(prompt="a", path="../b.png") == Words(
        "make ../b.png with own/painter:\n\na"
    )


def offered(root: Path, of: Settings, environ: dict[str, str]) -> bool:
    environ = {"HOME": str(root), **environ}
    options = Options(root, environ, model="", ephemeral=True, spills=False)
    return "generate_image" in toolbox(of, options, Answering(yes=True)).tools


def test_it_is_offered_where_a_model_and_its_key_are_there(tmp_path: Path):
    assert offered(tmp_path, settings(), KEY)
    assert not offered(tmp_path, settings(), {})
    assert not offered(tmp_path, Settings(), KEY)
    assert painter(Settings(), KEY) is None
    with pytest.raises(ToolError, match="no model for images"):
        Bench(TOOL, tmp_path).effects(prompt="a", path="b")


def test_a_model_that_cannot_make_images_is_a_wrong_setting(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="through the openai client"):
        offered(tmp_path, settings(model="claude/opus"), KEY)


def test_some_models_must_be_told_to_send_data(tmp_path: Path):
    async def whole() -> bytes:
        async with Loopback(answer()) as server:
            port = painter(settings(server.url, "own/dall-e-3"), KEY)
            assert port is not None
            await port.paint("a cat", None)
            return server.requests[0].body

    assert msgspec.json.decode(asyncio.run(whole()))["response_format"] == "b64_json"


def test_an_image_too_large_to_show_is_still_written(tmp_path: Path):
    large = PNG + bytes(5 * 1024 * 1024)
    output, _ = made(tmp_path, answer(large))
    assert output == "created cat.png. It is too large to be shown."
    assert (tmp_path / "cat.png").read_bytes() == large

"""Search by meaning: against a service on the loopback that knows what a few words mean."""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from testbed.loopback import SILENT, Answer, Loopback, Received

from agent_cli.index import meaning
from agent_cli.index.question import Embedder, Found, Question
from agent_cli.index.search import Index
from agent_cli.providers import embeddings
from agent_cli.providers.embeddings import embedder
from agent_cli.runtime.code_index import code_index
from agent_cli.runtime.redaction import hidden_variables, secrets
from agent_cli.settings.schema import IndexSettings, Settings
from agent_cli.settings.secrets import MissingKeyError
from agent_cli.types.errors import ConfigurationError
from agent_cli.types.redaction import REMOVED
from agent_cli.workspace.gate import Workspace

KEY = {"VECTOR_KEY": "secret-of-mine-123"}
MEANINGS = (("fish", "swim", "water"), ("money", "bank", "ledger"), ("sky", "bird", "wing"))
TEXTS = {
    "a.py": "def swim():\n    return 1\n",
    "b.py": "def ledger():\n    return 2\n",
    "c.py": "def wing():\n    return 3\n",
}


def vector(text: str) -> list[float]:
    words = set(re.findall(r"[a-z]+", text.lower()))
    return [float(len(words.intersection(group))) or 0.01 for group in MEANINGS]


GOOD = Answer()
BAD = Answer((b'{"error": {"message": "no more"}}',), status=503)
JSON = {"content-type": "application/json"}


class Service(Loopback):
    """Gives every text its vector, the last one first; what else is prepared, as it is."""

    async def _answer(
        self,
        answer: Answer,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        received: Received,
    ) -> bool:
        if answer is GOOD:
            texts = msgspec.json.decode(received.body)["input"]
            data = [{"index": n, "embedding": vector(text)} for n, text in enumerate(texts)]
            answer = Answer((msgspec.json.encode({"data": data[::-1]}),), headers=JSON)
        return await super()._answer(answer, reader, writer, received)

    @property
    def texts(self) -> list[list[str]]:
        return [msgspec.json.decode(one.body)["input"] for one in self.requests]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = (tmp_path / "root").resolve()
    root.mkdir()
    for name, text in TEXTS.items():
        (root / name).write_text(text)
    return root


def settings(url: str, key: str = "VECTOR_KEY") -> Settings:
    return Settings(index=IndexSettings("model-of-mine", f"{url}/v1/", key))


def searched(
    root: Path,
    *answers: Answer | str,
    questions: tuple[str, ...] = ("fish",),
    below: str = "",
    then: Callable[[], object] = str,
) -> tuple[list[Found], Service]:
    async def whole() -> tuple[list[Found], Service]:
        async with Service(*(answers or [GOOD] * 99)) as service:
            environ = {**KEY, "AGENT_HOME": str(root.parent / "home")}
            index = code_index(settings(service.url), environ)
            found: list[Found] = []
            for words in questions:
                question = Question(words, below)
                found.append(await index.search(question, Workspace(root), print))
                then()
            return found, service

    return asyncio.run(whole())


def paths(found: Found) -> list[str]:
    return [hit.path for hit in found.hits]


def test_what_shares_no_word_is_found_by_its_meaning(root: Path):
    (found,), service = searched(root)
    assert paths(found) == ["a.py"]
    assert found.hits[0].score == 1.0
    assert found.notes == ()
    assert service.texts == [["fish"], list(TEXTS.values())]
    request = service.requests[0]
    assert (request.method, request.target) == ("POST", "/v1/embeddings")
    assert request.headers["authorization"] == "Bearer secret-of-mine-123"
    assert msgspec.json.decode(request.body)["model"] == "model-of-mine"


def test_words_and_meaning_are_ranked_together(root: Path):
    (root / "d.py").write_text("fish = 'a wing of the bank, a ledger, a bird'\n")
    (root / "e.py").write_text("fish, water\n")
    (found,), _ = searched(root)
    assert paths(found)[0] == "e.py"  # the first by meaning, and one of two by words
    assert sorted(paths(found)) == ["a.py", "d.py", "e.py"]


def test_a_text_is_sent_once(root: Path):
    (root / "copy.py").write_text(TEXTS["a.py"])

    def change() -> None:
        if (root / "c.py").exists():
            (root / "c.py").rename(root / "moved.py")
        (root / "b.py").write_text("bank\n")

    _, service = searched(root, questions=("fish", "bird"), then=change)
    assert service.texts == [["fish"], list(TEXTS.values()), ["bird"], ["bank\n"]]


def test_a_search_in_a_part_stays_there(root: Path):
    (root / "sub").mkdir()
    (root / "sub/x.py").write_text("water\n")
    (found,), _ = searched(root, below="sub/")
    assert paths(found) == ["sub/x.py"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (BAD, "no more"),
        (Answer((b"not json",)), "malformed"),
        (Answer((b'{"data": []}',)), "0 vectors for 1 texts"),
        (Answer((b'{"data": [{"index": 1, "embedding": [1]}]}',)), "1 vectors for 1 texts"),
        (Answer((b'{"data": [{"index": 0, "embedding": []}]}',)), r"vectors of \[0\] numbers"),
        (Answer(status=302, headers={"location": "http://elsewhere"}), "not followed"),
        (Answer((b"x",), end="cut"), "cannot reach 127.0.0.1"),
        ("closed", "cannot reach 127.0.0.1"),
    ],
)
def test_a_service_that_fails_leaves_the_words(root: Path, answer: Answer | str, said: str):
    (found,), _ = searched(root, answer, questions=("swim",))
    assert paths(found) == ["a.py"]
    (note,) = found.notes
    assert re.search(f"by words alone.*{said}", note)
    assert "secret-of-mine" not in note


def test_a_service_that_is_silent_leaves_the_words(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(meaning, "SECONDS", 0.05)
    (found,), _ = searched(root, SILENT, questions=("swim",))
    assert paths(found) == ["a.py"]
    assert "no answer within 0.05 s" in found.notes[0]
    monkeypatch.setattr(meaning, "SECONDS", 20)
    monkeypatch.setattr(embeddings, "TIMEOUT", 0.05)
    (found,), _ = searched(root, SILENT, questions=("swim",))
    assert "no answer within 0.05 s" in found.notes[0]


def test_a_service_that_fails_later_is_asked_for_the_rest_next_time(
    root: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(meaning, "BATCH", 1)
    answers = (GOOD, GOOD, BAD, *[GOOD] * 3)
    (found, again), service = searched(root, *answers, questions=("swim", "fish"))
    assert "1 of 3 parts can be found by meaning yet" in found.notes[0]
    assert "no more" in found.notes[0]
    assert again.notes == ()
    sent = [text for (text,) in service.texts]
    a, b, c = TEXTS.values()
    assert sent == ["swim", a, b, "fish", b, c]  # the best by words comes first


def test_a_slow_service_is_not_waited_for_long(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(meaning, "SECONDS", 0.3)
    (found,), _ = searched(root, GOOD, SILENT, questions=("swim",))
    assert paths(found) == ["a.py"]
    assert "0 of 3 parts can be found by meaning yet (it takes more than" in found.notes[0]


def test_only_so_many_vectors_are_kept(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(meaning, "MOST", 0)
    (found,), service = searched(root, questions=("swim",))
    assert paths(found) == ["a.py"]
    assert len(service.requests) == 1


def test_an_answer_that_is_too_long_is_cut_off(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(embeddings, "LARGEST", 10)
    (found,), _ = searched(root, questions=("swim",))
    assert "more than 10 bytes" in found.notes[0]


def test_another_model_makes_vectors_of_its_own(root: Path, tmp_path: Path):
    asked: list[str] = []

    def index(name: str, width: int) -> Index:
        async def embed(texts: object) -> list[list[float]]:
            asked.append(name)
            return [[1.0] * width for _ in list(texts)]  # type: ignore[call-overload]

        return Index(tmp_path / "cache", Embedder(name, embed))

    for name, width in (("one", 3), ("one", 3), ("two", 5), ("two", 9)):
        found = asyncio.run(index(name, width).search(Question("zz"), Workspace(root), print))
    assert asked == ["one", "one", "one", "two", "two", "two"]
    assert found.hits == ()  # of another length: made by something else under the same name


def test_secrets_are_not_sent_nor_shown(root: Path):
    (root / "a.py").write_text("KEY = 'secret-of-mine-123'  # fish\n")
    _, service = searched(root)
    assert service.texts[1][0] == f"KEY = '{REMOVED}'  # fish\n"
    set_up = settings("http://someone:password-1@host")
    assert hidden_variables(set_up) == {"VECTOR_KEY"}
    assert {"secret-of-mine-123", "password-1"} <= secrets(set_up, KEY)


def test_settings_that_cannot_be_used_are_refused():
    with pytest.raises(ConfigurationError, match=r"index\.base_url = ''"):
        embedder(IndexSettings("m"), {}, str)
    with pytest.raises(ConfigurationError, match=r"index\.base_url = 'ftp://x'"):
        embedder(IndexSettings("m", "ftp://x"), {}, str)
    with pytest.raises(MissingKeyError, match="VECTOR_KEY"):
        embedder(IndexSettings("m", "http://x", "VECTOR_KEY"), {}, str)
    assert embedder(IndexSettings(), {}, str) is None
    assert embedder(IndexSettings("m", "http://x"), {}, str)


def test_a_proxy_is_used(root: Path):
    async def whole() -> list[Received]:
        async with Service(GOOD, GOOD) as proxy:
            environ = {"http_proxy": f"http://me:pass@127.0.0.1:{proxy.port}"}
            made = embedder(IndexSettings("m", "http://far.example/v1"), environ, str)
            assert made
            await made.embed(["fish"])
            return proxy.requests

    (request,) = asyncio.run(whole())
    assert request.target == "http://far.example/v1/embeddings"
    assert request.headers["proxy-authorization"].startswith("Basic ")
    assert "authorization" not in request.headers

"""Encryption at rest: what was said cannot be read without the key, in the file or the database."""

import base64
import json
from pathlib import Path

import pytest
from testbed.exchange import OPENAI_CHAT
from testbed.proxied import ENVIRON, Proxied, configured, proxied, serving
from testbed.proxy_cells import Cell, M, N, W, cells
from testbed.proxy_clients import repeated, results, user
from testbed.replies import Call, Say, Status

from agent_cli.proxy import kept, sealed
from agent_cli.proxy.config import Config, Continuity
from agent_cli.types.errors import ConfigurationError

CHAT = Cell(OPENAI_CHAT, stream=False)
CANARY = "c4n4ry"
KEY, OTHER = bytes(range(32)).hex(), base64.b64encode(b"o" * 32).decode()
ON = {"continuity": {"key_env": "CONTINUITY_KEY"}}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(ENVIRON, "CONTINUITY_KEY", KEY)


def stored(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("continuity.db*"))


@cells
def test_hidden_rounds_come_back_though_nobody_can_read_them(cell: Cell, tmp_path: Path):
    secret = Call("docs_search", {"q": CANARY})
    script = [Say("Both.", [secret, N], reasoning="Hm."), Say("Done.")]
    with proxied(script, tmp_path, **ON) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        assert CANARY.encode() not in stored(tmp_path)
        history = [user("hi"), *repeated(cell.wire, answer), *results(cell.wire, answer)]
        cell.ask(proxy, history)
        assert CANARY in json.dumps(proxy.upstream.requests[1].body)


@cells
def test_a_retry_goes_on_from_an_encrypted_checkpoint(cell: Cell, tmp_path: Path):
    with proxied([Say(calls=[W]), Status(500), Say("Done.")], tmp_path, **ON) as proxy:
        proxy.ask(cell.path, cell.request([user("hi")]))
        _, answer = cell.ask(proxy, [user("hi")])
        assert proxy.service.tools == ["crm_update"]
    assert answer.text == "Done."


def restarted(proxy: Proxied, folder: Path, key_env: str) -> None:
    continuity = {"key_env": key_env}
    config = configured("http://127.0.0.1:1", proxy.service, folder, continuity=continuity)
    with serving(Proxied(proxy.upstream, proxy.service, folder), config):
        pass


def test_the_wrong_key_or_none_is_told_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with proxied([Say(calls=[M]), Say("Done.")], tmp_path, **ON) as proxy:
        CHAT.ask(proxy, [user("hi")])
        proxy.stop()
        restarted(proxy, tmp_path, "CONTINUITY_KEY")
        monkeypatch.setitem(ENVIRON, "CONTINUITY_KEY", OTHER)
        with pytest.raises(ConfigurationError, match="another key"):
            restarted(proxy, tmp_path, "CONTINUITY_KEY")
        with pytest.raises(ConfigurationError, match="is encrypted"):
            restarted(proxy, tmp_path, "")
        kept.purged(Config(continuity=Continuity(path=str(tmp_path / "continuity.db"))), {})
        restarted(proxy, tmp_path, "CONTINUITY_KEY")


def test_who_looks_at_a_segment_needs_the_key(tmp_path: Path):
    with proxied([Say(calls=[M]), Say("Done.")], tmp_path, **ON) as proxy:
        CHAT.ask(proxy, [user("hi")])
        proxy.stop()
    path = str(tmp_path / "continuity.db")
    config = Config(continuity=Continuity(path=path, key_env="KEY"))
    (row,) = kept.rows(config, {})
    segment = kept.shown(config, {"KEY": KEY}, row.id)
    assert segment is not None
    assert b"docs_search" in b"".join(bytes(raw) for raw in segment.full)
    with pytest.raises(ConfigurationError, match="encrypted"):
        kept.shown(Config(continuity=Continuity(path=path)), {}, row.id)
    assert kept.shown(config, {"KEY": KEY}, "nobody's") is None


def test_what_was_written_before_there_was_a_key_is_still_read(tmp_path: Path):
    with proxied([Say("Both.", [M, N])], tmp_path) as proxy:
        _, answer = CHAT.ask(proxy, [user("hi")])
    history = [user("hi"), *repeated(CHAT.wire, answer), *results(CHAT.wire, answer)]
    with proxied([Say("Done.")], tmp_path, **ON) as proxy:
        CHAT.ask(proxy, history)
        assert "docs_search" in json.dumps(proxy.upstream.requests[0].body["messages"])


@pytest.mark.parametrize("key", ["", "short", "z" * 64, "ä" * 44])
def test_a_key_that_is_none_is_refused(key: str):
    with pytest.raises(ConfigurationError, match="32 bytes"):
        sealed.cipher_of("KEY", {"KEY": key})


def test_without_its_package_the_proxy_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sealed, "find_spec", lambda name: None)
    with pytest.raises(ConfigurationError, match=r"agent-cli\[encryption\]"):
        sealed.cipher_of("KEY", {"KEY": KEY})

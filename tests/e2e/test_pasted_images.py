"""Images that a person pastes, and the editor they open: what becomes of it on the wire."""

import base64
from pathlib import Path
from typing import Any

import pytest
from testbed.replies import Say
from testbed.run_agent import start_agent
from testbed.server import ModelServer
from testbed.terminals import PROMPT, leave

MODEL = ["-m", "anthropic/test-model"]
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


@pytest.fixture(autouse=True)
def sees(home: Path) -> Path:
    config = home / "agent/config/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[models."anthropic/test-model"]\nvision = true\n')
    return config


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    path = tmp_path / "my shot.png"
    path.write_bytes(PNG)
    return path


def said_last(server: ModelServer) -> list[dict[str, Any]]:
    content: Any = server.requests[-1].body["messages"][-1]["content"]
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def images(server: ModelServer) -> list[bytes]:
    parts = [one for one in said_last(server) if one["type"] == "image"]
    return [base64.b64decode(one["source"]["data"]) for one in parts]


def script(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)
    return folder / name


def test_a_dragged_path_is_attached(project: Path, home: Path, shot: Path):
    dragged = str(shot).replace(" ", "\\ ")
    with ModelServer([Say("A pixel.")]) as server:
        terminal = start_agent(MODEL, cwd=project, home=home, server=server)
        terminal.expect(PROMPT)
        terminal.send(f"what is \x1b[200~{dragged}\x1b[201~")
        terminal.expect_exact("[image my shot.png, 1 KB]")
        terminal.send("?\r")
        terminal.expect("A pixel")
        leave(terminal)
    assert server.violations == []
    assert images(server) == [PNG]
    assert "what is [image: my shot.png]?" in str(said_last(server))


def test_ctrl_v_attaches_what_is_in_the_clipboard(project: Path, home: Path, shot: Path):
    programs = script(home / "bin", "xclip", f"cat '{shot}'").parent
    script(programs, "wl-paste", "echo nothing there; exit 1")
    path = f"{programs}:/usr/bin:/bin"
    with ModelServer([Say("A pixel.")]) as server:
        terminal = start_agent(MODEL, cwd=project, home=home, server=server, env={"PATH": path})
        terminal.expect(PROMPT)
        terminal.send("see \x16")
        terminal.expect_exact("[image clipboard, 1 KB]")
        terminal.send("\r")
        terminal.expect("A pixel")
        leave(terminal)
    assert images(server) == [PNG]


def test_a_model_that_takes_no_images_gets_the_path(
    project: Path, home: Path, shot: Path, sees: Path
):
    sees.write_text("")
    with ModelServer([Say("I see.")]) as server:
        terminal = start_agent(MODEL, cwd=project, home=home, server=server)
        terminal.expect(PROMPT)
        terminal.send(f"see \x1b[200~{shot}\x1b[201~")
        terminal.expect("takes no images")
        terminal.expect("pytest")  # in the line again
        terminal.send("\r")
        terminal.expect("I see")
        leave(terminal)
    assert images(server) == []
    assert "my shot.png" in str(said_last(server))


def test_without_an_image_that_is_said(project: Path, home: Path):
    path = f"{script(home / 'bin', 'xclip', 'exit 1').parent}:/usr/bin:/bin"
    with ModelServer([]) as server:
        terminal = start_agent(MODEL, cwd=project, home=home, server=server, env={"PATH": path})
        terminal.expect(PROMPT)
        terminal.send("\x16")
        terminal.expect("no image in the clipboard")
        leave(terminal)


def test_ctrl_g_gives_the_text_to_the_editor(project: Path, home: Path):
    editor = script(home / "bin", "edit", 'tr a-z A-Z < "$1" > "$1.new" && mv "$1.new" "$1"')
    pasted = "".join(f"line {number}\r" for number in range(20))
    env = {"VISUAL": str(editor), "EDITOR": "false"}
    with ModelServer([Say("I see.")]) as server:
        terminal = start_agent(MODEL, cwd=project, home=home, server=server, env=env)
        terminal.expect(PROMPT)
        terminal.send(f"shout: \x1b[200~{pasted}\x1b[201~\x07")
        for _ in range(20):
            terminal.expect("LINE")  # of what was drawn before, only what differs is drawn again
        terminal.send(" there\r")
        terminal.expect("I see")
        leave(terminal)
    assert "SHOUT: LINE 0\\nLINE 1\\n" in str(said_last(server))
    assert "LINE 19 there" in str(said_last(server))

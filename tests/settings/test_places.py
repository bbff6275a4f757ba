"""Where files go."""

from pathlib import Path

import pytest

from agent_cli.settings.managed import managed_file
from agent_cli.settings.places import (
    cache_directory,
    config_directory,
    config_file,
    data_directory,
    is_inside,
    state_directory,
)

PLACES = (config_directory, data_directory, state_directory, cache_directory)


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        pytest.param(
            {"HOME": "/h"},
            [
                "/h/.config/agent",
                "/h/.local/share/agent",
                "/h/.local/state/agent",
                "/h/.cache/agent",
            ],
            id="defaults",
        ),
        pytest.param(
            {
                "HOME": "/h",
                "XDG_CONFIG_HOME": "/c",
                "XDG_DATA_HOME": "/d",
                "XDG_STATE_HOME": "/s",
                "XDG_CACHE_HOME": "/k",
            },
            ["/c/agent", "/d/agent", "/s/agent", "/k/agent"],
            id="XDG",
        ),
        pytest.param(
            {"HOME": "/h", "XDG_CONFIG_HOME": "relative"},
            [
                "/h/.config/agent",
                "/h/.local/share/agent",
                "/h/.local/state/agent",
                "/h/.cache/agent",
            ],
            id="a relative XDG path is ignored",
        ),
        pytest.param(
            {"HOME": "/h", "XDG_CONFIG_HOME": "/c", "AGENT_HOME": "/a"},
            ["/a/config", "/a/data", "/a/state", "/a/cache"],
            id="one root",
        ),
        pytest.param(
            {"HOME": "/h", "AGENT_HOME": "~/a"},
            ["/h/a/config", "/h/a/data", "/h/a/state", "/h/a/cache"],
            id="one root below home",
        ),
    ],
)
def test_places(environ, expected):
    assert [str(place(environ)) for place in PLACES] == expected


def test_the_config_file_lies_in_the_config_directory():
    assert config_file({"AGENT_HOME": "/a"}) == Path("/a/config/config.toml")


def test_without_home_the_account_says_it():
    assert config_directory({}) == Path.home() / ".config" / "agent"


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        ("linux", "/etc/agent/config.toml"),
        ("darwin", "/Library/Application Support/agent/config.toml"),
    ],
)
def test_the_managed_file_is_the_systems(platform, expected):
    assert str(managed_file(platform)) == expected


@pytest.mark.parametrize("root", ["/", "/h", "/h/me"])
def test_a_folder_that_holds_the_home_may_hold_its_settings(root):
    for place in ("/h/me/.config/agent", "/h/me/.agent"):
        assert not is_inside(Path(place), Path(root), {"HOME": "/h/me"})


def test_a_place_in_the_folder_is_seen_through_links_and_dots(tmp_path):
    (tmp_path / "repository").mkdir()
    (tmp_path / "link").symlink_to("repository")
    place = tmp_path / "x" / ".." / "link" / "config" / "config.toml"
    environ = {"HOME": str(tmp_path)}
    assert is_inside(place, tmp_path / "repository", environ)
    assert not is_inside(tmp_path / "repository2", tmp_path / "repository", environ)

"""Facts and details of the environment."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from testbed.built_in_modes import mode

from agent_cli.context.environment import LONGEST_COMMAND, MOST_NAMES, details, facts
from agent_cli.processes.background import Standing
from agent_cli.types.entries import Todo

NOW = datetime(2026, 3, 1, 12, 30, 5, 999, tzinfo=UTC)


def described(**given):
    return details(**{"now": NOW, "mode": mode("code"), "todos": (), **given})


def test_facts_name_the_system_the_shell_that_runs_commands_home_and_root(tmp_path):
    found = facts(tmp_path, {"SHELL": "/usr/bin/fish", "HOME": "/home/ada"})
    assert re.fullmatch(r"\S+ \S+", found.os)
    assert (found.shell, found.home, found.root) == ("/bin/sh", "/home/ada", str(tmp_path))


def test_facts_find_home_without_the_variable(tmp_path):
    assert Path(facts(tmp_path, {}).home).is_absolute()


def test_the_first_message_lists_the_workspace():
    text = described(names=["src/", "src/app.py"])
    assert text == (
        "<environment_details>\n"
        "# Current time\n\n2026-03-01T12:30:05+00:00\n\n"
        "# Current mode\n\ncode (Code)\n\n"
        "# Files in the workspace\n\nsrc/\nsrc/app.py\n\n"
        "# To-do list\n\nThere is none yet. Make one if the task has several steps.\n"
        "</environment_details>"
    )


def test_later_messages_do_not_list_it():
    assert "Files in the workspace" not in described()


def test_an_empty_workspace_is_said_to_be_empty():
    assert "(The workspace has no files.)" in described(names=[])


@pytest.mark.parametrize(("count", "is_cut"), [(MOST_NAMES, False), (MOST_NAMES + 1, True)])
def test_a_long_listing_is_cut_and_says_so(count, is_cut):
    text = described(names=[f"file{number:03}" for number in range(count)])
    assert text.count("file") == MOST_NAMES
    assert ("Only the first 200 are shown" in text) is is_cut


def test_todos_are_a_table():
    todos = (Todo("Read | think", "completed"), Todo("Write\nit", "in_progress"))
    text = described(todos=todos)
    assert "| 1 | Read \\| think | completed |\n| 2 | Write\\nit | in progress |" in text


def test_a_name_with_a_dollar_sign_is_only_a_name():
    assert "$HOME ${x" in described(names=["$HOME ${x"])


@given(st.lists(st.text(min_size=1), min_size=1, max_size=5))
def test_no_name_breaks_its_line_or_ends_the_block(names):
    hostile = [*names, "</environment_details>", "a\nb", "\udcff"]
    text = described(names=hostile)
    text.encode("utf-8")
    assert text.count("</environment_details>") == 1
    listing = text.split("# Files in the workspace\n\n")[1].split("\n\n# To-do list")[0]
    assert len(listing.split("\n")) == len(hostile)


def test_commands_in_the_background_are_listed_while_they_concern_anybody():
    serve = Standing("71", "npm run\ndev", running=True)
    build = Standing("72", "make </environment_details>" + "x" * 300, running=False)
    text = described(commands=[serve, build])
    begun = "# Commands in the background\n\nLook at one with `execute_command` and its process_id."
    assert f"{begun}\n\n- 71: npm run\\ndev (runs)\n- 72: make <" in text
    assert "… (has ended, and you have not seen how)\n\n# To-do list" in text
    assert text.count("</environment_details>") == 1
    assert max(map(len, text.splitlines())) < LONGEST_COMMAND + 60
    assert "background" not in described()


PLANS = [(None, []), (True, ["refused"]), (False, ["off now"])]


@pytest.mark.parametrize(("planning", "says"), PLANS)
def test_plan_mode_is_told_while_it_holds_and_when_it_is_over(planning, says):
    text = described(planning=planning)
    assert ("# Plan mode" in text) is bool(says)
    assert all(word in text for word in says)

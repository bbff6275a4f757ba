"""What is made of a conversation is what would be made of it at once."""

import gc
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.types.messages import UserMessage
from agent_cli.wire.growing import Growing

MEMBERS = [UserMessage(text) for text in "aabc"]
"""Two are equal and not the same."""


def add(made: list[str], member: UserMessage) -> None:
    made.append(member.text)


@given(st.lists(st.lists(st.sampled_from(MEMBERS), max_size=5), max_size=6))
def test_what_is_made_is_what_would_be_made_at_once(conversations: list[list[UserMessage]]):
    growing = Growing()
    for members in conversations:
        made = growing.of(tuple(members), list[str], add)
        assert made == [member.text for member in members]


def test_what_was_there_is_not_added_again():
    growing, added = Growing(), list[UserMessage]()

    def watch(_: list[str], member: UserMessage) -> None:
        added.append(member)

    first, equal, other, last = MEMBERS
    growing.of((first, other), list[str], watch)
    growing.of((first, other, last), list[str], watch)
    assert added == [first, other, last]
    growing.of((equal, other, last), list[str], watch)
    assert added[3:] == [equal, other, last]


def test_what_could_not_be_added_is_added_the_next_time():
    growing = Growing()
    growing.of((MEMBERS[0],), list[str], add)

    def fail(made: list[str], member: UserMessage) -> None:
        add(made, member)
        raise ValueError

    with pytest.raises(ValueError, match=r"^$"):
        growing.of(tuple(MEMBERS[:2]), list[str], fail)
    assert growing.of(tuple(MEMBERS[:2]), list[str], add) == ["a", "a"]


def test_what_is_gone_is_held_no_longer():
    class Member:
        """Something that can be watched."""

    def keep(made: list[Member], member: Member) -> None:
        made.append(member)

    growing, gone = Growing(), Member()
    growing.of((gone, Member()), list[Member], keep)
    watched = weakref.ref(gone)
    del gone
    growing.of((Member(),), list[Member], keep)
    gc.collect()
    assert watched() is None

"""A journal's bytes, to be read as a file's."""

from io import BytesIO

from agent_cli.sessions.stream import Reading, lines_of


def reading(journal: bytes) -> Reading:
    return Reading(lines_of(BytesIO(journal)))

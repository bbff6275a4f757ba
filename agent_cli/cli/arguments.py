"""Words of the command line that are seen to before its parser does."""

import re
from itertools import pairwise

from agent_cli.cli.resume import PICK

_SENTENCE = re.compile(r"-(?![mCrs]\S)[^=]*\s")
"""Begins with a dash and has a blank before any `=`: no option, unless a value is attached."""

_JSON = frozenset({"json", "stream-json"})


def with_sentences_last(arguments: list[str]) -> list[str]:
    """Take what begins with a dash and is no option for what it is: a prompt, as "- fix it"."""
    if "--" in arguments:
        return arguments
    sentences = [argument for argument in arguments if _SENTENCE.match(argument)]
    if not sentences:
        return arguments
    return [*(one for one in arguments if one not in sentences), "--", *sentences]


def with_resume_value(arguments: list[str]) -> list[str]:
    """Give `--resume` without an id the value that asks for a choice."""
    if "--" in arguments:
        options = arguments.index("--")
        return [*with_resume_value(arguments[:options]), *arguments[options:]]
    made: list[str] = []
    for position, argument in enumerate(arguments):
        made.append(argument)
        following = arguments[position + 1 : position + 2]
        if argument in ("-r", "--resume") and (not following or following[0].startswith("-")):
            made.append(PICK)
    return made


def wants_json(arguments: list[str]) -> bool:
    """Whether a program reads the answer, and waits for a result whatever goes wrong."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if "--json" in options:
        return True
    given = [argument.partition("=") for argument in options]
    attached = {value for name, _, value in given if name == "--output-format"}
    following = {value for name, value in pairwise(options) if name == "--output-format"}
    return not _JSON.isdisjoint(attached | following)

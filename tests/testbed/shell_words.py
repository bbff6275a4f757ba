"""Reads simple commands for tests: quotes and globs, and nothing else of the shell."""

import re
from collections.abc import Iterator

from agent_cli.approval.options import Word

_WORD = re.compile(r"""(?:'[^']*'|"[^"]*"|[^\s'"])+""")
_PIECE = re.compile(r"""'([^']*)'|"([^"]*)"|([^'"]+)""")


def words(command: str) -> tuple[Word, ...]:
    return tuple(_words(command))


def _words(command: str) -> Iterator[Word]:
    for word in _WORD.findall(command):
        pieces = _PIECE.findall(word)
        text = "".join(single or double or bare for single, double, bare in pieces)
        exact = word == "[" or not any(set("*?[") & set(bare) for _, _, bare in pieces)
        yield Word(text, exact)

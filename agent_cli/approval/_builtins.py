"""What shells do themselves."""

import re
from collections.abc import Sequence

from agent_cli.approval._words import vocabulary
from agent_cli.approval.options import Word

HARMLESS = vocabulary(": [ cd echo exit false kill printf pwd sleep test true type wait")
"""Builtins that a rule may allow."""

BUILTINS = HARMLESS | vocabulary(
    """
    . alias autoload bg bind bindkey break builtin bye caller case chdir command compadd compgen
    complete compopt continue coproc declare dirs disable disown do echotc echoti emulate enable
    eval exec export fc fg float foreach function functions getln getopts hash help history if
    integer jobs let limit local log logout mapfile nocorrect noglob popd print private pushd
    pushln r read readarray readonly rehash repeat return sched select set setopt shift shopt
    source suspend time times trap ttyctl typeset ulimit umask unalias unfunction unhash unlimit
    unset unsetopt until vared whence where which while zcompile zformat zle zmodload zparseopts
    zregexparse zsocket zstyle ztcp zftp zprof zpty zselect zsystem syserror sysopen sysread
    syswrite stat strftime zstat zf_rm zf_mv zf_ln zf_mkdir zf_chmod zf_chown zf_chgrp zf_rmdir
    zf_sync -
    """
)
_EXTERNAL = frozenset({"stat", "which", "log", "r", "time", "command", "eval", "exec", "builtin"})
"""Names that programs or wrappers have, too."""
FORBIDDEN = BUILTINS - HARMLESS - _EXTERNAL

_COMPARES = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_NUMBER = re.compile(r"-?\d{1,18}")


def risk(words: Sequence[Word]) -> str | None:
    """Say why the builtin cannot be vouched for; None if it can, or is none."""
    name = words[0].text
    if name in FORBIDDEN:
        return f"the builtin {name!r} changes the shell"
    if name in {"[", "test"}:
        return _test(words)
    if name == "printf" and len(words) > 1:
        return _printf(words[1])
    if name == "cd":
        return None if destination(words) is not None else "where it goes is not certain"
    if name in {"exit", "wait"} and any(not _NUMBER.fullmatch(word.text) for word in words[1:]):
        return f"what {name!r} evaluates is not certain"
    return None


def destination(words: Sequence[Word]) -> str | None:
    """Return the directory that `cd` goes to; None if that is not certain."""
    rest = words[2:] if len(words) > 1 and words[1].text == "--" else words[1:]
    if len(rest) != 1 or not rest[0].exact:
        return None
    path = rest[0].text
    return None if not path or path.startswith(("-", "+")) else path


def _test(words: Sequence[Word]) -> str | None:
    for at, word in enumerate(words):
        if word.text in {"-v", "-R"}:
            return "it evaluates a subscript"
        if not word.exact and word.text[:1] in "*?[-":
            return "a pattern that could become an operator"
        if word.text in _COMPARES:
            sides = (words[at - 1], *words[at + 1 : at + 2])
            if not all(_NUMBER.fullmatch(side.text) for side in sides):
                return "it evaluates arithmetic"
    return None


def _printf(first: Word) -> str | None:
    if first.text.startswith("-v") or (not first.exact and first.text[:1] in "*?[-"):
        return "it sets a variable"
    return None

"""Whether a command's arguments make its program do more than its name says.

A rule `rg` lets the model search; it must not let it run `rg --pre ./evil`. What the options of
each program do is data, see `programs/`; a program without a row does what its rule allowed.
"""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

from agent_cli.approval import _awk, _sed, programs
from agent_cli.approval._arguments import Glob, Operand, Option, Word, canonical, known, read
from agent_cli.approval.programs import Program

__all__ = ["Word", "hazard"]

_READERS = {"awk": _awk.hazard, "sed": _sed.hazard}


def hazard(words: Sequence[Word], named: int = 1) -> str | None:
    """Return why the command would run another program, write, or take foreign configuration.

    None if it does nothing of the kind. The first `named` words stand in the rule that allows
    the command: what they ask for is what its author wanted.
    """
    if not words:
        return None
    if not words[0].exact:
        return "the name of the program is a pattern"
    name = words[0].text.rsplit("/", 1)[-1]
    program = programs.find(name)
    if program is None:
        return None
    if program.subcommands:
        return _by_subcommand(_Command(name, program, words, named))
    return _Command(name, program, words, named).hazard()


class _Command:
    """A command and the row of its program."""

    def __init__(self, name: str, program: Program, words: Sequence[Word], named: int) -> None:
        self.name = name
        self.program = program
        self.words = words
        self.named = named
        self.row = known(program)
        found = tuple(read(self.row, words))
        self.options = [one for one in found if isinstance(one, Option)]
        self.operands = [one for one in found if isinstance(one, Operand)]
        self.globs = [one for one in found if isinstance(one, Glob)]

    def hazard(self) -> str | None:
        if self.program.always:
            return f"{self.name} {self.program.always}"
        inner = self._inner()
        if inner is not None:
            own = _Command(self.name, self.program, self.words[:inner], self.named)
            return own.outer() or self._of_inner(inner)
        return self.outer() or self._of_module()

    def outer(self) -> str | None:
        """Judge the program's own arguments, not those of a program that it is to run."""
        return (
            self._of_options()
            or self._of_globs()
            or self._of_operands()
            or self._of_number()
            or self._of_script()
        )

    def _of_options(self) -> str | None:
        for option in self.options:
            if option.at >= self.named and (what := self._danger(option)) is not None:
                return f"{option.name} makes {self.name} {what}"
        return None

    def _danger(self, option: Option) -> str | None:
        if option.name.endswith("*"):
            return "run another program or write files"
        what = self.row.dangers.get(option.name)
        if what is None:
            return None
        for name, harmless in self.program.exempt.items():
            if canonical(self.program, name) == option.name:
                value = option.value or Word("")
                return None if value.exact and re.fullmatch(harmless, value.text) else what
        return what

    def _of_globs(self) -> str | None:
        dangers = self.row.dangers
        for glob in self.globs:
            if glob.at < self.named:
                continue
            if self.program.exact:
                could = any(fnmatchcase(name, glob.text) for name in dangers)
            else:
                could = bool(dangers)
            if could:
                return f"{glob.text!r} could become an option of {self.name}"
        return None

    def _of_operands(self) -> str | None:
        for operand in self.operands:
            for pattern, what in self.program.operands.items():
                if operand.at >= self.named and re.match(pattern, operand.word.text):
                    return f"{self.name} {what}: {operand.word.text!r}"
        return None

    def _of_number(self) -> str | None:
        """Judge what depends on how many operands there are, and which is the first."""
        first = self.operands[0] if self.operands else None
        verb = first.word.text if first is not None else ""
        if self.program.verbs and first is not None and first.at >= self.named:
            harmless = first.word.exact and verb in self.program.verbs.split()
            return None if harmless else f"{self.name} {verb} changes something"
        if self.program.most is None or verb in self.program.reading.split():
            return None
        if {one.name for one in self.options} & set(self.program.reading.split()):
            return None
        more = [one for one in self.operands if not one.word.exact]
        more += self.operands[self.program.most :]
        if any(one.at >= self.named for one in more):
            return f"{self.name} writes what its operands name"
        return None

    def _of_script(self) -> str | None:
        if not self.program.script:
            return None
        sources = self.program.sources.split()
        scripts = [one.value for one in self.options if one.name in sources]
        scripts = scripts or [one.word for one in self.operands[:1]]
        if not all(one is not None and one.exact for one in scripts):
            return f"the script of {self.name} is a pattern"
        text = "\n".join(one.text for one in scripts if one is not None)
        return _READERS[self.program.script](text)

    def _inner(self) -> int | None:
        """Return where the name of a program stands that this one is to run."""
        runner = self.program.runner
        if runner is None or not self.operands:
            return None
        if not runner:
            return self.operands[0].at
        if self.operands[0].word.text in runner.split() and len(self.operands) > 1:
            return self.operands[1].at
        return None

    def _of_inner(self, at: int) -> str | None:
        return hazard(self.words[at:], self.named - at)

    def _of_module(self) -> str | None:
        if not self.program.module or not self.options:
            return None
        last = self.options[-1]
        if last.name != self.program.module or last.value is None:
            return None
        at = last.at if last.attached else last.at + 1
        if programs.find(last.value.text) is None and at >= self.named:
            return f"{self.name} runs a module that its rule does not name"
        return hazard((last.value, *self.words[at + 1 :]), self.named - at)


def _by_subcommand(command: _Command) -> str | None:
    if not command.operands:
        return command.hazard()
    at, verb = command.operands[0].at, command.operands[0].word
    own = programs.subcommand(command.name, verb.text) if verb.exact else None
    if not command.program.closed:
        return (
            command.hazard()
            if own is None
            else _Command(
                f"{command.name} {verb.text}", own, _without(command.words, at), command.named - 1
            ).hazard()
        )
    before = _Command(command.name, command.program, command.words[:at], command.named)
    if own is None:
        unnamed = at >= command.named
        return before.hazard() or (
            f"{command.name} {verb.text} could be an alias for anything" if unnamed else None
        )
    name = f"{command.name} {verb.text}"
    return before.hazard() or _Command(name, own, command.words[at:], command.named - at).hazard()


def _without(words: Sequence[Word], at: int) -> Sequence[Word]:
    return (*words[:at], *words[at + 1 :])

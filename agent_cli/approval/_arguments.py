"""A command's words, told apart as options and operands, as its program would do it.

In doubt a word is an option: who asks for options wants to miss none. So an unknown option takes
no value, and what a known one takes as its value is looked at as well.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from agent_cli.approval.programs import Program

_LONGEST_BUNDLE = 4


class Word(Struct, frozen=True):
    text: str
    """After quote removal."""
    exact: bool = True
    """False: an unquoted glob is in it, so it may become any file name that matches."""


class Option(Struct, frozen=True):
    at: int
    name: str
    """As the tables write it, when it is one of theirs: `--pre-g` is `--pre-glob`."""
    value: Word | None = None
    attached: bool = False


class Operand(Struct, frozen=True):
    at: int
    word: Word


class Glob(Struct, frozen=True):
    """A word that may become an option, or a row of them."""

    at: int
    text: str


class Known(Struct, frozen=True):
    """A row with its options as sets."""

    program: Program
    dangers: dict[str, str]
    """What each dangerous option makes the program do."""
    prefixes: tuple[str, ...]
    taking: frozenset[str]
    """Options with a value, which may be the next word."""
    harmless: frozenset[str]

    def resolve(self, name: str) -> str:
        """Return the option that a long name means, which may be cut short."""
        if name in self.dangers or name in self.harmless or name in self.taking:
            return name
        meant = (one for one in (*self.dangers, *self.taking) if one.startswith(name))
        return next(meant, name)


def known(program: Program) -> Known:
    """Return what the row says of its options."""

    def split(names: str) -> set[str]:
        return {canonical(program, name) for name in names.split()}

    dangers = dict.fromkeys(split(program.loads), "take configuration or lists from elsewhere")
    dangers |= dict.fromkeys(split(program.writes), "write files or change the system")
    dangers |= dict.fromkeys(split(program.runs), "run another program")
    values, attached = split(program.values), split(program.attached)
    taking = {*split(" ".join(program.exempt)), *split(program.sources), *split(program.module)}
    return Known(
        program,
        dangers={name: what for name, what in dangers.items() if not name.endswith("*")},
        prefixes=tuple(name[:-1] for name in dangers if name.endswith("*")),
        taking=frozenset(values | (taking - attached)),
        harmless=frozenset(values | attached | split(program.harmless)),
    )


def canonical(program: Program, name: str) -> str:
    """Return the option with the dashes and the case in which it is compared."""
    folded = name.lower() if program.folds else name
    if not program.dashes or name.endswith("*"):
        return folded
    bare = folded.lstrip("-")
    return f"-{bare}" if len(bare) == 1 else f"--{bare}"


def read(row: Known, words: Sequence[Word]) -> Iterator[Option | Operand | Glob]:
    """Yield what follows the command's own name, which is the first word."""
    program = row.program
    ended, taken = False, -1
    for at, word in enumerate(words[1:], 1):
        if not ended and _may_be_option(word):
            yield Glob(at, word.text)
        if ended or not _is_option(program, at, word):
            if at != taken:
                yield Operand(at, word)
                ended = ended or not (program.permutes or program.exact)
        elif at == taken:
            yield from _taken(row, at, word)
        elif _ends(program, word, words[at - 1]):
            ended = True
        else:
            found = tuple(_options(row, at, word))
            taken = at + 1 if _wants_value(row, found) else -1
            yield from found[:-1]
            yield _with_value(found[-1], words, taken)
            if found[-1].name == program.module:
                return


def _may_be_option(word: Word) -> bool:
    """Whether the shell may put an option here: behind a literal beginning it cannot."""
    if word.exact:
        return False
    return word.text[:1] in "*?[" or (word.text.startswith("-") and "=" not in word.text)


def _is_option(program: Program, at: int, word: Word) -> bool:
    if at == 1 and program.letters:
        return word.text not in {"", "-"}
    return len(word.text) > 1 and word.text.startswith("-")


def _taken(row: Known, at: int, word: Word) -> Iterator[Option]:
    """Look at a value as if it were an option: the table may be older than the program."""
    if word.text != "--" and not any(sign.isspace() for sign in word.text):
        yield from _options(row, at, word)


def _ends(program: Program, word: Word, before: Word) -> bool:
    """Whether the word is the `--` behind which all are operands.

    Where the options that take a value are not known, it may be such a value.
    """
    if word.text != "--" or program.exact:
        return False
    return bool(program.values) or not before.text.startswith("-")


def _wants_value(row: Known, found: Sequence[Option]) -> bool:
    return found[-1].value is None and found[-1].name in row.taking


def _with_value(option: Option, words: Sequence[Word], taken: int) -> Option:
    if not 0 < taken < len(words):
        return option
    return Option(option.at, option.name, words[taken])


def _options(row: Known, at: int, word: Word) -> Iterator[Option]:
    """Yield the options in a word, one at least; only the last may want a value."""
    program = row.program
    if program.exact:
        yield Option(at, word.text)
        return
    text = word.text.lower() if program.folds else word.text
    prefix = next((one for one in row.prefixes if text.startswith(one)), None)
    if prefix is not None:
        yield Option(at, f"{prefix}*")
    name, equals, _ = text.partition("=")
    name = canonical(program, name)
    whole = name in row.dangers or name in row.harmless
    if name.startswith("--") or whole:
        value = Word(word.text.partition("=")[2], word.exact) if equals else None
        yield from _bundled(at, word) if _bundles(program, text) and not whole else ()
        yield Option(at, row.resolve(name), value, attached=True)
    else:
        yield from _bundle(row, at, word)


def _bundles(program: Program, text: str) -> bool:
    """Whether a word that reads as one long option could also be several short ones."""
    return (
        program.dashes and text[1:2] != "-" and len(text) <= _LONGEST_BUNDLE and text[1:].isalpha()
    )


def _bundled(at: int, word: Word) -> Iterator[Option]:
    return (Option(at, f"-{letter}", Word("")) for letter in word.text[1:])


def _bundle(row: Known, at: int, word: Word) -> Iterator[Option]:
    """Take short options apart, as far as the first that takes the rest as its value."""
    old = not word.text.startswith("-")
    letters = word.text if old else word.text[1:]
    seen: set[str] = set()
    for place, letter in enumerate(letters, 1):
        if letter in seen:
            continue
        seen.add(letter)
        name, rest = f"-{letter}", letters[place:]
        takes = not old and (name in row.taking or name in row.harmless)
        if takes and rest:
            yield Option(at, name, Word(rest, word.exact), attached=True)
            return
        yield Option(at, name, Word("") if old else None)

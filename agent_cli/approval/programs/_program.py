"""What is known of one program: a row of the tables."""

from collections.abc import Mapping

from msgspec import Struct, structs


class Program(Struct, frozen=True):
    """Options are written as typed, blanks between: `-o --output -Wl,*`.

    Long ones match abbreviated; a star at the end matches whatever follows.
    """

    runs: str = ""
    """Options through which it runs another program or code that its rule does not name."""
    writes: str = ""
    """Options through which it writes or deletes files, or changes the system."""
    loads: str = ""
    """Options through which it takes configuration, or a list of files, from elsewhere."""
    values: str = ""
    """Harmless options whose value is the next word, unless it is attached."""
    attached: str = ""
    """Options whose value, if any, is always attached."""
    harmless: str = ""
    """Long options that would pass for an abbreviation of a dangerous one."""
    exempt: Mapping[str, str] = {}
    """Pattern of the values with which a dangerous option is harmless after all."""
    operands: Mapping[str, str] = {}
    """Pattern of an operand's beginning, and what such an operand does."""
    most: int | None = None
    """How many operands it takes before one of them is written."""
    reading: str = ""
    """Options, or first operands, with which it only lists, whatever else is there."""
    verbs: str = ""
    """If there are any: the only first operands that are harmless."""
    script: str = ""
    """The language of its first operand, for those that have a reader: `sed`, `awk`."""
    sources: str = ""
    """Options whose value is such a script, in place of the operand."""
    runner: str | None = None
    """First operands after which another program is named; the empty text: always."""
    module: str = ""
    """The option whose value names a module that is a program of the tables."""
    subcommands: bool = False
    """Has rows of its own for first operands."""
    closed: bool = False
    """A first operand without a row could be anything, an alias say."""
    permutes: bool = True
    """Takes options after operands too."""
    dashes: bool = False
    """One dash is as good as two before a long option."""
    folds: bool = False
    """Takes options in any case."""
    exact: bool = False
    """Options are whole words among the operands, never bundled or cut; `--` ends nothing."""
    letters: bool = False
    """Its first word is a bundle of short options even without a dash."""
    always: str = ""
    """What it does whatever its arguments are."""


def joined(general: Program, own: Program) -> Program:
    """Return a subcommand's row with what holds for all subcommands of the program."""
    options = {
        name: f"{getattr(general, name)} {getattr(own, name)}"
        for name in ("runs", "writes", "loads", "values", "attached", "harmless")
    }
    return structs.replace(
        own,
        **options,
        exempt={**general.exempt, **own.exempt},
        operands={**general.operands, **own.operands},
        permutes=general.permutes,
        dashes=general.dashes,
        folds=general.folds,
    )

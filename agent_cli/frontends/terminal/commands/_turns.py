"""The number of a turn, as it is typed behind a command."""


def turn_in(argument: str) -> int | None:
    """Return the number, 0 for none given, None for what is no number."""
    if not argument:
        return 0
    return int(argument) if argument.isascii() and argument.isdecimal() and int(argument) else None

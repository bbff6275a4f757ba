"""Front matter: fields between two lines of `---` at the top of a Markdown file.

A field is `name: value`; lines that are indented belong to the field above them. That much of
YAML is read and nothing more: quotes around a value are taken off, and `>` and `|` begin a value
of several lines.
"""

import re

_BLOCK = re.compile(r"[|>][+-]?")


def parted(text: str) -> tuple[dict[str, str] | None, str]:
    """Return the fields and the text below them; None where there is no front matter.

    Raises ValueError for a line that is no field and for a field that is given twice.
    """
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n")
    opening, _, rest = plain.partition("\n")
    front, closing, body = f"\n{rest}\n".partition("\n---\n")
    if opening.strip() != "---" or not closing:
        return None, plain.strip()
    return {name: _value(lines) for name, lines in _fields(front).items()}, body.strip()


def _fields(front: str) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}
    current: list[str] = []
    for line in front.split("\n"):
        if line[:1] in (" ", "\t"):
            current.append(line.strip())
        elif line.strip() and not line.startswith("#"):
            name, colon, value = line.partition(":")
            if not colon:
                raise ValueError(f"{line!r} is not of the form `field: value`")
            if name.strip() in fields:
                raise ValueError(f"{name.strip()!r} is given twice")
            current = [value.strip()]
            fields[name.strip()] = current
    return fields


def _value(lines: list[str]) -> str:
    first, *more = lines
    if _BLOCK.fullmatch(first):
        return ("\n" if first.startswith("|") else " ").join(more).strip()
    text = " ".join(line for line in lines if line)
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if len(text) > 1 and text[0] == text[-1] == '"':
        return re.sub(r'\\(["\\])', r"\1", text[1:-1])
    return text

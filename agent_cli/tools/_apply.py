"""Blocks of a diff, applied to the lines of a file: all of them or none.

Start lines are those of the file as the model has read it: every line remembers where it stood,
so that edits of other blocks never move them. Lines that search and replacement share keep the
file's own bytes; new ones get the line end of the first matched line.
"""

import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import chain

from msgspec import Struct

from agent_cli.tools._match import Match, find, normalised, readings
from agent_cli.tools._patch import Block
from agent_cli.tools._text import numbered
from agent_cli.types.errors import ToolError
from agent_cli.workspace.editor import printable, texts_and_ends

_COMPARED = 1_000_000
"""Pairs of lines; beyond, lines are not compared to find similar ones."""
_SHOWN = 20
"""Lines of the file in an error."""


class Applied(Struct, frozen=True):
    body: str
    added: str
    """The new lines' text."""
    reports: tuple[str, ...]
    """Where each block was applied, in the order of the diff."""


class _Kept(Struct, frozen=True):
    text: str
    end: str
    origin: int
    """Index in the file as it was; new lines have that of the line that they follow."""


class _Lines:
    """What `_Kept` says of each line, in columns: a file may have many."""

    def __init__(self, body: str) -> None:
        self.texts, self.ends = texts_and_ends(body)
        self.origins = list(range(len(self.texts)))

    def part(self, start: int, stop: int) -> list[_Kept]:
        here = slice(start, stop)
        return list(map(_Kept, self.texts[here], self.ends[here], self.origins[here]))

    def put(self, start: int, stop: int, new: list[_Kept]) -> None:
        self.texts[start:stop] = [kept.text for kept in new]
        self.ends[start:stop] = [kept.end for kept in new]
        self.origins[start:stop] = [kept.origin for kept in new]

    def body(self) -> str:
        return "".join(chain.from_iterable(zip(self.texts, self.ends, strict=True)))


def apply(body: str, blocks: tuple[Block, ...]) -> Applied:
    """Apply every block; ToolError, naming each block that failed, if one does not apply."""
    lines = _Lines(body)
    original = lines.texts.copy()
    added: list[str] = []
    reports: dict[int, str] = {}
    failures: dict[int, str] = {}
    order = sorted(enumerate(blocks, 1), key=lambda numbered: readings(numbered[1])[-1].start_line)
    for number, block in order:
        try:
            match = _find(lines, block, original)
        except ToolError as error:
            failures[number] = f"Block {number} (line {block.diff_line} of the diff): {error}"
            continue
        reports[number] = _report(number, match, lines)
        added.extend(_replace(lines, match))
    if failures:
        parts = "\n\n".join(text for _, text in sorted(failures.items()))
        raise ToolError(
            f"nothing was written: {len(failures)} of {len(blocks)} blocks cannot be applied.\n\n"
            f"{parts}\n\nRead the file again where it differs from what you expect."
        )
    in_order = tuple(text for _, text in sorted(reports.items()))
    return Applied(lines.body(), "".join(added), in_order)


def _find(lines: _Lines, block: Block, original: list[str]) -> Match:
    if not block.search:
        raise ToolError(
            "the search text is empty: name the lines to replace, or use insert_content"
        )
    if any(reading.search == reading.replace for reading in readings(block)[:1]):
        raise ToolError("search and replacement are identical: nothing would change")

    def expected(start_line: int) -> int:
        place = bisect_left(lines.origins, start_line - 1)
        beyond = max(0, start_line - 1 - len(original))
        return place + beyond if place == len(lines.origins) else place

    match = find(lines.texts, block, expected)
    if match is None:
        raise ToolError(_nowhere(block, original))
    if match.reading.search == match.reading.replace:
        raise ToolError("search and replacement are identical: nothing would change")
    return match


def _report(number: int, match: Match, lines: _Lines) -> str:
    first = lines.origins[match.place] + 1
    last = lines.origins[match.place + len(match.reading.search) - 1] + 1
    where = f"line {first}" if first == last else f"lines {first}-{last}"
    tolerance = f" (matched {match.tolerance})" if match.tolerance else ""
    return f"block {number}: {where}{tolerance}"


def _replace(lines: _Lines, match: Match) -> list[str]:
    """Put the replacement in the place of the matched lines; return the new lines' text."""
    stop = match.place + len(match.reading.search)
    matched = lines.part(match.place, stop)
    ends = (
        lines.ends[place] for place in (*range(match.place, stop), match.place - 1) if place >= 0
    )
    end = next(filter(None, ends), "\n")
    texts = _indented(match, matched)
    new: list[_Kept] = []
    added: list[str] = []
    origin = matched[0].origin
    for kept, text in _paired(match, matched, texts):
        if kept is None:
            added.append(text)
            new.append(_Kept(text, end, origin))
        else:
            origin = kept.origin
            new.append(kept)
    lines.put(match.place, stop, _ended(new, end, ends=bool(matched[-1].end)))
    return added


def _ended(new: list[_Kept], end: str, *, ends: bool) -> list[_Kept]:
    """Give every line an end, the last one only if the matched lines ended with one."""
    last = len(new) - 1
    return [
        _Kept(kept.text, (kept.end or end) if place < last or ends else "", kept.origin)
        for place, kept in enumerate(new)
    ]


def _paired(
    match: Match, matched: list[_Kept], texts: list[str]
) -> Iterator[tuple[_Kept | None, str]]:
    """Yield each replacement line with the matched line that it leaves as it is, if any."""
    search, replace = match.reading.search, match.reading.replace
    if len(search) * len(replace) > _COMPARED:
        yield from ((None, text) for text in texts)
        return
    matcher = difflib.SequenceMatcher(None, search, replace, autojunk=False)
    for tag, i1, _, j1, j2 in matcher.get_opcodes():
        for offset in range(j2 - j1):
            kept = matched[i1 + offset] if tag == "equal" else None
            yield kept, texts[j1 + offset]


def _indented(match: Match, matched: list[_Kept]) -> list[str]:
    """Return the replacement, moved to the file's indentation where the rule ignored it."""
    replace = list(match.reading.replace)
    if match.rule.keeps_indentation:
        return replace
    pairs = zip(match.reading.search, matched, strict=True)
    written, found = next(
        ((_indent(text), _indent(kept.text)) for text, kept in pairs if text.strip()),
        ("", ""),
    )
    return [_moved(text, written, found) if text.strip() else text for text in replace]


def _indent(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]


def _moved(text: str, written: str, found: str) -> str:
    """Shift a line's indentation by what lies between `written` and `found`."""
    own = _indent(text)
    more = len(own) - len(written)
    indent = found + own[len(own) - more :] if more >= 0 else found[: max(0, len(found) + more)]
    return indent + text[len(own) :]


def _nowhere(block: Block, lines: list[str]) -> str:
    """Say that nothing matches, and what comes closest."""
    at = f" at or near line {block.start_line}" if block.start_line else ""
    problem = f"no lines match the search text{at}, also without line numbers and blanks"
    closest = _closest(lines, list(map(normalised, block.search)))
    if closest is None:
        return f"{problem}; nothing similar was found."
    place, equal = closest
    shown = [
        printable(line)[:200] for line in lines[place : place + min(len(block.search), _SHOWN)]
    ]
    return (
        f"{problem}. Closest are the lines from {place + 1} on, of which {equal} of "
        f"{len(block.search)} agree:\n" + "\n".join(numbered(shown, place + 1))
    )


def _closest(lines: list[str], search: list[str]) -> tuple[int, int] | None:
    """Return the place where most lines agree, blank ones not counted, and how many do."""
    offsets: dict[str, list[int]] = {}
    for offset, text in enumerate(search):
        if text:
            offsets.setdefault(text, []).append(offset)
    if len(lines) * max(map(len, offsets.values()), default=0) > _COMPARED:
        return None
    agreeing = Counter(
        place - offset
        for place, line in enumerate(map(normalised, lines))
        for offset in offsets.get(line, ())
        if place >= offset
    )
    return max(agreeing.items(), key=lambda found: (found[1], -found[0]), default=None)

"""How the input line is shown: folds by their labels, and what cannot be seen made visible."""

import re
from bisect import bisect_right

from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.formatted_text.utils import fragment_list_to_text
from prompt_toolkit.layout.processors import Processor, Transformation, TransformationInput
from prompt_toolkit.layout.utils import explode_text_fragments

from agent_cli.frontends.sanitiser import Sanitiser
from agent_cli.frontends.terminal.folds import Folds

_ORDINARY = re.compile("[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff]*")
_TAB = "    "
_MARK = "class:hidden"


class Shown(Processor):
    """Shows a line of the input; the cursor finds its way by the positions."""

    def __init__(self, folds: Folds) -> None:
        self._folds = folds

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        fragments = transformation_input.fragments
        if _ORDINARY.fullmatch(fragment_list_to_text(fragments)):
            return Transformation(fragments)
        shown: StyleAndTextTuples = []
        starts: list[int] = []
        column = 0
        sanitiser = Sanitiser()
        for style, character, *_ in explode_text_fragments(fragments):
            text = self._shown(character, sanitiser)
            shown.append((style if text == character else f"{style} {_MARK}", text))
            starts.append(column)
            column += len(text)
        end = (len(starts), column)

        def to_display(position: int) -> int:
            return starts[position] if position < end[0] else end[1] + position - end[0]

        def to_source(position: int) -> int:
            return max(bisect_right(starts, position) - 1, 0) if position < end[1] else end[0]

        return Transformation(shown, to_display, to_source)

    def _shown(self, character: str, sanitiser: Sanitiser) -> str:
        if character == "\t":
            return _TAB
        label = self._folds.label(character)
        if label is not None:
            return label
        return sanitiser.feed(character) + (sanitiser.flush() if character == "\r" else "")

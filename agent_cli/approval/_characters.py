"""Characters that make a command look like another one."""

import re
import unicodedata

_ASCII = re.compile(r"[ -~\t\n]*")
_OWN_SCRIPT = re.compile(r"[^\W\d_]+")
_INVISIBLE = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufffc")
_ALIKE = frozenset(
    "\u00b4\u01c0\u01c3\u02b9\u02ba\u02bb\u02bc\u02bd\u02c8\u02cb\u02d0\u02d7\u02dc\u0374\u05f3"
    "\u05f4\u06d4\u2010\u2011\u2012\u2013\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2032"
    "\u2033\u2035\u2036\u2039\u203a\u2044\u204e\u2212\u2215\u2216\u2217\u2223\u223c\u226a\u226b"
    "\u29f5\u29f8\u29f9\u3003\ua789\ua78c"
)
"""Signs that can be taken for one that means something to a shell."""
_FOREIGN = re.compile("CYRILLIC|GREEK|COPTIC|ARMENIAN|CHEROKEE|LISU")
"""Scripts with letters like ours; a word that mixes them with ours is a disguise."""
_TWINS = frozenset(
    "\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u04cf"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0405\u0406\u0408"
    "\u03bf\u03bd\u03b1\u03c1\u03b9\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f"
    "\u03a1\u03a4\u03a5\u03a7\u0578\u057d\u0585\u0561\u0570"
)


def strange(text: str) -> str | None:
    """Say which character of the text may deceive its reader; None if there is none."""
    if _ASCII.fullmatch(text):
        return None
    for char in sorted(set(text)):
        if (char < " " and char not in "\t\n") or (char > "~" and _deceives(char)):
            return f"the character U+{ord(char):04X} is invisible or looks like another"
    if unicodedata.normalize("NFC", text) != text:
        return "characters that look like others"
    for word in _OWN_SCRIPT.findall(text):
        if not word.isascii() and _in_disguise(word):
            return f"the word {word!r} has letters that look like others"
    return None


def _deceives(char: str) -> bool:
    category = unicodedata.category(char)
    if category[0] in "CZ" or char in _INVISIBLE or char in _ALIKE:
        return True
    if category in {"Mn", "Me"}:
        return not unicodedata.name(char, "").startswith(_MARKS_OF_A_SCRIPT)
    return unicodedata.normalize("NFKC", char).isascii()


_MARKS_OF_A_SCRIPT = (
    "ARABIC", "BENGALI", "DEVANAGARI", "GUJARATI", "GURMUKHI", "HEBREW", "KANNADA", "KHMER",
    "LAO", "MALAYALAM", "MYANMAR", "ORIYA", "SINHALA", "TAMIL", "TELUGU", "THAI", "TIBETAN",
)  # fmt: skip


def _in_disguise(word: str) -> bool:
    foreign = [char for char in word if _FOREIGN.match(unicodedata.name(char, ""))]
    if not foreign:
        return False
    return len(foreign) < len(word) or all(char in _TWINS for char in foreign)

"""Text that a person gave: as an argument, on standard input, at the prompt."""


def given(text: str) -> str:
    """Return it read as UTF-8, whatever the locale; what is none becomes U+FFFD.

    Python hands over bytes that it could not decode as lone surrogates, which no journal and no
    provider takes.
    """
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")

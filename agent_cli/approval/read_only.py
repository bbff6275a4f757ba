"""Commands that only read, as rules; what their options can do beyond that, `options.py` knows."""

from agent_cli.approval._words import vocabulary

PROGRAMS = tuple(
    sorted(
        vocabulary(
            """
            : [ basename cat cd cksum cmp column comm cut date df diff dirname du echo egrep expr
            false fgrep file find fold grep groups head id join jq ls md5sum nl od paste printf
            pwd readlink realpath rev rg sha1sum sha256sum sha512sum sort stat strings tac tail
            test tr tree true type uname uniq wc whoami
            """
        )
    )
)
_GIT = (
    "blame cat-file count-objects describe diff grep log ls-files ls-tree merge-base rev-list "
    "rev-parse shortlog show status"
)
RULES = (*PROGRAMS, *(f"git {name}" for name in _GIT.split()))
"""As the judge of commands takes them."""

"""Values of git's configuration that name programs, and what does their work without one.

The names are regular expressions in the form that git and Python share, matched as git prints
keys: section and last part in lower case.
"""

_COMPARE = 'f() { diff -u -L "a/$1" -L "b/$1" -- "$2" "$5"; true; }; f'
"""What an external comparison is called with: path, old file, hash, mode, new file, hash, mode."""

FIXED = {
    "diff.ignoreSubmodules": "dirty",
    "diff.submodule": "short",
    "fetch.recurseSubmodules": "false",
    "protocol.ext.allow": "never",
    "push.recurseSubmodules": "no",
    "safe.bareRepository": "explicit",
    "status.submoduleSummary": "false",
    "submodule.recurse": "false",
}
"""In force whatever anybody says: no bare repositories inside of others, no look into submodules,
where git would start over with their configuration."""

ALWAYS = ("core.fsmonitor", "core.hookspath")
"""Of those below, what is in force also where the repository says nothing: it has hooks anyway."""

UNBEATABLE = r"remote\..*\.(uploadpack|receivepack)|gc\.recentobjectshook"
"""Where the first value wins, or all of them do, so that ours cannot take its place."""

INERT = {
    r"core\.fsmonitor": "false",
    r"core\.hookspath": "/dev/null",
    r"core\.(worktree|gitproxy)": "",
    r"core\.(attributesfile|excludesfile)": "/dev/null",
    r"core\.pager": "cat",
    r"pager\..*": "false",
    r"(core|sequence)\.editor": ":",
    r"core\.sshcommand": "ssh",
    r"core\.askpass": "",
    r"core\.alternaterefscommand": "true",
    r"diff\.external": _COMPARE,
    r"diff\..*\.command": _COMPARE,
    r"diff\..*\.textconv": "cat",
    r"diff\..*\.cachetextconv": "false",
    r"interactive\.difffilter": "cat",
    r"filter\..*\.(clean|smudge|process)": "",
    r"filter\..*\.required": "false",
    r"merge\..*\.driver": "git merge-file -q %A %O %B",
    r"gpg\.ssh\.program": "ssh-keygen",
    r"gpg\.ssh\.defaultkeycommand": "",
    r"gpg\.x509\.program": "gpgsm",
    r"gpg\.(.*\.)?program": "gpg",
    r"credential\.(.*\.)?helper": "",
    r"tar\..*\.command": "gzip -cn",
    r"trailer\..*\.(command|cmd)": "true",
    r"hook\..*\.command": "true",
    r"(difftool|mergetool|guitool|man|browser)\..*\.(cmd|path)": "false",
    r"submodule\..*\.update": "checkout",
    r"submodule\..*\.ignore": "dirty",
    r"alias\..*": "version",
    r"lfs\.(.*\.)?standalonetransferagent": "",
    r"lfs\.extension\..*\.(clean|smudge)": "cat",
    r"lfs\.customtransfer\..*\.path": "false",
}
"""What takes the place of the repository's value where the user has none."""

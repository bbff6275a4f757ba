"""git: what stands before the subcommand, what every subcommand takes, and their own options.

A subcommand without a row is an alias or a program called git-something: nobody knows which.
"""

from agent_cli.approval.programs._program import Program

GENERAL = Program(
    runs="""
        -c --config-env --exec-path -p --paginate --help
    """,
    loads="--git-dir --work-tree --namespace --bare --super-prefix --attr-source",
    values="-C",
    subcommands=True,
    closed=True,
    permutes=False,
)

EVERY = Program(
    runs="""
        --ext-diff --textconv --help --show-signature --recurse-submodules --ignore-submodules
        --submodule --format --pretty
    """,
    writes="--output",
    attached="--ignore-submodules --submodule --format --pretty --recurse-submodules",
    harmless="--text",
    exempt={
        "--ignore-submodules": "|all|dirty",
        "--submodule": "short",
        "--format": r"(?s:(?!.*%G).*)",
        "--pretty": r"(?s:(?!.*%G).*)",
        "--recurse-submodules": "no",
    },
)

_OTHER_PROTOCOL = {r"[A-Za-z0-9]+::": "names a program as transport"}
_LOG = Program(
    values="""
        -n --max-count --skip --since --until --after --before --author --committer --grep -S -G -L
        -U --unified -O --diff-filter --date --inter-hunk-context -l --word-diff-regex
        --min-parents --max-parents --glob --branches --tags --remotes --exclude
    """
)
_PULL = Program(
    runs="--upload-pack --upload-archive -i --interactive --exec -x --edit -e",
    loads="--server-option --negotiation-tip --refmap",
    values="--depth -j --jobs --shallow-since --shallow-exclude -X --strategy-option",
    operands=_OTHER_PROTOCOL,
)
_MERGE = Program(
    runs="-s --strategy -e --edit",
    values="-m --message -X --strategy-option -F --file --into-name --cleanup",
    exempt=dict.fromkeys(("-s", "--strategy"), "ours|recursive|resolve|octopus|subtree|ort"),
)
_REFLOG = Program(
    writes="--expire --expire-unreachable --rewrite --updateref",
    values=_LOG.values,
    operands={r"(delete|drop|expire|write)\Z": "changes the log of references"},
)
_LISTING = "--list -l --contains --no-contains --merged --no-merged --points-at"
_ELSEWHERE = Program(always="runs programs of the configuration")

_PLAIN = """
    add annotate apply archive blame bundle cat-file check-attr check-ignore check-mailmap
    check-ref-format cherry clean column commit commit-graph commit-tree count-objects
    describe diff-files diff-index diff-tree fast-export fmt-merge-msg for-each-ref fsck gc
    get-tar-commit-id ls-files ls-tree merge-base merge-file merge-tree mktag mktree mv
    name-rev pack-objects pack-redundant pack-refs patch-id prune prune-packed range-diff read-tree
    repack reset restore rev-list rev-parse rm shortlog show-branch show-index show-ref
    sparse-checkout status stripspace unpack-file unpack-objects update-index update-ref
    update-server-info var verify-pack version write-tree index-pack multi-pack-index
    checkout-index diff-pairs last-modified verify-commit verify-tag
"""

_OWN = {
    "diff log show whatchanged": _LOG,
    "reflog": _REFLOG,
    "bundle": Program(verbs="verify list-heads unbundle"),
    "fast-export": Program(
        writes="--export-marks", loads="--import-marks --import-marks-if-exists"
    ),
    "read-tree": Program(writes="--index-output"),
    "fsck": Program(writes="--lost-found"),
    "grep": Program(
        runs="-O --open-files-in-pager",
        values="-e -f -A -B -C -m --max-count --max-depth --threads",
    ),
    "cat-file": Program(runs="--filters", harmless="--filter"),
    "apply": Program(writes="--unsafe-paths"),
    "add": Program(runs="-e --edit -i --interactive -p --patch", values="--chmod"),
    "am": Program(runs="-i --interactive --resolvemsg"),
    "archive": Program(
        runs="--exec",
        writes="-o --output",
        loads="--remote",
        values="--prefix --add-file",
        exempt={"--format": "tar|zip"},
    ),
    "branch": Program(
        runs="--edit-description",
        writes="""
            -d -D --delete -m -M --move -c -C --copy -f --force -u --set-upstream-to
            --unset-upstream -t --track --create-reflog
        """,
        values="--format --sort --contains --no-contains --merged --no-merged --points-at",
        attached="--column --color --abbrev",
        harmless="--color --column --contains --format",
        reading=_LISTING,
        most=0,
    ),
    "tag": Program(
        runs="-e --edit -s --sign -u --local-user -v --verify",
        writes="-a --annotate -d --delete -f --force -F --file -m --message --create-reflog",
        values="--format --sort --contains --no-contains --merged --no-merged --points-at",
        attached="-n --column --color",
        harmless="--format",
        reading=f"{_LISTING} -n",
        most=0,
    ),
    "remote": Program(verbs="show get-url"),
    "notes": Program(verbs="list show"),
    "worktree": Program(verbs="list"),
    "bisect": Program(verbs="start good bad old new terms skip next reset log"),
    "config": Program(
        runs="-e --edit",
        writes="""
            --add --unset --unset-all --replace-all --rename-section --remove-section
        """,
        loads="-f --file --blob",
        values="--type --default --get-color --url --value",
        harmless="--type",
        reading="--get --get-all --get-regexp --get-urlmatch --get-color --list -l get list",
        most=1,
        operands={"(edit|set|unset|rename-section|remove-section)$": "changes the configuration"},
    ),
    "symbolic-ref": Program(writes="-d --delete -m", most=1),
    "hash-object": Program(writes="-w", runs="--path"),
    "interpret-trailers": Program(writes="--in-place", runs="--trailer"),
    "replace": Program(
        runs="-e --edit", writes="-f --force -d --delete", most=0, reading="-l --list"
    ),
    "stash": _LOG,
    "format-patch": Program(
        writes="-o --output-directory", values="-n --start-number --subject-prefix --in-reply-to"
    ),
    "fetch": _PULL,
    "pull": Program(
        runs=f"{_PULL.runs} -s --strategy --rebase -r",
        loads=_PULL.loads,
        values=_PULL.values,
        attached="--rebase",
        exempt={**_MERGE.exempt, "--rebase": "|true|false", "-r": ""},
        operands=_OTHER_PROTOCOL,
    ),
    "ls-remote": Program(runs="--upload-pack --exec", values="--sort -o", operands=_OTHER_PROTOCOL),
    "clone": Program(
        runs="-u --upload-pack -c --config",
        loads="--template --separate-git-dir --reference --reference-if-able --bundle-uri",
        values="-b --branch -o --origin --depth -j --jobs --filter --shallow-since",
        harmless="--separate",
        operands=_OTHER_PROTOCOL,
    ),
    "init": Program(loads="--template --separate-git-dir", values="-b --initial-branch"),
    "push": Program(
        runs="--receive-pack --exec", values="-o --push-option --repo", operands=_OTHER_PROTOCOL
    ),
    "rebase": Program(
        runs="-x --exec -i --interactive --edit-todo -s --strategy",
        values="--onto -X --strategy-option -C --whitespace --empty",
        exempt=_MERGE.exempt,
    ),
    "merge": _MERGE,
    "cherry-pick revert": Program(
        runs="-s --strategy -e --edit",
        values="-m --mainline -X --strategy-option",
        exempt={"-s": "", "--strategy": _MERGE.exempt["--strategy"]},
    ),
    "checkout switch": Program(
        runs="-p --patch", values="-b -B -c -C --orphan --conflict", attached="--track"
    ),
    "rerere": Program(verbs="status diff remaining"),
    "update-index": Program(runs="--fsmonitor"),
    "restore": Program(runs="-p --patch", values="-s --source --conflict"),
    "reset": Program(runs="-p --patch"),
    "clean": Program(runs="-i --interactive", values="-e --exclude"),
    "commit": Program(
        runs="-e --edit -p --patch --interactive",
        values="-m --message -F --file -t --template -C -c --author --date --fixup --squash",
        attached="-S -u --gpg-sign --untracked-files",
    ),
    "submodule": Program(always="runs git inside of the submodules, as they are configured"),
    "difftool mergetool gui citool instaweb web--browse help": _ELSEWHERE,
    "filter-branch send-email imap-send p4 svn archimport cvsimport cvsserver": _ELSEWHERE,
    "credential credential-cache credential-store hook for-each-repo maintenance": _ELSEWHERE,
    "daemon shell upload-pack receive-pack http-backend fsmonitor--daemon": _ELSEWHERE,
    "remote-ext remote-fd http-fetch http-push fast-import request-pull scalar": _ELSEWHERE,
}

SUBCOMMANDS = {name: Program() for name in _PLAIN.split()} | {
    name: row for names, row in _OWN.items() for name in names.split()
}

"""Programs that search, cut, sort, compare and print text."""

from agent_cli.approval.programs._program import Program

_AWK = Program(
    runs="-D --debug -l --load",
    writes="-o --pretty-print -p --profile -d --dump-variables",
    loads="-f --file -i --include -E --exec -W",
    values="-F --field-separator -v --assign",
    script="awk",
    sources="-e --source",
    permutes=False,
)

PROGRAMS = {
    "rg ripgrep": Program(
        runs="--pre --pre-glob --hostname-bin -z --search-zip",
        values="""
            -e --regexp -f --file -g --glob --iglob -A --after-context -B --before-context -C
            --context -m --max-count -M --max-columns -E --encoding -j --threads -r --replace
            -t --type -T --type-not -d --max-depth --maxdepth --max-filesize --sort --sortr
            --type-add --type-clear --color --colors --context-separator --dfa-size-limit --engine
            --field-context-separator --field-match-separator --ignore-file --path-separator
            --regex-size-limit --generate --hyperlink-format
        """,
    ),
    "ag": Program(
        runs="--pager -z --search-zip",
        values="-A -B -C -G -g -m -p --depth --ignore --ignore-dir --max-count --path-to-ignore",
    ),
    "ack": Program(
        runs="--pager",
        loads="--ackrc",
        values="-A -B -C -g -m --after-context --before-context --context --match --type",
    ),
    "ugrep ug": Program(
        runs="--filter --pager --view -Q --query -z --decompress --filter-magic-label",
        writes="--save-config",
        loads="--config",
    ),
    "sed gsed": Program(
        writes="-i --in-place -I -l",
        loads="-f --file",
        values="--line-length",
        exempt={"-l": r"\d+"},  # to BSD it has no value, and `-li` is `-l -i`
        script="sed",
        sources="-e --expression",
    ),
    "awk gawk mawk nawk original-awk": _AWK,
    "sort gsort": Program(
        runs="--compress-program",
        writes="-o --output -T --temporary-directory",
        loads="--files0-from",
        values="""
            -k --key -t --field-separator -S --buffer-size --parallel --batch-size --sort
            --random-source
        """,
        attached="--check",
    ),
    "uniq guniq": Program(
        values="-f --skip-fields -s --skip-chars -w --check-chars",
        attached="--all-repeated --group",
        most=1,
    ),
    "shuf": Program(
        writes="-o --output",
        values="-n --head-count -i --input-range --random-source",
    ),
    "wc du": Program(loads="--files0-from", harmless="--files"),
    "split": Program(runs="--filter", values="-a -b -C -l -n -t"),
    "diff": Program(
        runs="-l --paginate",
        values="""
            -U --unified -C --context -I --ignore-matching-lines -F --show-function-line -L --label
            -x --exclude -X --exclude-from -S --starting-file -W --width -D --ifdef --from-file
            --to-file --horizon-lines --tabsize --color --palette
        """,
    ),
    "sdiff": Program(runs="--diff-program", writes="-o --output", values="-I -W --width -w"),
    "diff3": Program(runs="--diff-program", values="-L --label"),
    "colordiff wdiff": Program(runs="-l --paginate -a --auto-pager"),
    "xxd": Program(
        writes="-r -revert --revert",
        values="-c -cols -g -groupsize -l -len -n -name -o -s -seek -R",
        most=1,
        exact=True,
    ),
    "hexyl": Program(values="-n -c -s -b"),
    "base64 base32": Program(writes="-o --output", values="-w --wrap -b --break -i --input"),
    "jq gojq jaq": Program(
        loads="-L --library-path",
        values="--indent --arg --argjson --slurpfile --rawfile --argfile -f --from-file",
    ),
    "yq": Program(
        writes="-i --inplace --in-place -s --split-exp --split-exp-file",
        loads="-L --library-path --from-file",
        values="-o --output-format -p --input-format -I --indent --arg --argjson",
        operands={r"(?s:.*)\bload": "reads another file"},
    ),
    "xmllint": Program(
        writes="--output -o --shell",
        loads="--load-trace --path --dtdvalid --catalogs",
        values="--xpath --encode --schema",
        dashes=True,
    ),
    "iconv": Program(writes="-o --output", values="-f --from-code -t --to-code"),
    "tee": Program(values="--output-error"),
    "pr": Program(values="-h -l -w -W -o -s -S -N -D"),
    "bat batcat": Program(
        runs="--pager --paging",
        loads="--config-file --config-dir",
        values="-l --language -r --line-range -H --highlight-line --theme --style --tabs --wrap",
        exempt={"--paging": "never"},
    ),
    "less more most": Program(
        runs="--lesskey-content",
        writes="-o -O --log-file --LOG-FILE",
        loads="-k --lesskey-file --lesskey-src -T --tag-file",
        values="-b -h -j -p -P -t -x -y -z -D --pattern --prompt --tag",
        operands={r"\+": "runs commands of the pager"},
    ),
    "fzf": Program(
        runs="--preview --bind --with-shell --listen --listen-unsafe",
        writes="--history",
        harmless="--preview-window --preview-label",
    ),
    "dc": Program(runs="-e --expression -f --file"),
    "pandoc": Program(
        runs="""
            -F --filter -L --lua-filter --pdf-engine --pdf-engine-opt
            -f --from -r --read -t --to -w --write
        """,
        writes="-o --output --extract-media --log",
        loads="-d --defaults --template --data-dir --metadata-file -H -B -A",
        exempt=dict.fromkeys(
            ("-f", "--from", "-r", "--read", "-t", "--to", "-w", "--write"), r"\w+([+-]\w+)*"
        ),
    ),
    "shellcheck": Program(loads="--rcfile", values="-e -i -s -S -f -C -W -P -o --exclude --shell"),
    "markdownlint markdownlint-cli2": Program(
        runs="-r --rules", writes="-f --fix -o --output", loads="-c --config -p --ignore-path"
    ),
    "actionlint": Program(
        runs="-shellcheck -pyflakes",
        writes="-init-config",
        loads="-config-file",
        exempt=dict.fromkeys(("-shellcheck", "-pyflakes"), ""),
        dashes=True,
    ),
    "codespell": Program(
        writes="-w --write-changes", loads="--config --toml", values="-I -x -L -S -D --skip"
    ),
    "typos": Program(writes="-w --write-changes", loads="-c --config"),
    "man": Program(
        runs="-P --pager -H --html -X --gxditview -p --preprocessor -r --prompt",
        loads="-C --config-file -M --manpath -l --local-file",
        values="-s --sections -S -L --locale -m --systems -e --extension -E --encoding -R --recode",
    ),
    "gpg gpg2": Program(
        runs="""
            --agent-program --dirmngr-program --exec-path --photo-viewer --pinentry-program
            --keyboxd-program
        """,
        writes="-o --output --log-file --attribute-file --status-file",
        loads="--homedir --options --keyring --secret-keyring --load-extension",
        dashes=True,
    ),
}

"""Programs that talk to other machines."""

from agent_cli.approval.programs._program import Program

_NOWHERE = r"-|/dev/(null|stdout|stderr)"

PROGRAMS = {
    "curl": Program(
        runs="--engine --krb",
        writes="""
            -o --output -O --remote-name --remote-name-all -J --remote-header-name --output-dir
            -D --dump-header -c --cookie-jar --trace --trace-ascii --libcurl --stderr --hsts
            --alt-svc --etag-save --ssl-sessions --create-dirs --ftp-create-dirs -Q --quote
            --xattr -w --write-out
        """,
        loads="""
            -K --config -T --upload-file -d --data --data-binary --data-urlencode --data-raw
            --data-ascii --json --url-query -F --form -H --header --proxy-header -b --cookie
            -n --netrc --netrc-file --netrc-optional -E --cert --key --cacert --capath
            --proxy-cacert --unix-socket --abstract-unix-socket -x --proxy --preproxy --socks5
            --socks4 --socks4a --socks5-hostname --connect-to --resolve --dns-servers --doh-url
            --variable --etag-compare --random-file --egd-file --url
        """,
        values="""
            -X --request -A --user-agent -e --referer -u --user -m --max-time --connect-timeout
            --retry --retry-delay --retry-max-time -r --range -C --continue-at -z --time-cond
            --max-redirs --limit-rate -y -Y --ciphers --interface --local-port --proto
        """,
        harmless="--data-raw --form-string",
        exempt={
            "-o": _NOWHERE,
            "--output": _NOWHERE,
            "-D": _NOWHERE,
            "--dump-header": _NOWHERE,
            "--stderr": _NOWHERE,
            "-w": r"(?!.*%output)[^@].*",
            "--write-out": r"(?!.*%output)[^@].*",
            "-d": r"[^@]*",
            "--data": r"[^@]*",
            "--data-binary": r"[^@].*",
            "--data-ascii": r"[^@].*",
            "--data-raw": r".*",
            "--data-urlencode": r"[^@]*",
            "--json": r"[^@].*",
            "-H": r"[^@].*",
            "--header": r"[^@].*",
            "-b": r".*=.*",
            "--cookie": r".*=.*",
            "-F": r"[^=]*=[^@<]*",
            "--form": r"[^=]*=[^@<]*",
            "--url-query": r"[^@]*",
            "--url": r"(?i)https?://.*",
        },
        operands={r"(?i)(?!https?:)[a-z][a-z0-9+.]*:(?!\d)": "uses another protocol than http"},
    ),
    "wget wget2": Program(
        runs="-e --execute --use-askpass",
        writes="""
            -O --output-document -o --output-file -a --append-output -P --directory-prefix
            --save-cookies --warc-file --rejected-log --hsts-file --delete-after -b --background
        """,
        loads="""
            --config -i --input-file --post-file --body-file --load-cookies --ca-certificate
            --certificate --private-key --input-metalink -B --base --no-hsts
        """,
        values="""
            -t --tries -T --timeout -w --wait -U --user-agent --header -l --level -A -R -D -I -X
            -Q --limit-rate --user --password --post-data --method --body-data --referer
        """,
        exempt=dict.fromkeys(("-O", "--output-document", "-o", "--output-file"), _NOWHERE),
    ),
    "http https httpie xh": Program(
        writes="-o --output -d --download --session --session-read-only",
        operands={r"[^=]*@": "sends a file", r"[^=]*=@": "sends a file"},
    ),
    "ssh autossh slogin": Program(
        runs="-o -I -J",
        writes="-E -L -R -D -W -w -M",
        loads="-F -S",
        values="-p -l -i -b -c -m -e -O -Q -B",
        exempt={
            "-o": r"(?i)\s*(BatchMode|ConnectTimeout|StrictHostKeyChecking|LogLevel|ServerAlive\w+)"
            r"[ =].*"
        },
        permutes=False,
    ),
    "scp sftp": Program(
        runs="-o -S -D -J -s", loads="-F -b", values="-P -i -l -c -R -B", permutes=False
    ),
    "rsync": Program(
        runs="-e --rsh --rsync-path -M --remote-option --daemon --early-input",
        writes="""
            --delete --delete-before --delete-during --delete-delay --delete-after
            --delete-excluded --del --remove-source-files --log-file --write-batch
            --only-write-batch -T --temp-dir --partial-dir --backup-dir
        """,
        loads="--files-from --read-batch --config --password-file --include-from -f --filter",
        values="--exclude --include --exclude-from --bwlimit --timeout --port --max-size",
        harmless="--partial --include --backup",
    ),
    "nc ncat netcat": Program(
        runs="-e --exec -c --sh-exec --lua-exec", writes="-o --output -x --hex-dump"
    ),
    "socat": Program(always="joins anything with anything, programs included"),
    "nmap": Program(
        runs="--script --script-args --script-args-file --script-updatedb",
        writes="-oN -oX -oS -oG -oA -o",
        loads="-iL --datadir --servicedb --versiondb --excludefile --resume -i -sC -A",
        dashes=True,
    ),
    "dig host": Program(loads="-f -k"),
    "openssl": Program(
        runs="-engine -provider -provider-path -loadprovider -config -load_config",
        writes="-out -keyout -writerand -sess_out -keylogfile -CAserial -outdir -signature_out",
        loads="-rand -sess_in -conf -extfile",
        dashes=True,
    ),
    "ping ping6 traceroute": Program(writes="-f --flood"),
    "tcpdump": Program(
        runs="-z --postrotate-command",
        writes="-w",
        loads="-F -V",
        values="-i -c -s -C -G -W -r -y -Z",
    ),
    "gh": Program(subcommands=True, runs="-w --web"),
    "gh/api": Program(
        writes="-X --method -f --raw-field -F --field --input",
        loads="--hostname",
        values="-H --header -q --jq -t --template --cache -p --preview",
        exempt={"-X": "(?i)get", "--method": "(?i)get"},
    ),
    "gh/alias": Program(verbs="list"),
    "gh/extension": Program(verbs="list search browse"),
    "gh/config": Program(verbs="get list"),
    "gh/secret": Program(verbs="list"),
    "gh/pr": Program(values="-R --repo -L --limit -s --state --json -q --jq -t -b -B -H -a -l"),
    "gh/issue": Program(values="-R --repo -L --limit -s --state --json -q --jq -t -b -a -l"),
}

"""Programs that find, list, pack and change files, and tell about the system."""

from agent_cli.approval.programs._program import Program

PROGRAMS = {
    "find gfind": Program(
        runs="-exec -execdir -ok -okdir",
        writes="-delete -fls -fprint -fprint0 -fprintf",
        loads="-files0-from",
        exact=True,
    ),
    "fd fdfind": Program(
        runs="-x --exec -X --exec-batch",
        values="""
            -d --max-depth --min-depth --exact-depth -e --extension -E --exclude -t --type -S --size
            -o --owner -c --color -j --threads --changed-within --changed-before --newer --older
            --max-results --search-path --base-directory --ignore-file --path-separator --and
            --format --batch-size
        """,
    ),
    "locate plocate mlocate": Program(loads="-d --database", values="-l -n --limit"),
    "tree": Program(
        writes="-o -R",
        values="-L -P -I -H -T --filelimit --charset --timefmt --sort --infofile --gitfile",
        attached="--sort --filesfirst",
    ),
    "file": Program(
        runs="-z --uncompress -Z --uncompress-noreport",
        writes="-C --compile",
        loads="-m --magic-file -M -S --no-sandbox",
        values="-e --exclude -f --files-from -F --separator -P --parameter",
    ),
    "tar gtar bsdtar": Program(
        runs="""
            -I --use-compress-program --to-command --checkpoint-action --rsh-command --rmt-command
            -F --info-script --new-volume-script -f --file
        """,
        writes="""
            -x --extract --get -c --create -r --append -u --update -A --catenate --concatenate
            --delete --remove-files --index-file -g --listed-incremental --volno-file
        """,
        loads="-T --files-from",
        values="""
            -C --directory -b --blocking-factor -X --exclude-from --exclude --strip-components
            --transform --xform --wildcards-match-slash --format -V --label -N --newer -K
            --starting-file -L --tape-length -H
        """,
        attached="--checkpoint --sort",
        harmless="--checkpoint",
        exempt=dict.fromkeys(("-f", "--file"), r"[^:]*|[^:/]*/.*"),
        operands={r"[^/]*:": "takes an archive from another machine through a program"},
        letters=True,
    ),
    "cpio": Program(
        runs="--rsh-command",
        writes="-i --extract -p --pass-through -o --create -O",
        loads="-E --pattern-file",
    ),
    "zip": Program(
        runs="-T --test -TT --unzip-command",
        writes="-m --move -O --output-file -lf --logfile-path",
        loads="-@ --names-stdin",
        values="-x -i -n -P -t -b",
    ),
    "unzip": Program(writes="-:", values="-d -x -P"),
    "7z 7za 7zr": Program(writes="-sdel", operands={"@": "takes a list of files"}),
    "gzip gunzip zcat bzip2 bunzip2 xz unxz zstd": Program(
        loads="--files --files0 --filelist -D --patch-from",
        values="-S --suffix -T --threads -b -B",
        harmless="--format",
    ),
    "cp": Program(values="-t --target-directory -S --suffix"),
    "install": Program(runs="--strip-program", values="-m -o -g -t -S --mode"),
    "rm rmdir mkdir touch ln mv": Program(),
    "dd": Program(),
    "date gdate": Program(
        writes="-s --set",
        loads="-f --file",
        values="-d --date -r --reference -v",
        attached="-I --iso-8601 --rfc-3339",
        operands={r"(?!\+)": "sets the clock"},
    ),
    "hostname": Program(writes="-F --file -b --boot", most=0),
    "domainname nisdomainname ypdomainname": Program(loads="-F --file", most=0),
    "dmesg": Program(
        writes="-C --clear -c --read-clear -D --console-off -E --console-on -n --console-level",
        loads="-F --file -K --kmsg-file",
        values="-f --facility -l --level -s --buffer-size --since --until --time-format",
        attached="--color",
    ),
    "journalctl": Program(
        writes="""
            --vacuum-size --vacuum-time --vacuum-files --rotate --flush --relinquish-var
            --smart-relinquish-var --sync --update-catalog --setup-keys --cursor-file
        """,
        loads="-D --directory --file --root --image -M --machine",
        values="-u --unit -n --lines -p --priority -o --output -S --since -U --until -g -t -b",
    ),
    "systemctl": Program(
        subcommands=True,
        runs="-H --host -M --machine",
        loads="--root --image",
        values="-t --type -p --property -n --lines -o --output -s --signal --state",
    ),
    "systemctl/edit": Program(always="runs an editor"),
    "sysctl": Program(
        writes="-w --write", loads="-p --load --system", operands={"[^=]*=": "sets a value"}
    ),
    "lsof": Program(writes="-D", values="-u -p -c -d -g -s"),
    "ss": Program(writes="-K --kill -D --diag", loads="-F --filter", values="-f -A -N"),
    "ip": Program(subcommands=True, runs="-b -batch -n -netns", dashes=True),
    "ip/netns": Program(always="can run a program"),
    "ps id whoami uname df free od strings nl cut tr head tail": Program(),
    "top htop": Program(values="-n -d -p -u -U -o -w"),
    "watch": Program(always="runs a program again and again"),
    "ed red": Program(operands={"!": "runs a program"}, values="-p --prompt"),
    "vi vim nvim view ex rvim gvim vimdiff": Program(
        runs="-c --cmd -S --remote --remote-send --remote-expr --listen --startuptime",
        writes="-w -W -V",
        loads="-u -U -s -t -i --luamod-dev -l",
        operands={r"\+": "runs commands of the editor"},
        permutes=True,
    ),
    "emacs": Program(
        runs="-f --funcall --eval --execute -e -x --script --batch",
        loads="-l --load -L --directory -u --user --init-directory",
        dashes=True,
    ),
    "crontab": Program(reading="-l", most=0, runs="-e", writes="-r -i", values="-u"),
    "gdb lldb": Program(
        runs="-ex -iex -eval-command -init-eval-command -o -O --one-line --python -batch",
        loads="-x -ix -command -init-command -s --source",
        dashes=True,
    ),
    "nm ar ranlib objdump ld": Program(
        runs="--plugin", loads="--target", operands={"@": "takes options from a file"}
    ),
    "entr": Program(always="runs a program"),
}

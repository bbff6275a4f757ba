"""Which programs run others: their options, and their names on other systems."""

import re

from msgspec import Struct

from agent_cli.approval._words import base, vocabulary


class Grammar(Struct, frozen=True):
    """The options that a wrapper has before the command; any other makes it unclear."""

    flags: str = ""
    valued: str = ""
    """Letters of options with a value, attached or in the next word."""
    long_flags: frozenset[str] = frozenset()
    long_valued: frozenset[str] = frozenset()
    operands: int = 0
    """Words between the options and the command."""
    assigns: bool = False
    """Assignments may stand before the command."""
    numbers: bool = False
    """`-5` is an option."""
    trusted: bool = True
    """It changes nothing of what the command does: the command alone decides."""


GRAMMARS = {
    "builtin": Grammar(),
    "chroot": Grammar(operands=1, trusted=False),
    "command": Grammar(flags="p"),
    "doas": Grammar(flags="Lns", valued="aCu", trusted=False),
    "env": Grammar(
        flags="i",
        valued="u",
        long_flags=vocabulary("--ignore-environment"),
        long_valued=vocabulary("--unset"),
        assigns=True,
    ),
    "exec": Grammar(),
    "flock": Grammar(
        flags="sexnuoFv",
        valued="wE",
        long_flags=vocabulary(
            "--shared --exclusive --unlock --nonblock --close --no-fork --verbose"
        ),
        long_valued=vocabulary("--wait --timeout --conflict-exit-code"),
        operands=1,
        trusted=False,
    ),
    "ionice": Grammar(flags="t", valued="cn", long_valued=vocabulary("--class --classdata")),
    "nice": Grammar(valued="n", long_valued=vocabulary("--adjustment"), numbers=True),
    "nohup": Grammar(),
    "pkexec": Grammar(long_valued=vocabulary("--user"), trusted=False),
    "setsid": Grammar(flags="w", long_flags=vocabulary("--wait")),
    "stdbuf": Grammar(valued="ioe", long_valued=vocabulary("--input --output --error")),
    "sudo": Grammar(
        flags="AbBEeHiKkNnPSs",
        valued="ugpCcDhrtTRU",
        long_flags=vocabulary(
            "--askpass --background --preserve-env --login --non-interactive --set-home --stdin "
            "--shell --reset-timestamp"
        ),
        long_valued=vocabulary("--user --group --prompt --chdir --host --role --type --close-from"),
        assigns=True,
        trusted=False,
    ),
    "time": Grammar(flags="p"),
    "timeout": Grammar(
        flags="fpv",
        valued="ks",
        long_flags=vocabulary("--foreground --preserve-status --verbose"),
        long_valued=vocabulary("--kill-after --signal"),
        operands=1,
    ),
    "xargs": Grammar(
        flags="0rtxpo",
        valued="adEILnPs",
        long_flags=vocabulary("--null --no-run-if-empty --verbose --exit --interactive --open-tty"),
        long_valued=vocabulary("--arg-file --delimiter --max-args --max-procs --max-chars"),
        trusted=False,
    ),
}
SHELLS = vocabulary(
    """
    sh bash zsh dash ksh mksh ash fish csh tcsh rbash rksh rzsh pdksh oksh lksh loksh hush yash posh
    osh ysh nu elvish xonsh pwsh powershell
    """
)
UNCLEAR = vocabulary(
    """
    su sg parallel watch busybox toybox coproc unshare nsenter taskset chrt setarch setpriv runuser
    capsh systemd-run strace ltrace script unbuffer expect trap source . noglob nocorrect
    linux32 linux64 numactl caffeinate fakeroot eatmydata faketime dbus-run-session xvfb-run gosu
    su-exec runcon sshpass torify prlimit choom tini dumb-init chronic sem start-stop-daemon
    logsave hyperfine watchexec cross-env cpulimit softlimit chpst setuidgid envdir s6-setuidgid
    cgexec daemonize ifne pee rr heaptrack concurrently
    """
)
WRAPPERS = frozenset(GRAMMARS) | SHELLS | UNCLEAR | {"eval", "find"}

READERS = vocabulary(
    """
    source . ssh mosh rsh adb at batch crontab parallel sem busybox toybox su sg runuser
    """
)
"""They run what they read, whatever their arguments are."""

CARRIERS = (WRAPPERS - {"find"}) | vocabulary(
    """
    fd fdfind entr ssh docker podman kubectl nerdctl lxc vagrant tmux screen at batch crontab
    firejail bwrap gdb lldb perf valgrind rlwrap proxychains proxychains4 torsocks catchsegv
    npx pnpx bunx npm pnpm yarn uv uvx pipx poetry pipenv pdm hatch rye conda mamba nix nix-shell
    direnv dotenv bundle rbenv pyenv nvm rustup mise asdf nodemon arch daemon ts scl run-parts
    mosh rsh adb machinectl flatpak flatpak-spawn toolbox distrobox distrobox-enter guix pixi
    micromamba devbox aws-vault op doppler
    ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-musl-x86_64.so.1
    """
)
"""A deny rule looks at everything that they are given, unless their grammar is clear."""

_GNU = {f"g{name}": name for name in {*GRAMMARS, "find"}}
_VERSION = re.compile(r"-?\d[\d.]*\Z")


def wrapper_name(word: str) -> str:
    """Return the name by which the tables know the program that the word names."""
    name = base(word)
    if name in WRAPPERS:
        return name
    shell = _VERSION.sub("", name)
    return shell if shell in SHELLS else _GNU.get(name, name)

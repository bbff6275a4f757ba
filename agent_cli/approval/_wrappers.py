"""Programs that run what stands in their arguments."""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


WRAPPERS = _names(
    """
    sudo doas su sg env xargs timeout nice ionice nohup stdbuf setsid flock command exec eval time
    builtin coproc parallel watch sh bash zsh dash ksh fish csh tcsh busybox toybox
    chroot unshare nsenter taskset chrt setarch setpriv runuser capsh pkexec systemd-run
    strace ltrace script unbuffer expect trap source
    """
)
"""An allow rule never vouches for what they run."""

CARRIERS = WRAPPERS | _names(
    """
    find fd entr ssh docker podman kubectl nerdctl lxc vagrant tmux screen at batch crontab
    firejail bwrap gdb lldb perf valgrind rlwrap proxychains proxychains4 torsocks catchsegv
    npx pnpx bunx npm pnpm yarn uv uvx pipx poetry pipenv pdm hatch rye conda mamba nix nix-shell
    direnv dotenv bundle rbenv pyenv nvm rustup mise asdf
    """
)
"""A deny rule looks at everything that they are given."""

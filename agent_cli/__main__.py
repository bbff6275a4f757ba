"""The command `agent`: `--version` at once, everything else in `cli/main.py`."""

import gc
import sys


def main() -> None:
    """Run the command line and leave with its exit status."""
    gc.disable()  # until everything is imported: nothing that a start makes is garbage
    sys.dont_write_bytecode = False  # an editable install would compile our code at every start
    if sys.argv[1:] in (["--version"], ["-V"], ["-v"]):
        from agent_cli import __version__  # noqa: PLC0415 - nothing else is needed

        sys.stdout.write(f"agent {__version__}\n")
        return
    from agent_cli.cli.main import run  # noqa: PLC0415 - `--version` does not need it

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()

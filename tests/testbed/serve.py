"""Serve a script from a file: `python tests/testbed/serve.py script.json`; prints the port.

The script is a JSON list of replies. With `--repeat` it starts again when it is used up. Ends when
standard input is closed; then prints every violation on standard error, and exits with 1 if there
were any.
"""

import argparse
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # run by path: `testbed` is found from `tests`

import msgspec  # noqa: E402 - after the path is set
from testbed.exchange import Exchange  # noqa: E402 - after the path is set
from testbed.replies import Reply  # noqa: E402 - after the path is set
from testbed.server import ModelServer, Script  # noqa: E402 - after the path is set


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("script", type=Path)
    parser.add_argument("--repeat", action="store_true")
    options = parser.parse_args()
    replies = msgspec.json.decode(options.script.read_bytes(), type=list[Reply])

    def repeat(exchange: Exchange) -> Reply:
        return replies[exchange.number % len(replies)]

    script: Script = repeat if options.repeat else replies
    with ModelServer(script) as server:
        print(server.port, flush=True)
        sys.stdin.read()
    print(*server.violations, sep="\n", end="", file=sys.stderr)
    return 1 if server.violations else 0


if __name__ == "__main__":
    sys.exit(main())

"""`json`: one JSON object on standard output, at the end."""

import sys

import msgspec

from agent_cli.engine.task import State
from agent_cli.frontends.headless.json_lines import VERSION, result_fields
from agent_cli.frontends.headless.nobody import NobodyThere
from agent_cli.frontends.headless.registry import Ending
from agent_cli.types.events import Event, Notice


class JsonResult(NobodyThere):
    """For programs that wait."""

    def emit(self, event: Event) -> None:
        if isinstance(event, Notice):
            sys.stderr.write(event.message + "\n")

    def finish(self, state: State, ending: Ending) -> None:
        session = state.session.id if state.session else ""
        fields = {"v": VERSION, "type": "result", "session_id": session}
        line = msgspec.json.encode(fields | result_fields(state, ending)).decode()
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


OUTPUT = JsonResult

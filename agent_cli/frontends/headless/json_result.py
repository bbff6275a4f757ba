"""`json`: one JSON object on standard output, at the end."""

import msgspec

from agent_cli.engine.outcomes import EXIT_STATUS, Verdict
from agent_cli.engine.task import State
from agent_cli.frontends.headless.json_lines import VERSION, result_fields
from agent_cli.frontends.headless.nobody import NobodyThere
from agent_cli.frontends.headless.registry import Ending
from agent_cli.frontends.headless.streams import put, tell
from agent_cli.sessions.journal import timestamp
from agent_cli.types.events import Event, Notice


class JsonResult(NobodyThere):
    """For programs that wait."""

    def emit(self, event: Event) -> None:
        if isinstance(event, Notice):
            tell(event.message)

    def finish(self, state: State, ending: Ending) -> None:
        session = state.session.id if state.session else ""
        fields = {"v": VERSION, "type": "result", "session_id": session}
        put(msgspec.json.encode(fields | result_fields(state, ending)).decode())


def refused(verdict: Verdict, message: str) -> None:
    """Write the result of a run that never began, for both JSON formats."""
    ending = Ending(verdict, EXIT_STATUS[verdict], message)
    head = {"v": VERSION, "type": "result", "seq": 0, "ts": timestamp(), "session_id": ""}
    put(msgspec.json.encode(head | {"turn": 0} | result_fields(State(), ending)).decode())


OUTPUT = JsonResult

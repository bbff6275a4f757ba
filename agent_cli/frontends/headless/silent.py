"""A frontend that shows nothing, for sessions that nobody watches."""

from agent_cli.frontends.headless.nobody import NobodyThere
from agent_cli.types.events import Event


class Silent(NobodyThere):
    def emit(self, event: Event) -> None:
        """Look away."""

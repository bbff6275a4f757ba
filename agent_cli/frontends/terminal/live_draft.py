"""What is typed while the agent works: what is long in it is shown by a label, and kept whole."""

from prompt_toolkit.buffer import Buffer

from agent_cli.frontends.terminal.folds import Folds


class LiveDraft:
    def __init__(self) -> None:
        self.buffer = Buffer(multiline=True)
        self.folds = Folds()

    def insert(self, text: str) -> None:
        """Put in a text that was not typed."""
        self.buffer.insert_text(self.folds.taken_in(text))

    def take(self) -> str:
        """Return all of it, and begin afresh."""
        text = self.folds.unfolded(self.buffer.text)
        self.buffer.reset()
        return text

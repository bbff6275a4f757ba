"""`/copy`: the last answer, for the clipboard."""

from rich.text import Text

from agent_cli.engine.task import Task
from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.i18n.catalog import say, say_many
from agent_cli.types.messages import AssistantMessage

_PROGRAMS = (
    ("WAYLAND_DISPLAY", ("wl-copy", "--foreground")),
    ("DISPLAY", ("xclip", "-quiet", "-selection", "clipboard")),
    ("DISPLAY", ("xsel", "--clipboard", "--input", "--nodetach")),
    ("HOME", ("pbcopy",)),
)
"""Programs that keep a clipboard, and the variable without which they reach none."""


async def run(here: Here, argument: str) -> Answer:
    """Hand it to the terminal, and to the program that keeps the clipboard, if there is one."""
    text = last_answer(here.agent.session.state.task)
    if not text:
        return say("there is no answer yet")
    terminal = here.writer.to_clipboard(text) if here.outside.options.environ.get("TERM") else False
    program = await _handed_over(here, text)
    if not terminal and not program:
        return say("nothing here keeps a clipboard that would take it")
    told = say_many(
        "{count:,} character is handed over to the clipboard",
        "{count:,} characters are handed over to the clipboard",
        len(text),
    )
    return Text(f"{told} ({program})" if program else told, style=here.theme.dim)


def last_answer(task: Task) -> str:
    """Return what the task ended with, or else what the model said last."""
    if task.result:
        return task.result
    said = (one.text for one in reversed(task.messages) if isinstance(one, AssistantMessage))
    return next((text for text in said if text.strip()), "")


async def _handed_over(here: Here, text: str) -> str:
    """Give it to the first program that is there; it keeps the text for as long as we run."""
    options = here.outside.options
    processes = here.agent.toolbox.processes.forgetting()
    for variable, argv in _PROGRAMS:
        if options.environ.get(variable) and processes.finds(argv[0]):
            try:
                await processes.start(argv, cwd=options.cwd, stdin=text.encode())
            except (OSError, ValueError):
                continue
            return argv[0]
    return ""


COMMAND = Command(name="copy", help="copy the last answer to the clipboard", run=run)

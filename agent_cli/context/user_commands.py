"""What the model is told of commands that the user has run themselves."""

from collections.abc import Sequence

from agent_cli.context._texts import fill, table
from agent_cli.types.user_commands import UserRan

_TAG = "user_command"


def ran(commands: Sequence[UserRan]) -> str:
    """Return what stands below the user's next words; empty without commands."""
    if not commands:
        return ""
    texts: dict[str, str] = table("system/phrases.toml")["user_commands"]
    blocks = [
        fill(texts["block"], tag=_TAG, text=_safe(_told(one, texts)), status=_status(one, texts))
        for one in commands
    ]
    return "\n\n".join([texts["heading"], *blocks])


def _told(one: UserRan, texts: dict[str, str]) -> str:
    return f"$ {one.command}\n{one.output.rstrip() or texts['silent']}"


def _status(one: UserRan, texts: dict[str, str]) -> str:
    if one.interrupted:
        return texts["interrupted"]
    if one.signal is not None:
        return fill(texts["signal"], number=str(one.signal))
    return fill(texts["exit_code"], number=str(one.exit_code))


def _safe(text: str) -> str:
    """Return the text so that it cannot end the block it stands in."""
    return text.replace(f"</{_TAG}", f"<\\/{_TAG}")

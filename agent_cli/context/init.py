"""What the model is asked to do when the user wants an AGENTS.md."""

from agent_cli.context._texts import document, fill, table

NAME = "AGENTS.md"


def init_prompt(wishes: str, *, exists: bool) -> str:
    """Return the request, with what the user adds to it."""
    phrases: dict[str, str] = table("commands/phrases.toml")["init"]
    parts = [document("commands/init.md")]
    if exists:
        parts.append(fill(phrases["existing"], name=NAME).strip())
    if wishes:
        parts.append(fill(phrases["wishes"], text=wishes))
    return "\n\n".join(parts)

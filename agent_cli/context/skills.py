"""Skills: a folder with a SKILL.md each. The prompt names them; their text comes on demand."""

from agent_cli.context._front_matter import parted
from agent_cli.types.brought import Brought, Skill

FILE = "SKILL.md"


def is_skill(file: Brought) -> bool:
    """Whether this is a skill, and not a file that lies beside one."""
    folder, _, name = file.name.rpartition("/")
    return name == FILE and bool(folder)


def read_skill(file: Brought) -> Skill:
    """Read a SKILL.md; raises ValueError saying what is wrong with it.

    Without a name it is called as its folder is. Fields that others have given skills are left
    alone.
    """
    fields, text = parted(file.text)
    name = (fields or {}).get("name") or file.name.split("/")[-2]
    description = (fields or {}).get("description", "")
    if not description:
        raise ValueError("'description' is missing in its front matter")
    if not text:
        raise ValueError("it says nothing after the front matter")
    return Skill(name, description, text, file.path)

"""What an undo did, or would do, in words."""

from agent_cli.frontends.sanitiser import in_one_line
from agent_cli.i18n.catalog import say
from agent_cli.types.evidence import FileChange
from agent_cli.undo.restore import Left, Plan, Why


def undo_lines(plan: Plan) -> list[str]:
    """Return a line for each file: what became of it, or why it was left alone."""
    return [*map(_change, plan.changes), *map(_left, plan.left)]


def _change(change: FileChange) -> str:
    path = in_one_line(change.path)
    if change.after is None:
        return "  " + say("removed: {path}", path=path)
    if change.before is None:
        return "  " + say("brought back: {path}", path=path)
    return "  " + say("restored: {path}", path=path)


def _left(left: Left) -> str:
    path = in_one_line(left.path)
    return "  " + say("left alone: {path}: {why}", path=path, why=reason(left))


def reason(left: Left) -> str:
    """Return why the file was left alone."""
    match left.why:
        case Why.CHANGED:
            return say("it is not what the session left")
        case Why.PARTLY:
            return say("something else had changed it in between; before that, nothing is undone")
        case Why.NOT_KEPT:
            return say("what it was is not kept")
        case Why.OUTSIDE:
            return say("it lies outside the workspace; --add-dir allows it")
        case Why.FAILED:
            return in_one_line(left.detail)

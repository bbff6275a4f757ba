"""What the model reads about its calls: sentences for codes, nudges and results.

The files in prompts/replies are loaded when the first sentence is needed.
"""

from agent_cli.context._texts import fill, table
from agent_cli.types.messages import ToolResult
from agent_cli.types.outcomes import Code, Nudge, Outcome
from agent_cli.types.requests import Protocol


def sentence(code: Code, outcome: Outcome = Outcome.FAILED) -> str:
    """Return what the code means; for a skipped call it tells of an earlier one."""
    texts = table("replies/outcomes.toml")
    special: dict[str, str] = texts[outcome] if outcome in {Outcome.SKIPPED, Outcome.FAILED} else {}
    return str(special.get(code) or texts[code])


def nudge(code: Nudge, protocol: Protocol) -> str:
    return str(table("replies/nudges.toml")[protocol][code])


def reply(name: str, **values: str) -> str:
    """Return a sentence of replies/results.toml with its `$name`s filled in."""
    return fill(table("replies/results.toml")[name], **values)


def result_text(result: ToolResult, protocol: Protocol = Protocol.NATIVE) -> str:
    """Return what the model reads: the code's sentence, the content, or both; never nothing."""
    content = result.content if result.content.strip() else ""
    if result.outcome is Outcome.OK:
        return _of_success(result.code, content)
    parts = [_why(result), content]
    if result.code is Code.INVALID_ARGUMENTS:
        parts.append(reply(f"reminder_{protocol.value}"))
    text = "\n\n".join(part for part in parts if part)
    return text or reply(result.outcome.value)


def _of_success(code: Code | None, content: str) -> str:
    if code is None:
        return content or reply("no_output")
    if code is Code.REPEATED:
        return f"{content or reply('no_output')}\n\n{reply('repeated')}"
    return content or sentence(code)


def _why(result: ToolResult) -> str:
    if result.outcome is Outcome.UNKNOWN:
        return reply("unknown")
    return sentence(result.code, result.outcome) if result.code is not None else ""

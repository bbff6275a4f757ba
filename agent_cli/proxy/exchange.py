"""Mediates one request: asks the model, executes what is ours, until there is an answer.

What is executed is kept before anything further happens: before the model is asked again, and
before the client gets what is its own.
"""

from collections.abc import Sequence

from msgspec import Raw

from agent_cli.proxy.accounts import May
from agent_cli.proxy.course import Course
from agent_cli.proxy.dialects.base import Choice
from agent_cli.proxy.dialects.turns import Turn
from agent_cli.proxy.envelopes import ProxyError
from agent_cli.proxy.making_room import next_reply
from agent_cli.proxy.mediation import Kind, Plan, Reply, Then, plan
from agent_cli.proxy.refusing import Attempt, refusal
from agent_cli.proxy.remembering import Results
from agent_cli.proxy.store import Checkpoint

_HARMLESS = frozenset({Kind.NONE, Kind.NATIVE, Kind.CUT})


async def mediate(course: Course, guided: Sequence[Raw], resumed: Checkpoint) -> None:
    """Answer. Raises ProxyError and UpstreamRefusedError where there is no answer.

    `guided` are messages that tell the model why its last reply was refused; `resumed` is what an
    equal request has done already.
    """
    course.memory.hidden += guided
    for kept in resumed.rounds:
        if await course.resume(kept):
            return
    ended = False
    while not ended:
        turn = await next_reply(course)
        made = _planned(course, turn)
        if made.execute or made.then is Then.ASK:
            await _afford(course, made)
        match made.then:
            case Then.REFUSE:
                attempt = _attempt(course, turn, made)
                raise await refusal(course.services, course.memory, attempt)
            case Then.ASK:
                ended = await _go_on(course, turn, made)
            case Then.FINISH:
                ended = await _finish(course, turn, made)


async def _afford(course: Course, made: Plan) -> None:
    """Let the next reply be the last if there is no more than that to spend on it.

    Raises ProxyError if there is not even that; then nothing is executed any more.
    """
    accounts, request = course.services.accounts, course.request
    paid = course.asking.paid
    may = await accounts.may(request.principal, paid[-1] if paid else None)
    if may is May.NOTHING:
        raise accounts.exceeded(request.principal, request.id)
    if may is May.END and made.then is Then.ASK:
        course.finalizing = "budget"
        about = {"principal": request.principal, "then": "finalize"}
        course.services.audit.write("budget", request.id, **about)


def _planned(course: Course, turn: Turn) -> Plan:
    request = course.request
    forbidden = request.injection.choice is Choice.NONE
    made = plan(
        [call.name for call in turn.calls],
        course.asking.owned,
        course.services.config.mediation.rules,
        Reply(turn.cut, calls_forbidden=forbidden, retried=course.retried),
        request.injection.terminal,
    )
    course.report.classes.append(made.kind.value)
    course.services.audit.write(
        "mediation_decision",
        request.id,
        **{"class": made.kind.value},
        round=course.asking.count,
        managed=[turn.calls[at].shown_name for at in made.execute],
        native=[turn.calls[at].shown_name for at in made.release],
        then=made.then,
    )
    if course.finalizing and made.kind not in _HARMLESS:
        raise ProxyError(
            502,
            "finalization_violated",
            f"the model asked for tools again after it was told to end ({course.finalizing})",
        )
    if made.kind is Kind.DESPITE_NONE and not (turn.text or made.release):
        raise ProxyError(
            502, "tool_call_despite_none", "the model called tools that were forbidden"
        )
    return made


def _attempt(course: Course, turn: Turn, made: Plan) -> Attempt:
    return Attempt(
        turn,
        made,
        course.asking.owned,
        course.asking.count - course.retried,
        course.retried,
        tuple(course.ledger.executed),
    )


async def _go_on(course: Course, turn: Turn, made: Plan) -> bool:
    """Answer the model's calls; return whether that has ended the answer."""
    if made.reject:
        results: Results = _attempt(course, turn, made).rejections
        course.retried += 1
        if course.retried >= course.services.config.limits.max_rounds:
            course.finalizing = "max_rounds"  # only a policy without an end of its own comes here
        await course.keep(turn, made.reject, results, executed=False)
        return False
    if course.finalizing or course.executed_rounds >= course.services.config.limits.max_rounds:
        everything = tuple(range(len(turn.calls)))
        await course.keep(turn, everything, course.spent(turn.calls), executed=False)
        return False
    results = await course.execute([turn.calls[at] for at in made.execute])
    _tell_dropped(course, turn, made.drop)
    await course.keep(turn, made.execute, results, executed=True)
    call, envelope = results[-1]
    if envelope.ok and call.name in course.request.injection.terminal:
        return await course.end_with_notice(turn)
    return False


async def _finish(course: Course, turn: Turn, made: Plan) -> bool:
    """Give the client what is its own; return whether that has ended the answer."""
    results: Results = ()
    if made.kind is Kind.PREFIX:
        stop = course.services.config.mediation.stop_prefix_on_error
        results = await course.execute([turn.calls[at] for at in made.execute], stop=stop)
        resample = course.services.config.mediation.on_prefix_failure == "resample"
        if resample and not all(envelope.ok for _, envelope in results):
            _tell_dropped(course, turn, made.release)
            await course.keep(turn, made.execute, results, executed=True)
            return False
        await course.keep_last(turn, results, made.release)
    return await course.end(turn, made, results)


def _tell_dropped(course: Course, turn: Turn, places: Sequence[int]) -> None:
    for place in places:
        name = turn.calls[place].shown_name
        course.services.audit.write("native_suffix_dropped", course.request.id, name=name)

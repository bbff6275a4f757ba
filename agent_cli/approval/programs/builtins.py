"""What the shell does itself."""

from agent_cli.approval.programs._program import Program

_SUBSCRIPT = {r"(?s:.*)\[(?s:.*)[$`]": "evaluates a subscript"}
_STATE = Program(always="changes what later commands mean")

PROGRAMS = {
    "[ test": Program(runs="-v -R", exact=True, operands=_SUBSCRIPT),
    "printf": Program(runs="-v", operands=_SUBSCRIPT, permutes=False),
    "echo true false : pwd": Program(),
    """
    read declare typeset local readonly export set unset alias unalias trap source . eval exec
    enable bind complete compopt mapfile readarray hash shopt let getopts builtin coproc
    umask ulimit disown pushd popd dirs fc autoload zmodload emulate setopt unsetopt zle
    """: _STATE,
    "history": Program(writes="-a -c -d -n -r -s -w -p"),
}

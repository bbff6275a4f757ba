"""What people read goes through `say`, so that it can be said in their language."""

import ast
import re
from collections.abc import Iterator

import pytest
from testbed.source import calls, modules

SPOKEN = [
    name
    for name in modules()
    if name.startswith(("cli/", "frontends/", "runtime/")) or name == "__main__.py"
]

SHOWS = re.compile(
    r"sys\.(stdout|stderr)\.write|(\w+\.)?(Text|Panel|Notice|Markdown|append_text)"
    r"|.*\.(print|show|append|input)|typer\.(echo|secho)"
)
"""Calls whose words a person sees; `append` is rich's as well as a list's."""
WORD = re.compile(r"[^\W\d_]{2,}")
MARKUP = re.compile(r"\[/?[a-z ]*\]")
UNSPOKEN = {"style", "border_style", "end", "sep", "justify", "overflow", "title_align"}
"""Keyword arguments that say how, not what."""

EXCEPTIONS = {
    ("__main__.py", "agent "): "the program's name",
    ("cli/main.py", "agent: "): "the program's name",
}


def words(node: ast.AST) -> Iterator[str]:
    """Every literal with a word that is not passed to `say`, within an argument."""
    match node:
        case ast.Constant(value=str(text)):
            if WORD.search(MARKUP.sub("", text)):
                yield text
        case ast.Call():
            yield from made_of(node)
        case ast.FormattedValue(value=value) | ast.Subscript(value=value):
            yield from words(value)
        case ast.IfExp(body=body, orelse=orelse):
            yield from (*words(body), *words(orelse))
        case _:
            for child in ast.iter_child_nodes(node):
                yield from words(child)


def made_of(call: ast.Call) -> Iterator[str]:
    """What another call makes of a literal is that call's affair, but for joining and showing."""
    function = call.func
    if isinstance(function, ast.Attribute) and function.attr in ("join", "format"):
        for argument in [function.value, *call.args]:
            yield from words(argument)
    elif SHOWS.fullmatch(ast.unparse(function)):
        yield from shown(call)


def shown(call: ast.Call) -> Iterator[str]:
    spoken = [keyword.value for keyword in call.keywords if keyword.arg not in UNSPOKEN]
    for argument in [*call.args[:1], *spoken]:
        yield from words(argument)


def unsaid(tree: ast.AST) -> set[str]:
    return {text for called, call in calls(tree) if SHOWS.fullmatch(called) for text in shown(call)}


@pytest.mark.parametrize("name", SPOKEN)
def test_people_are_spoken_to_in_their_language(name: str):
    excepted = {text for place, text in EXCEPTIONS if place == name}
    assert unsaid(modules()[name]) == excepted


@pytest.mark.parametrize(
    "source",
    [
        "sys.stderr.write('no such file')",
        "sys.stdout.write(f'{count} files')",
        "sys.stdout.write('done' if ok else say('not done'))",
        "console.print('[bold]done[/]')",
        "Text('done', style='dim')",
        "self._writer.show(Panel(Text('done')))",
        "emit(Notice('done'))",
        "sys.stderr.write(', '.join(['not', *names]))",
    ],
)
def test_the_test_sees_words(source: str):
    assert unsaid(ast.parse(source))


@pytest.mark.parametrize(
    "source",
    [
        "sys.stderr.write(say('no such file') + '\\n')",
        "sys.stdout.write(f'{name:14} {fields[\"session\"]}')",
        "console.print(text, style='bold red', end='')",
        "console.print('[bold green]✓[/]')",
        "Text(visible(say('then: {names}', names=names)), style='dim')",
    ],
)
def test_the_test_lets_pass_what_is_said(source: str):
    assert unsaid(ast.parse(source)) == set()

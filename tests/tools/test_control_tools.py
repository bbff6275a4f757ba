import msgspec
import pytest
from testbed.bench import Ask, Bench

from agent_cli.tools import ask_followup_question, attempt_completion, update_todo_list
from agent_cli.tools.base import Complete, Todos
from agent_cli.types.effects import Kind
from agent_cli.types.entries import Todo
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code

TOOLS = [ask_followup_question.TOOL, attempt_completion.TOOL, update_todo_list.TOOL]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_it_is_there_in_every_mode_and_changes_nothing(tool, tmp_path):
    assert tool.kind is Kind.ALWAYS
    arguments = {"result": "x"} if tool is attempt_completion.TOOL else None
    if arguments:
        assert Bench(tool, tmp_path).effects(**arguments) == ()


COMPLETIONS = [
    pytest.param("Done.", "Done.", id="as it is"),
    pytest.param("\n Done.\n", "Done.", id="blanks around"),
    pytest.param("Done.</result>", "Done.", id="an end of its own tag"),
    pytest.param("Done.\n</result>\n</attempt_completion>\n", "Done.", id="both ends"),
    pytest.param("Use </result> here.", "Use </result> here.", id="not at the end"),
    pytest.param("<result>", "<result>", id="a beginning"),
]


@pytest.mark.parametrize(("written", "result"), COMPLETIONS)
def test_a_result_loses_leftover_tags(written: str, result: str, tmp_path):
    assert Bench(attempt_completion.TOOL, tmp_path).run(result=written) == Complete(result)


@pytest.mark.parametrize(
    ("command", "kept"), [("make demo ", "make demo"), (" ", None), (None, None)]
)
def test_a_command_is_kept_for_the_user(command: str | None, kept: str | None, tmp_path):
    output = Bench(attempt_completion.TOOL, tmp_path).run(result="Done.", command=command)
    assert output == Complete("Done.", kept)


@pytest.mark.parametrize("written", ["", " \n", "</result>"])
def test_an_empty_result_is_refused(written: str, tmp_path):
    with pytest.raises(ToolError, match="say what was done") as caught:
        Bench(attempt_completion.TOOL, tmp_path).run(result=written)
    assert caught.value.code is Code.INVALID_ARGUMENTS


ITEMS = [
    ("[ ] a", Todo("a", "pending")),
    ("- [ ] a", Todo("a", "pending")),
    ("-[x] a", Todo("a", "completed")),
    ("[X] a b ", Todo("a b", "completed")),
    ("[-] a", Todo("a", "in_progress")),
    ("  - [ ~ ] a [x] b", Todo("a [x] b", "in_progress")),
]


@pytest.mark.parametrize(("line", "item"), ITEMS)
def test_a_line_of_a_checklist_is_an_item(line: str, item: Todo, tmp_path):
    output = Bench(update_todo_list.TOOL, tmp_path).run(todos=line)
    assert isinstance(output, Todos)
    assert output.items == (item,)


def test_the_model_reads_how_far_it_is(tmp_path):
    output = Bench(update_todo_list.TOOL, tmp_path).run(todos="# Plan\n[x] a\n\n[-] b\n[ ] c\n")
    assert isinstance(output, Todos)
    assert [todo.text for todo in output.items] == ["a", "b", "c"]
    assert "1 of 3 items" in output.text
    assert "1 lines that are no items" in output.text


def test_an_empty_list_is_a_list(tmp_path):
    output = Bench(update_todo_list.TOOL, tmp_path).run(todos="\n")
    assert output == Todos((), "The to-do list was updated: 0 of 0 items are completed.")


@pytest.mark.parametrize("todos", ["a", "* [ ] a", "[ ]", "[y] a\n# b"])
def test_a_text_without_items_is_refused(todos: str, tmp_path):
    with pytest.raises(ToolError, match="no line is an item") as caught:
        Bench(update_todo_list.TOOL, tmp_path).run(todos=todos)
    assert caught.value.code is Code.INVALID_ARGUMENTS


def answering(answer: str, heard: list[object]) -> Ask:
    async def ask(question: str, suggestions: tuple[str, ...]) -> str:
        heard.append((question, suggestions))
        return answer

    return ask


FOLLOW_UP = [{"text": "Yes"}, {"text": "Plan it", "mode": "architect"}]


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ("Yes", "<answer>Yes</answer>"),
        ("my own", "<answer>my own</answer>"),
        (
            "Plan it",
            "<answer>Plan it</answer>\n"
            "This was suggested for the mode 'architect': call switch_mode.",
        ),
    ],
)
def test_the_users_answer_is_the_result(answer: str, result: str, tmp_path):
    heard: list[object] = []
    bench = Bench(ask_followup_question.TOOL, tmp_path, ask=answering(answer, heard))
    assert bench.text(question="Go?", follow_up=FOLLOW_UP) == result
    assert heard == [("Go?", ("Yes", "Plan it"))]


@pytest.mark.trap("T-38")
@pytest.mark.parametrize("follow_up", [None, []])
def test_a_question_needs_no_suggestions(follow_up: list[object] | None, tmp_path):
    heard: list[object] = []
    bench = Bench(ask_followup_question.TOOL, tmp_path, ask=answering("", heard))
    assert bench.text(question="Go?", follow_up=follow_up) == "<answer></answer>"
    assert heard == [("Go?", ())]


def test_five_suggestions_are_too_many(tmp_path):
    with pytest.raises(msgspec.ValidationError):
        Bench(ask_followup_question.TOOL, tmp_path).run(question="?", follow_up=FOLLOW_UP * 3)


def test_an_empty_question_is_refused(tmp_path):
    with pytest.raises(ToolError) as caught:
        Bench(ask_followup_question.TOOL, tmp_path).run(question=" ")
    assert caught.value.code is Code.INVALID_ARGUMENTS


def test_where_nobody_can_be_asked_the_question_fails(tmp_path):
    with pytest.raises(ToolError) as caught:
        Bench(ask_followup_question.TOOL, tmp_path).run(question="Go?")
    assert caught.value.code is Code.NOBODY_TO_ASK

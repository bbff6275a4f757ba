"""Lists and objects written as elements."""

import time

import pytest
from testbed.xml_calls import READ_MANY, READ_PARTS, said

from agent_cli.wire.xml_tools.elements import from_elements

A = {"path": "a"}

FILES = [
    pytest.param("<file><path>a</path></file>", [A], id="one"),
    pytest.param("\n<file>\n<path> a </path>\n</file>\n<f><path>b</path></f>\n",
                 [A, {"path": "b"}], id="several, whatever they are called"),
    pytest.param("<file><path>a</path><line_range>1-2</line_range><line_range>5-9</line_range>"
                 "</file>", [{**A, "line_ranges": ["1-2", "5-9"]}], id="items by their singular"),
    pytest.param("<file><path>a</path><line_ranges><r>1-2</r></line_ranges></file>",
                 [{**A, "line_ranges": ["1-2"]}], id="a list in an object"),
    pytest.param("<file depth='3' path=\"b\">a</file>", [{**A, "depth": "3"}], id="attributes"),
    pytest.param("<file>a</file>", [A], id="the required member alone"),
    pytest.param("<file><path>a</path><depth>3</depth></file>", [{**A, "depth": 3}], id="number"),
    pytest.param("<file><path>a</path><depth>deep</depth></file>", [{**A, "depth": "deep"}],
                 id="no number"),
    pytest.param("<file><path>a & b < c &amp;</path></file>", [{"path": "a & b < c &amp;"}],
                 id="taken literally"),
    pytest.param("<file><who>a</who></file>", [{"who": "a"}], id="an unknown member"),
    pytest.param("<file></file>", [{}], id="nothing"),
    pytest.param("a.py", "a.py", id="no element"),
    pytest.param("<file><path>a</path>", "<file><path>a</path>", id="not closed"),
    pytest.param("<file>a</file> and b", "<file>a</file> and b", id="text beside elements"),
    pytest.param('[{"path": "a"}]', [A], id="JSON"),
]  # fmt: skip


@pytest.mark.parametrize("tag", ["files", "args"])
@pytest.mark.parametrize(("text", "files"), FILES)
def test_a_list_of_objects(text, files, tag):
    call = f"<read_parts>\n<{tag}>{text}</{tag}>\n</read_parts>"
    assert said(call, tools=(READ_PARTS,)) == [("read_parts", {"files": files})]
    assert said(*call, tools=(READ_PARTS,)) == [("read_parts", {"files": files})]


def test_a_list_of_texts():
    call = "<read_files><args><file>a</file><file>b</file></args></read_files>"
    assert said(call, tools=(READ_MANY,)) == [("read_files", {"files": ["a", "b"]})]


def test_an_object():
    call = "<read_parts><one><path>a</path></one></read_parts>"
    assert said(call, tools=(READ_PARTS,)) == [("read_parts", {"one": A})]


def test_many_elements_take_no_time():
    text = "<file><path>a</path></file>" * 40_000
    start = time.process_time()
    said(f"<read_parts><files>{text}</files></read_parts>", tools=(READ_PARTS,))
    assert time.process_time() - start < 2


@pytest.mark.parametrize("type_", ["integer", "boolean"])
def test_elements_where_no_list_or_object_belongs_are_left_alone(type_):
    assert from_elements("<file><path>a</path></file>", {"type": type_}) is None
    optional = {"anyOf": [{"type": type_}, {"type": "null"}]}
    assert from_elements("<file><path>a</path></file>", optional) is None

from pathlib import Path

import pytest
from testbed.bench import Bench

from agent_cli.tools import list_code_definition_names
from agent_cli.types.approval import Words
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import BlockedPathError, ToolError

PYTHON = (
    "import os\n\n\nclass A:\n    def f(self):\n        a = 1\n        b = 2\n        return a\n"
)
IN_LANGUAGES = [
    pytest.param("a.py", PYTHON, ["4--8 | class A:", "5--8 |     def f(self):"], id="python"),
    pytest.param("a.sh", "f() {\n a\n b\n}\n", ["1--4 | f() {"], id="bash"),
    pytest.param(
        "a.c", "struct s {\n int a;\n int b;\n};\nint f(struct s a)\n{\n return 1;\n}\n",
        ["1--4 | struct s {", "5--8 | int f(struct s a)"], id="c",
    ),
    pytest.param(
        "a.cpp", "namespace n {\nclass C {\n int a;\n void f() {}\n};\n}\n",
        ["1--6 | namespace n {", "2--5 | class C {"], id="cpp",
    ),
    pytest.param(
        "a.go",
        "package p\ntype T struct {\n\tA int\n\tB int\n}\nfunc (t T) F() {\n\ta()\n\tb()\n}\n",
        ["2--5 | type T struct {", "6--9 | func (t T) F() {"], id="go",
    ),
    pytest.param(
        "A.java", "class A {\n  int a;\n  void f() {\n    a = 1;\n    a = 2;\n  }\n}\n",
        ["1--7 | class A {", "3--6 |   void f() {"], id="java",
    ),
    pytest.param(
        "a.jsx", "const f = () => {\n  a();\n  b();\n};\nfunction g() {\n a();\n b();\n}\n",
        ["1--4 | const f = () => {", "5--8 | function g() {"], id="javascript",
    ),
    pytest.param(
        "a.rs", "impl T {\n    fn f() {\n        a();\n        b();\n    }\n}\n",
        ["1--6 | impl T {", "2--5 |     fn f() {"], id="rust",
    ),
    pytest.param(
        "a.ts", "export interface I {\n  a: 1;\n  b: 2;\n}\nenum E {\n A,\n B,\n}\n",
        ["1--4 | export interface I {", "5--8 | enum E {"], id="typescript",
    ),
    pytest.param(
        "a.tsx", "export function F() {\n  const a = 1;\n  return <p>{a}</p>;\n}\n",
        ["1--4 | export function F() {"], id="tsx",
    ),
    pytest.param(
        "a.md", "# A\ntext\n## B\n```\n# no\n~~~\n```\nC\n---\n- x\n---\n#no\n===\n",
        ["1--11 | # A", "3--7 | ## B", "8--11 | C", "12--13 | #no"], id="markdown",
    ),
]  # fmt: skip


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    root = (tmp_path / "root").resolve()
    root.mkdir()
    return Bench(list_code_definition_names.TOOL, root)


@pytest.mark.parametrize(("name", "text", "expected"), IN_LANGUAGES)
def test_a_file_shows_what_it_defines(bench: Bench, name: str, text: str, expected: list[str]):
    (bench.root / name).write_text(text)
    assert bench.text(path=name).split("\n") == [f"# {name}", *expected]


def test_a_directory_shows_its_top_level_only(bench: Bench):
    (bench.root / "lib/deep").mkdir(parents=True)
    for name in ("lib/b.py", "lib/a.py", "lib/deep/c.py"):
        (bench.root / name).write_text(PYTHON)
    (bench.root / "lib/empty.py").touch()
    (bench.root / "lib/x.bin").write_bytes(b"\0")
    (bench.root / "lib/binary.py").write_bytes(b"\0def f()")
    text = bench.text(path="lib")
    assert [line for line in text.split("\n") if line.startswith("#")] == [
        "# lib/a.py", "# lib/b.py",
    ]  # fmt: skip


def test_nothing_defined_is_said(bench: Bench):
    (bench.root / "a.py").write_text("def f(): pass\n")
    assert bench.text(path="a.py") == "No source code definitions found."
    assert bench.text(path=".") == "No source code definitions found."


def test_line_ends_of_windows_are_not_shown(bench: Bench):
    (bench.root / "a.py").write_bytes(PYTHON.replace("\n", "\r\n").encode())
    assert "4--8 | class A:\n" in bench.text(path="a.py")


def test_only_so_many_files_of_a_directory_are_parsed(bench: Bench):
    for number in range(210):
        (bench.root / f"{number:03}.py").write_text(PYTHON)
    text = bench.text(path=".")
    assert text.count("# ") == 50
    assert "Only the first 200 files were looked at." in text
    assert "Only the first 50 source files were parsed" in text


def test_only_so_many_definitions_are_shown(bench: Bench):
    body = "def f():\n    a\n    b\n    c\n"
    (bench.root / "a.py").write_text(body * 1001)
    (bench.root / "b.py").write_text(body)
    text = bench.text(path=".")
    assert text.count(" | ") == 1000
    assert text.endswith("The list ends here, at 1000 definitions.")


def test_a_long_line_is_cut(bench: Bench):
    (bench.root / "a.py").write_text(f"def f({'a' * 900}):\n    a\n    b\n    c\n")
    assert len(bench.text(path="a.py")) < 250


def test_a_file_too_large_to_be_parsed_is_named(bench: Bench):
    (bench.root / "a.py").write_text(PYTHON + "#" * 400_000)
    with pytest.raises(ToolError, match="larger than 400000 bytes"):
        bench.run(path="a.py")
    assert "a.py is too large to be parsed." in bench.text(path=".")


@pytest.mark.parametrize(
    ("path", "message"),
    [("gone", "does not exist"), ("gone.py", "does not exist"), ("a.txt", r"end in .*\.py")],
)
def test_what_has_no_definitions_is_an_error(bench: Bench, path: str, message: str):
    (bench.root / "a.txt").touch()
    with pytest.raises(ToolError, match=message):
        bench.run(path=path)


def test_what_is_refused_stays_refused(bench: Bench):
    (bench.root / ".agentignore").write_text("no.py\n")
    (bench.root / "no.py").write_text(PYTHON)
    with pytest.raises(BlockedPathError):
        bench.run(path="no.py")
    assert bench.text(path=".") == "No source code definitions found."


def test_a_grammar_that_is_not_installed_is_said(bench: Bench, without_grammars: None):
    (bench.root / "a.go").write_text("package p\n")
    (bench.root / "a.sh").write_text("f() {\n a\n b\n}\n")
    with pytest.raises(ToolError, match=r"no grammar for 'a\.go': .*agent-cli\[code\]"):
        bench.run(path="a.go")
    assert bench.text(path=".") == (
        "# a.sh\n1--4 | f() {\n\n1 source files were left out, a.go for one: "
        "there is no grammar for them. The user can install agent-cli[code]."
    )


def test_it_reads_and_says_so(bench: Bench):
    assert bench.effects(path="lib") == (Effect(Kind.READ, "lib"),)
    assert bench.preview(path="lib") == Words("list the definitions in 'lib'")

"""The architecture: which modules may import which, the style of every file, and the tools that check the rest."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from collections.abc import Callable
from graphlib import TopologicalSorter
from pathlib import Path

from beside import ToolRunner
from PySide6.QtCore import QObject

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "parapluie_gui"
QT = {"PySide6", "pyqtgraph"}
LARGE = (
    *("numpy", "torch", "transformers", "transformers.modeling_utils"),
    *("pandas", "pyarrow", "nltk", "scipy", "sklearn"),
    *sorted(QT),
)
#: `__main__.py` starts the command line, and `ui/app.py` runs `parapluie gui`.
PRINTING = re.compile(r"__main__\.py|commands/|ui/app\.py|features/\w+/(\w+_)?command\.py")


def loaded_by(*statements: str) -> list[set[str]]:
    """Return the large libraries that a fresh Python has loaded after each of some statements."""
    script = f"import sys\nnames = {LARGE!r}\n" + "\n".join(
        f"{statement}\nprint(*(name for name in names if name in sys.modules))" for statement in statements
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    return [set(line.split()) for line in done.stdout.splitlines()]


# Tools


def test_failing_and_slow_tools_are_reported():
    quick = ToolRunner({"fine": ("-c", "print('all is well')"), "broken": ("-c", "print('line 3: no'); exit(1)")})
    slow = ToolRunner({"slow": ("-c", "import time; time.sleep(60)")}, patience=0.1)
    for tools in (quick, slow):
        tools.start()
        tools.finish()
    assert list(quick.complaints) == ["broken"] and "line 3: no" in quick.complaints["broken"]
    assert list(slow.complaints) == ["slow"] and "nothing within 0.1 seconds" in slow.complaints["slow"]


def test_rooms_have_few_floors():
    """A room is one floor above the highest room from which it imports, including imports under TYPE_CHECKING."""
    import grimp

    graph = grimp.build_graph(PACKAGE.name, cache_dir=None)
    rooms = graph.find_children(PACKAGE.name)
    for room in rooms:
        graph.squash_module(room)
    below = {room: graph.find_modules_directly_imported_by(room) & rooms - {room} for room in rooms}
    floors: dict[str, int] = {}
    for room in TopologicalSorter(below).static_order():
        floors[room] = 1 + max((floors[other] for other in below[room]), default=0)
    assert max(floors.values()) <= 10, sorted(floors.items(), key=lambda item: item[1])


def test_time_limits_allow_for_a_busy_computer():
    clock = re.compile(r"\b(perf_counter|monotonic|process_time|thread_time)\(\).*<")
    asserts = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if re.search(r"perf_counter|monotonic|_time\(\)", text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Assert) and clock.search(test := ast.unparse(node.test)) and "in_time(" not in test
    ]
    assert asserts == [], "write in_time(SECONDS), from waiting, for the limit"


# Imports as they happen


def test_imports_are_light():
    package, commands, worker, waiting = loaded_by(
        "import parapluie_gui",
        "from parapluie_gui.commands.main import _build_parser; _build_parser()",
        "import parapluie_gui.work.worker, parapluie_gui.work.runner",
        "parapluie_gui.work.worker.LibraryLoader().wait()",
    )
    assert package == commands == set()
    assert worker <= {"numpy"}, "a worker loads what its jobs want"
    assert "transformers.modeling_utils" in waiting and not waiting & QT, (
        "the window loads all that its first view needs"
    )


def test_the_window_loads_no_heavy_library():
    (window,) = loaded_by("import parapluie_gui.ui.window.main, parapluie_gui.ui.app")
    assert window <= {"numpy", *QT}


# Files


@functools.cache
def files() -> dict[str, tuple[str, ast.Module]]:
    """Return the text and the syntax tree of each file of the package."""
    texts = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    return {name: (text, ast.parse(text)) for name, text in sorted(texts.items())}


def offenders(breaks: Callable[[str, ast.Module, str], bool]) -> list[str]:
    """Return the package's files that break a rule, given a file's text, syntax tree and name."""
    return [name for name, (text, tree) in files().items() if breaks(text, tree, name)]


def test_files_open_with_a_sentence():
    def silent(text: str, tree: ast.Module, name: str) -> bool:
        only_marks_a_folder = name.endswith("__init__.py") and len(tree.body) <= 1
        first = (ast.get_docstring(tree) or "").partition("\n")[0]
        return not only_marks_a_folder and not first.endswith((".", "?"))

    assert offenders(silent) == [], "begin the file with a sentence on its purpose"


def test_the_windows_files_are_in_rooms():
    assert [path.name for path in sorted((PACKAGE / "ui").glob("*.py"))] == ["__init__.py", "app.py"]


def test_only_the_front_door_handles_parsed_arguments():
    front = ("commands/main.py", "commands/arguments.py")
    parsed = re.compile(r"argparse\.Namespace|import.* Namespace")
    result = offenders(lambda text, tree, name: name not in front and bool(parsed.search(text)))
    assert result == [], "pass a frozen dataclass of options instead"


def test_only_one_module_interprets_column_names():
    ends = re.compile(r'"\.(p_yes|p_no|reverse|gap|bound)"|startswith\("pluie')
    assert offenders(lambda text, tree, name: bool(ends.search(text))) == ["scores/identity.py"]


def test_only_one_file_builds_commands_for_child_processes():
    result = offenders(lambda text, tree, name: "sys.executable" in text)
    assert result == ["children.py"], "the portable application has no Python interpreter"


def test_nothing_uses_pickle():
    forbidden = {"pickle", "shelve", "marshal"}

    def pickles(text: str, tree: ast.Module, name: str) -> bool:
        if not any(module in text for module in forbidden):
            return False
        imported = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
        imported += [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        return bool(forbidden & set(imported))

    assert offenders(pickles) == []


def test_json_and_toml_are_parsed_in_one_place():
    """`own_files` rejects non-files, damage and deep nesting; other modules parse only answers of servers and child
    processes.
    """
    allowed = re.compile(
        r"own_files\.py|places\.py|work/process_pool\.py|pluie/chat_template\.py|pairs/reading/isolated\.py|models/word_pieces\.py"
        r"|ui/setup/model_download\.py|features/(doctor/machine|servers/(connection|own_process)|training/trainer)\.py"
    )
    parsing = re.compile(r"\b(json|tomllib)\.loads?\(")
    assert offenders(lambda text, tree, name: not allowed.match(name) and bool(parsing.search(text))) == []


def test_nothing_calls_process_events():
    assert offenders(lambda text, tree, name: "processEvents" in text) == [], "it re-enters running code"


def test_models_never_run_remote_code():
    trusting = re.compile(r"""trust_remote_code["']?\s*[:=](?!\s*False\b)""")
    assert trusting.search('{"trust_remote_code": True}') and not trusting.search("trust_remote_code=False")
    assert offenders(lambda text, tree, name: bool(trusting.search(text))) == []


def test_only_the_command_line_prints():
    def prints(text: str, tree: ast.Module, name: str) -> bool:
        calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
        return (
            "print" in text and not PRINTING.match(name) and any(getattr(call, "id", "") == "print" for call in calls)
        )

    assert offenders(prints) == [], "print in a feature's command.py, or return the text"


def test_errors_are_not_reported_as_notices():
    """--quiet hides notices, so code that reports an error calls `say_error` or passes the error itself."""

    def named(node: ast.AST) -> str:
        return getattr(node, "id", getattr(node, "attr", ""))

    def hides(text: str, tree: ast.Module, name: str) -> bool:
        if not any(word in text for word in ("say", "notice", "BAD_INPUT")):
            return False
        notices = [
            node for node in ast.walk(tree) if isinstance(node, ast.Call) and named(node.func) in ("say", "notice")
        ]
        arguments = [call.args[0] for call in notices if isinstance(call.func, ast.Name) and call.args]
        texts = any(isinstance(argument, ast.Call) and named(argument.func) == "str" for argument in arguments)
        sentences = any(named(argument) in ("error", "missing") for argument in arguments)
        silent = any(
            isinstance(node, ast.FunctionDef)
            and "return BAD_INPUT" in (body := ast.unparse(node))
            and not any(call in body for call in ("say_error(", "_say(", "print("))
            for node in ast.walk(tree)
        )
        return texts or sentences or silent

    for wrong in ("say(str(error))", "notice(file.error)", "say(ready.missing)", "def run():\n    return BAD_INPUT"):
        assert hides(wrong, ast.parse(wrong), ""), wrong
    assert offenders(hides) == [], "report errors by `say_error`, or pass the error itself to `notice`"


# Libraries


def test_pyside_keeps_its_references_to_none():
    """PySide6 6.12.0 on Python 3.11 loses a reference to None in every void method, and aborts after a few thousand
    calls.
    """
    thing = QObject()
    before = sys.getrefcount(None)
    for _ in range(1000):
        thing.setObjectName("x")
    assert abs(sys.getrefcount(None) - before) < 100

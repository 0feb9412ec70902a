"""The program without each of its features, and without all of them: its commands and its window work.

The remaining tests are collected without one feature per day; `python tests/helpers/without.py NAME --tests` runs them.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import forked_program
import pytest
import without

from parapluie_gui.feature import installed_features

#: Like `without.COMMANDS` in a third of the time: with twenty pairs, and a picture of the window before it scores.
COMMANDS = (
    ("--help",),
    ("score", "demo", "-o", "scored.csv", "--metric", "edit_distance", "--judge", "pocket", "--limit", "20", "--quiet"),
    ("gui", "--demo", "--when", "loaded", "--screenshot", "window.png"),
)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy without features; its core is loaded once, and each command runs in a fork."""
    copy = tmp_path_factory.mktemp("bare")
    without.copy_without(without.names(), copy)
    return copy


@pytest.mark.parametrize("name", [*without.names(), "ALL"])
def test_the_program_works_without_a_feature(bare: Path, name: str):
    taken = set(without.names()) if name == "ALL" else without.dependents(name)
    kept = set(without.names()) - taken
    picture, printed = bare / "window.png", []
    with without.put_back(bare, kept):
        for command in COMMANDS:
            status, out, errors = forked_program.run(*command, env=without.environment(bare), copy=bare)
            assert status == 0, errors
            printed.append(out)
    for feature in installed_features():
        for part in feature.commands:
            listed = re.search(rf"^ +{part.name}(?= |$)", printed[0], flags=re.MULTILINE) is not None
            assert part.of or listed == (feature.name in kept), part.name
    assert picture.stat().st_size > 10_000
    picture.unlink()


def test_the_remaining_tests_are_collected_without_todays_feature(tmp_path: Path):
    without.copy_without(without.dependents(without.todays()), tmp_path / "copy")
    done = without.run(tmp_path / "copy", "-m", "pytest", "-q", "--collect-only", "-n", "0", "tests")
    assert done.returncode == 0, done.stdout[-3000:]


def test_no_test_file_imports_a_feature_that_may_be_absent():
    """Otherwise, without the feature, none of the file's tests could be collected."""
    tests = Path(__file__).parent
    wrong = []
    for file in [*tests.rglob("test_*.py"), *tests.rglob("conftest.py")]:
        own = file.parent.name if file.parent.parent == tests / "features" else ""
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            feature = without.feature_of(node)
            if feature and own not in without.dependents(feature):
                wrong.append(f"{file.relative_to(tests)}: {feature}")
    assert wrong == [], "import it in the test, and mark that with needs(NAME)"


def test_marks_name_existing_features():
    """Otherwise its test would be skipped everywhere."""
    marks = [
        ast.literal_eval(argument)
        for file in Path(__file__).parent.rglob("test_*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.needs"
        for argument in node.args
    ]
    assert marks and set(marks) <= set(without.names())


def test_a_feature_is_removed_with_the_feature_that_it_needs():
    assert without.dependents("talks") == {"talks", "share"}
    assert "errors" in without.dependents("explain") and without.dependents("concordance") == {"concordance"}

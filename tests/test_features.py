"""Features: the manual's example installed from a temporary folder, and the order of lists."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from parapluie_gui import manual
from parapluie_gui.feature import FeaturePart, arrange_entries, installed_features

ROOT = Path(__file__).parents[1]

#: Prints the window's analysis pages in a separate process in which the example is installed.
_WINDOW = """
import sys
from PySide6.QtWidgets import QApplication
from parapluie_gui import places
from parapluie_gui.storage.working_copies import WorkingCopies
from parapluie_gui.ui.analysis.pages import pages
from parapluie_gui.ui.state.driver import WorkerDriver
from parapluie_gui.ui.state.preferences import UserPreferences
from parapluie_gui.ui.widgets import theme
from parapluie_gui.ui.window.main import MainWindow
application = QApplication(sys.argv)
window = MainWindow(WorkingCopies(places.user_data()), UserPreferences(), WorkerDriver(target=print), theme.LIGHT)
window.tabs.show_named("questions")
print(window.analysis.page.title, *(page.title for page in pages()), sep="|")
window.close()
"""

_PYTHON = """
import parapluie_gui as pp
scores = pp.score([("Is it?", "It is."), ("It is.", "It was.")], metrics="bleu")
print(pp.mixed_questions(["Is it?"], ["It is."]), pp.analyse(scores, "questions").tables["questions"].csv())
from parapluie_gui.analysis.catalogue import analyses
print("questions" in [each.name for each in analyses() if each.in_report])
"""


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    """Return a folder of installed packages with the manual's example."""
    text = next(page for page in manual.pages() if page.name == "features").text
    files = dict(re.findall(r"(?m)^`([\w/.]+)`:\n\n```\w+\n(.*?)\n```$", text, re.DOTALL))
    assert len(files) == 4
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    described = tmp_path / "parapluie_questions-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: parapluie-questions\nVersion: 1.0\n", "utf-8")
    group, entry = re.findall(r'entry-points\."([\w.]+)"\]\n(.*)', files["pyproject.toml"])[0]
    (described / "entry_points.txt").write_text(f"[{group}]\n{entry.replace(chr(34), '')}\n", "utf-8")
    return tmp_path


def run(folder: Path, *arguments: str) -> str:
    path = os.pathsep.join([str(folder), str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, cwd=folder, env={**os.environ, "PYTHONPATH": path}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_manuals_example_adds_a_command_a_page_json_a_section_and_a_function(questions):
    def parapluie(*arguments: str) -> str:
        return run(questions, "-m", "parapluie_gui", *arguments)

    assert re.search(r"\n  questions +whether a question beside a statement lowers scores\n", parapluie("--help"))
    parapluie("score", "demo", "-o", "scored.csv", "--metric", "bleu", "--quiet")
    record = json.loads(parapluie("questions", "scored.csv", "--json"))
    assert "one is a question" in str(record) and "both or none" in str(record)
    assert "A question is no paraphrase" in parapluie("help", "questions")
    assert "Questions" in parapluie("help")
    title, *titles = run(questions, "-c", _WINDOW).strip().split("|")
    assert title == "Questions" and titles.index("Questions") > titles.index("By length")
    python = run(questions, "-c", _PYTHON)
    assert python.startswith("[ True]") and "one is a question" in python and python.endswith("True\n")


@pytest.mark.parametrize(("code", "error"), [("FEATURE = 1 / 0", "ZeroDivisionError"), ("exit(3)", "SystemExit: 3")])
def test_a_packages_broken_feature_is_reported_and_skipped(questions, code, error):
    (questions / "parapluie_questions" / "feature.py").write_text(code, encoding="utf-8")
    script = "import parapluie_gui.feature as f; print(len(f.installed_features()), *f.broken_features(), sep='|')"
    count, sentence = run(questions, "-c", script).strip().split("|")
    assert int(count) == len(installed_features())
    assert "parapluie-questions" in sentence and error in sentence and sentence.endswith("remove the package.")


def test_entries_follow_their_predecessor_or_come_last():
    own = [FeaturePart("a", ""), FeaturePart("b", "")]
    more = [
        FeaturePart("x", "", "a"),
        FeaturePart("y", "", "x"),
        FeaturePart("z", "", "gone"),
        FeaturePart("w", "", "gone b"),
        FeaturePart("v", "", "a"),
    ]
    assert [part.name for part in arrange_entries(own, more)] == ["a", "x", "y", "v", "b", "w", "z"]


def test_a_feature_has_the_name_of_its_folder():
    folders = {path.parent.name for path in (ROOT / "parapluie_gui" / "features").glob("*/feature.py")}
    assert {feature.name for feature in installed_features()} == folders
    assert all(feature.package == f"parapluie_gui.features.{feature.name}" for feature in installed_features())


def test_every_part_of_every_feature_can_be_loaded():
    for feature in installed_features():
        for kind in ("commands", "analyses", "columns", "metrics", "judges", "functions", "tabs"):
            for part in getattr(feature, kind):
                assert not part.place or part.load() is not None, f"{feature.name}: {part.place}"
        assert not feature.window or feature.load_window()
        assert all((ROOT / "resources" / "manual" / f"{page}.md").is_file() for page in feature.manual), feature.name


def test_listing_features_does_not_import_them():
    script = "import sys; from parapluie_gui.feature import installed_features; installed_features()\n"
    script += "print(*(name for name in sys.modules if name.count('.') > 2 and '.features.' in name))"
    assert set(run(ROOT, "-c", script).split()) == {f"{feature.package}.feature" for feature in installed_features()}

"""The portable application: excluded modules are never imported, and its smoke test covers everything."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from without_packages import run

from parapluie_gui.metrics import catalogue
from parapluie_gui.packages import TOGETHER

ROOT = Path(__file__).parents[1]
PACKAGING = ROOT / "packaging"
DENIED = tomllib.loads((PACKAGING / "denylist.toml").read_text("utf-8"))


def imported() -> dict[str, list[str]]:
    """Return the imports of the package's files, with the files, except those under TYPE_CHECKING."""
    result: dict[str, list[str]] = {}
    for path in (ROOT / "parapluie_gui").rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                node.body = []
        for node in ast.walk(tree):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            for name in names:
                result.setdefault(name, []).append(path.name)
    return result


#: Optional packages, which the program imports only if they are installed, or to report that they are missing.
OPTIONAL = {*TOGETHER, "peft", "ray", "xllamacpp", "eflomal", "sklearn", "sentencepiece"}


def test_the_program_imports_no_excluded_module():
    denied = DENIED["modules"]
    wrong = {
        name: files
        for name, files in imported().items()
        if name.partition(".")[0] not in OPTIONAL
        and any(name == each or name.startswith(f"{each}.") for each in denied)
    }
    assert wrong == {}
    assert len(denied) == len(set(denied))


def test_the_libraries_load_without_excluded_modules(tmp_path):
    """The libraries for window, tables, statistics and metrics load in a Python without the excluded modules."""
    script = """
import PySide6.QtCore, PySide6.QtGui, PySide6.QtSvg, PySide6.QtWidgets
import parapluie_gui.ui.app
import scipy.stats, scipy.special, scipy.optimize
import pyarrow.parquet, pyarrow.compute
import sacrebleu.tokenizers.tokenizer_13a, nltk.tokenize, nltk.stem.porter
import xlsxwriter, python_calamine, py3langid, tokenizers, jinja2.sandbox
"""
    done = run(script, tmp_path / "site", tmp_path, DENIED["modules"])
    assert done.returncode == 0, done.stderr


def test_excluded_files_are_not_libraries_in_use():
    kept = (
        *("PySide6/Qt/lib/libQt6Core.so.6", "PySide6/Qt/lib/libQt6Widgets.so.6", "PySide6/Qt/lib/libQt6Svg.so.6"),
        *("PySide6/Qt/plugins/platforms/libqxcb.so", "PySide6/Qt/plugins/platforms/libqoffscreen.so"),
        *("PySide6/Qt/plugins/imageformats/libqsvg.so", "PySide6/Qt/plugins/iconengines/libqsvgicon.so"),
        *("PySide6/plugins/platforms/qwindows.dll", "PySide6/Qt/plugins/platforms/libqcocoa.dylib"),
        *("pyarrow/_parquet.cpython-311-x86_64-linux-gnu.so", "pyarrow/libparquet.so.2600", "pyarrow/libarrow.so.2600"),
        *("parapluie_gui/resources/pocket/model.safetensors", "py3langid/data/model.npz"),
    )
    assert not [(name, pattern) for name in kept for pattern in DENIED["files"] if fnmatch(name, pattern)]


def test_the_smoke_test_covers_every_lexical_metric():
    namespace: dict[str, Any] = {"__name__": "smoke"}
    exec((PACKAGING / "smoke.py").read_text("utf-8"), namespace)
    tried = namespace["lexical"](Path(sys.executable))
    assert {*tried, "meteor"} == {info.id for info, _ in catalogue.shipped_metrics() if info.family == "lexical"}


def test_untested_platforms_are_marked_as_untested():
    text = (ROOT / ".github" / "workflows" / "portable.yml").read_text("utf-8")
    assert "NEVER RUN YET" in text or re.search(r"GitHub", (ROOT / "CHANGELOG.md").read_text("utf-8"))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="an entry of Linux's menus")
def test_the_menu_entry_works_for_a_folder_with_an_odd_name(tmp_path):
    folder = tmp_path / "Été & 100 % $x|\\y"
    folder.mkdir()
    for name in ("parapluie.desktop", "add-to-menu.sh"):
        shutil.copy(PACKAGING / "linux" / name, folder)
    home = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}
    entry = tmp_path / "home" / ".local" / "share" / "applications" / "parapluie.desktop"
    script = ["sh", str(folder / "add-to-menu.sh")]
    subprocess.run(script, env=home, check=True, capture_output=True)
    lines = dict(line.partition("=")[::2] for line in entry.read_text("utf-8").splitlines())
    assert lines["Icon"] == f"{folder}/parapluie.png"
    quoted = re.fullmatch(r'"(.*)" gui %f', lines["Exec"])
    assert quoted is not None
    # As in the specification, a backslash in a quoted argument is written as two.
    read = re.sub(r"\\(.)", r"\1", re.sub(r"\\\\", r"\\", quoted[1])).replace("%%", "%")
    assert read == f"{folder}/parapluie"
    subprocess.run([*script, "--remove"], env=home, check=True)
    assert not entry.exists()

"""`import parapluie_gui as pp`: its public names, which no module of the package replaces."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from types import ModuleType

import pandas
import pytest

import parapluie_gui as pp

#: Modules that run when imported, or need packages that are not installed everywhere.
APART = ("parapluie_gui.__main__", "parapluie_gui.features.parts.ray_engine")


@pytest.fixture
def frame():
    texts = {"source": ["A cat sat.", "It rains."], "hypothesis": ["A cat was sitting.", "It is dry."], "same": [1, 0]}
    return pandas.DataFrame(texts)


def test_public_names_survive_importing_any_module():
    before = {name: getattr(pp, name) for name in pp.__all__}
    for module in pkgutil.walk_packages(pp.__path__, "parapluie_gui."):
        if module.name not in APART:
            importlib.import_module(module.name)
    assert {name: getattr(pp, name) for name in pp.__all__} == before
    assert not any(isinstance(value, ModuleType) for value in before.values())
    assert not {module.name for module in pkgutil.iter_modules(pp.__path__)} & set(pp.__all__)


def test_every_public_name_exists_and_is_documented():
    assert set(pp._MODULES) | {"__version__"} == set(pp.__all__) <= set(dir(pp))
    assert all(getattr(pp, name).__doc__ for name in pp._MODULES)
    with pytest.raises(AttributeError, match="no attribute 'scores_of'"):
        _ = pp.scores_of


def test_a_data_frame_is_read_and_other_values_are_refused(frame):
    corpus = pp.read(frame, label="same")
    assert (corpus.source, corpus.label.tolist()) == (["A cat sat.", "It rains."], [1, 0])
    for wrong in (3, None, [("A cat sat.", "A cat was sitting.")]):
        with pytest.raises(pp.ParapluieError, match="Pass a path; lists of sentences can be passed to score"):
            pp.read(wrong)
    with pytest.raises(pp.ParapluieError, match="from one data frame, not from DataFrame"):
        pp.read(frame, "demo")


def test_a_corpus_is_printed_in_one_line_without_its_sentences():
    corpus = pp.read("demo")
    assert repr(corpus).startswith("<Corpus 'demo', 176 pairs: ") and "\n" not in repr(corpus)
    assert corpus.source[0] not in repr(corpus)


def test_a_numpy_judge_scores_without_torch_or_qt():
    script = (
        "import sys, parapluie_gui as pp; pp.score('a b', 'a c'); pp.score([('a b', 'a c')], metrics='bleu')\n"
        "print(*{'torch', 'PySide6', 'transformers', 'pandas', 'jinja2'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "", done.stdout


def test_the_start_of_the_program_loads_no_feature():
    """Ctrl+C works only once the signal handlers are installed."""
    script = "import sys, parapluie_gui.__main__; print(*(name for name in sys.modules if 'parapluie_gui' in name))"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    own = {name for name in loaded if name.startswith("parapluie_gui")}
    assert own == {"parapluie_gui", "parapluie_gui.__main__", "parapluie_gui.children", "parapluie_gui.version"}

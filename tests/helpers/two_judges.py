"""Two judges in Setup: the pocket judge in the list, and a copy of it in the picker."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from parapluie_gui import places
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import find_templates, load_templates
from parapluie_gui.work.scoring_plan import JudgeTemplates

#: Columns of their scores; the first judge has the plain name.
FIRST, SECOND = "pluie.cloze", "pluie.cloze@twin"

PAIRS = Corpus(
    "two",
    ["a", "b", "c"],
    ["The cat sleeps on the mat.", "It rained all day.", "Shares rose."],
    ["The dog sleeps on the mat.", "It was dry all day.", "Shares fell."],
    label=np.array([0, 0, 0], dtype=np.int8),
)


def judgings(folder: Path) -> tuple[JudgeTemplates, JudgeTemplates]:
    """Return the two judges, each with its default template."""
    twin = folder / "twin"
    shutil.copytree(places.pocket(), twin)
    cloze = find_templates(("CLOZE",), load_templates(None)[0])
    return JudgeTemplates(JudgeSettings("pocket"), cloze), JudgeTemplates(JudgeSettings(str(twin)), cloze)


def choose(window, folder: Path) -> None:
    """Choose the two judges in Setup, with edit distance as the only metric."""
    window.setup.metrics.choice.replace([])
    window.setup.set_judgings(judgings(folder))


def score_with_both(window, qtbot) -> None:
    """Open the pairs and score them with both judges."""
    window.state.corpora.open_generated("two", lambda: PAIRS)
    qtbot.waitUntil(lambda: window.workspace.corpus is not None)
    window.run()
    table = window.workspace.table
    qtbot.waitUntil(lambda: table.count_scores(SECOND) == 3 and window.scoring.state == "idle", timeout=60_000)

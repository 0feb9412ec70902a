"""The offer to use a column of grades as human scores or labels, in a corpus that has neither."""

from __future__ import annotations

import re
from functools import partial

import numpy as np

from parapluie_gui.arrays import Floats
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus
from parapluie_gui.pairs.reading.mapping import normalise_name
from parapluie_gui.ui.window.context import WindowContext, WindowController
from parapluie_gui.ui.window.role_actions import RoleActions

#: Numbers of different grades, and the highest grade, of a column that is offered.
_FEWEST, _MOST, _HIGHEST = 3, 11, 10

#: Words in the names of columns that count, number or date something, such as "n_tokens".
_COUNTS = re.compile(
    r"\b(n|nb|nr|no|num|number|counts?|ids?|index|idx|row|line|year|month|day|week|hour|age|size|length|len|tokens|words"
    r"|chars|characters|annotators|raters|workers|people|votes|edits|errors|round|batch|fold|split|version|seed)\b"
)


#: The place of a capital that begins a word, as in "numTokens".
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


class GradeOffer(WindowController):
    """Offers the only column of grades of a corpus that was just read, until another corpus is shown."""

    def __init__(self, context: WindowContext, roles: RoleActions) -> None:
        super().__init__(context)
        self._banner, self._roles = context.banner, roles
        self._text = ""
        self._workspace.corpus_changed.connect(self._offer)

    def _offer(self) -> None:
        if self._text:
            self._banner.withdraw(self._text)
            self._text = ""
        corpus = self._workspace.corpus
        if corpus is None or corpus.plan is None or corpus.labelled or corpus.human is not None:
            return
        graded = [name for name in corpus.extra if name not in corpus.annotators and _find_grades(corpus, name).size]
        if len(graded) != 1 or (values := corpus.numbers(graded[0])) is None:
            return
        grades = _find_grades(corpus, graded[0])
        least = float(grades[grades > (grades[0] + grades[-1]) / 2][0])
        labels = np.where(np.isnan(values), UNLABELLED, values >= least).astype(np.int8)
        sentence = self.tr("“{0}” has grades from {1:g} to {2:g}. Use them, or close this message to leave the column.")
        self._text = sentence.format(graded[0], grades[0], grades[-1])
        use = self._roles.use
        self._banner.warn(
            self._text,
            self.tr("As human score"),
            partial(use, self.tr("Human scores"), "human", values),
            (self.tr("As label from {0:g}").format(least), partial(use, self.tr("Labels"), "label", labels)),
        )


def _find_grades(corpus: Corpus, name: str) -> Floats:
    """Return the grades of a column, ascending; empty unless they are a few repeated whole numbers, but not counts."""
    words = normalise_name(_CAPITAL.sub(" ", name))
    values = None if _COUNTS.search(words) else corpus.numbers(name)
    present = np.empty(0) if values is None else values[~np.isnan(values)]
    grades = np.unique(present)
    if not _FEWEST <= len(grades) <= _MOST or len(grades) == len(present):
        return np.empty(0)
    fits = bool((grades == np.round(grades)).all()) and grades[0] >= 0 and grades[-1] <= _HIGHEST
    return grades if fits else np.empty(0)

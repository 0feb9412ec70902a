"""Options that this feature adds to `parapluie score` and `parapluie meta`."""

# Each call describes one argument of a command.

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from parapluie_gui.arrays import Scores
from parapluie_gui.commands.arguments import seed, switch
from parapluie_gui.commands.extension import CommandExtension
from parapluie_gui.pairs.corpus import Corpus


@dataclass(frozen=True, kw_only=True)
class ControlsExtension(CommandExtension):
    """Adds PEM's controls after the pairs that are scored."""

    controls: bool = switch(
        "add PEM's controls: each source itself, a random sentence, words in random order (unigram salad)"
    )
    seed: int = seed("random seed for the controls")

    @property
    def changes_pairs(self) -> str:
        return "--controls" if self.controls else ""

    def change_corpus(self, corpus: Corpus) -> Corpus:
        """Return the corpus, with controls if the option is set."""
        from parapluie_gui.features.papers.pem_controls import add_controls

        return add_controls(corpus, self.seed) if self.controls else corpus

    def summary(self, corpus: Corpus, values: Scores) -> Iterator[str]:
        """Yield a line for each kind of control in the corpus, including controls that were added earlier."""
        from parapluie_gui.analysis.statistics.summary import summary
        from parapluie_gui.features.papers.pem_controls import CONTROL, CONTROLS

        if CONTROL not in corpus.extra:
            return
        kinds = np.array([str(kind) for kind in corpus.extra[CONTROL].cells()])
        for control in CONTROLS:
            if (chosen := kinds == control.name).any():
                yield f"    control, {control.name}: {summary(values[chosen])}"


@dataclass(frozen=True, kw_only=True)
class SourcesExtension(CommandExtension):
    """Adds sources as hypotheses (ParaScore's extended corpora)."""

    extend: bool = switch("add a fifth of the sources as hypotheses, with human score 0")

    @property
    def changes_pairs(self) -> str:
        return "--extend" if self.extend else ""

    def change_corpus(self, corpus: Corpus) -> Corpus:
        """Return the corpus, with a fifth of its sources as hypotheses if the option is set."""
        from parapluie_gui.features.papers.parascore_extension import extend

        return extend(corpus) if self.extend else corpus

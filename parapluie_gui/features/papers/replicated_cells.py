"""Pairs and scores available for a paper's printed tables, by corpus and row."""

from __future__ import annotations

import fnmatch
from functools import cached_property

import numpy as np

from parapluie_gui.analysis.material import AnalysisMaterial, edit_distance
from parapluie_gui.analysis.names import judge_with_weights
from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.arrays import Mask, Scores
from parapluie_gui.features.papers.printed import PrintedCell, PrintedCorpus, PrintedPaper, PrintedRow
from parapluie_gui.scores.identity import identify

#: Separator of folder and file in the name by which a corpus is recognised.
_FOLDER = "/"


class PaperMaterial:
    """A paper's tables and the material from which they are computed.

    Attributes:
        material: The available pairs and scores.
        paper: The paper.
    """

    def __init__(self, material: AnalysisMaterial, paper: PrintedPaper) -> None:
        self.material, self.paper = material, paper

    def there(self) -> bool:
        """Whether any corpus of the paper is available."""
        return any(self.mask(corpus) is not None for corpus in self.paper.corpora.values())

    def mask(self, corpus: PrintedCorpus) -> Mask | None:
        """Return the pairs of a corpus, (n,); None if it is not available."""
        key = corpus.extends or corpus.key
        wanted = self.paper.corpora[key]
        if wanted.pair:
            return self._pair(wanted)
        masks = [mask for name, mask in self._parts.items() if wanted.is_called(name)]
        return np.asarray(np.any(masks, axis=0)) if masks else None

    @cached_property
    def _parts(self) -> dict[str, Mask]:
        """The pairs of each corpus, by its name and, for a single file, its folder."""
        corpus, parts = self.material.corpus, self.material.parts
        corpora = {name: mask for name, mask in parts.items() if mask.any() and (len(parts) == 1 or not mask.all())}
        if len(corpora) == 1 and corpus.path is not None:
            (mask,) = corpora.values()
            return {f"{corpus.path.parent.name}{_FOLDER}{corpus.path.name}": mask}
        return corpora

    def _pair(self, corpus: PrintedCorpus) -> Mask | None:
        source, hypothesis = corpus.pair
        texts = self.material.corpus
        matches = [s == source and h == hypothesis for s, h in zip(texts.source, texts.hypothesis, strict=True)]
        return np.array(matches, dtype=bool) if any(matches) else None

    def columns(self, row: PrintedRow) -> list[tuple[ScoreColumn, str]]:
        """Return the scores of a row, each with its template and model if they differ from the paper's."""
        result = []
        own = {name.upper() for name in self.paper.templates}
        for score_column in self.material.score_columns:
            identity = identify(score_column.name)
            maker = identity.maker
            if row.template and maker is not None and not maker.reverse:
                template = maker.template.upper()
                # A judge without the paper's templates is compared with the paper's first template.
                stranger = template not in own and row.template == self.paper.templates[0]
                if template == row.template.upper() or stranger:
                    result.append((score_column, self._computed_by(score_column, row)))
            elif row.score and score_column.name == row.score:
                result.append((score_column, self._computed_by(score_column, row)))
        return result

    def prediction_columns(self, row: PrintedRow) -> list[str]:
        """Return the columns with a row's predictions."""
        extra = self.material.corpus.extra
        if not row.predictions:
            return []
        return [row.predictions] if row.predictions in extra else fnmatch.filter(extra, row.predictions)

    @cached_property
    def distance(self) -> Scores:
        """The edit distances, (n,)."""
        stored = self.material.distance
        return edit_distance(self.material.corpus) if stored is None else stored

    def why(self, cell: PrintedCell, by: str) -> str:
        """Explain why our number may differ from the printed one; "" for no reason."""
        model = f"the paper's: {cell.row.model}" if by and cell.row.model else ""
        return "; ".join(filter(None, (model, cell.why, cell.row.differs, cell.corpus.differs)))

    def why_not(self, cell: PrintedCell) -> str:
        """Explain why a cell cannot be computed."""
        corpus, row = cell.corpus, cell.row
        if not corpus.mix and self.mask(corpus) is None:
            if corpus.absent:
                return f"no data: {corpus.absent}"
            return "no data: the corpus is not among the files"
        if corpus.mix and sum(self.mask(self.paper.corpora[key]) is not None for key in corpus.mix) < 2 and row.score:
            return "no data: at least two of its corpora are needed"
        if "S_" in cell.quantity:
            return "no similarity score, such as SBERT, to separate S_sim from S_div (the paper used SimCSE)"
        if row.template:
            return f"no judge has scored it (the paper used {row.model})"
        if row.predictions:
            return "no data: its predictions are not among the files"
        if row.model:
            return f"no weights, or not scored: {row.model}"
        return f"not scored with {row.score}" if row.score else "no data: the corpus is not among the files"

    def _computed_by(self, column: ScoreColumn, row: PrintedRow) -> str:
        """Return the template and model of a score if they differ from the paper's."""
        signature = self.material.signatures.get(column.name)
        model = dict(signature.fields).get("model", "") if signature is not None else ""
        if not row.model or row.model.casefold() in str(model).casefold():
            return ""
        maker = identify(column.name).maker
        template = "" if maker is None or maker.template.upper() == row.template.upper() else maker.template
        return " · ".join(filter(None, (template, judge_with_weights(str(model))))) or column.title

"""The evidence and the prompt of a pair's score, read from the files that store scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from parapluie_gui.errors import SessionError
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.evidence import AnswerEvidence, parse_stored_evidence
from parapluie_gui.pluie.prompt import PromptFrame, join_columns
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.storage.store import ScoreStore
from parapluie_gui.ui.state.session_file import SessionFile
from parapluie_gui.ui.state.workspace import CorpusWorkspace

Stored = TypeVar("Stored")


class EvidenceReader:
    """Reads evidence and prompts when they are shown. It never waits, and skips a file that cannot be read."""

    def __init__(self, workspace: CorpusWorkspace, session: SessionFile) -> None:
        self._workspace, self._session = workspace, session
        self._open: dict[Path, ScoreStore] = {}
        # Closed again, so that the file can be replaced.
        session.renamed.connect(self.close)

    def evidence(self, column: str, row: int) -> AnswerEvidence | None:
        """Return the evidence of a score of the corpus shown, or None."""
        signature, corpus = self._workspace.table.signatures.get(column), self._workspace.corpus
        if signature is None or corpus is None:
            return None
        # The scores of a template that shows further columns are stored under a key of all these texts.
        texts = corpus.source[row], corpus.hypothesis[row]
        columns = signature.columns or ("reference",)
        keys = [pair_key(*texts), pair_key(*texts, *(text or None for text in _cells(corpus, row, columns)))]
        return parse_stored_evidence(
            self._find(lambda store: next(filter(None, store.evidence(signature, keys)), None))
        )

    def prompt(self, column: str, row: int) -> str | None:
        """Return the exact prompt for a pair of the corpus shown, or None."""
        signature, corpus = self._workspace.table.signatures.get(column), self._workspace.corpus
        evidence = self.evidence(column, row)
        if signature is None or corpus is None or evidence is None:
            return None
        texts = corpus.source[row], corpus.hypothesis[row]
        return self.prompt_of(signature, *texts, evidence, lambda columns: _cells(corpus, row, columns))

    def prompt_of(
        self,
        signature: Signature,
        source: str,
        hypothesis: str,
        evidence: AnswerEvidence,
        cells: Callable[[Sequence[str]], Sequence[str]] = lambda columns: [""] * len(columns),
    ) -> str | None:
        """Return the exact prompt for any pair, or None if it is unknown.

        `cells` returns the cells of the pair's row, given names of columns of the corpus.
        """
        frame = self._find(lambda store: store.frame(signature))
        if frame is None:
            return None
        shown = PromptFrame.from_json(frame)
        first = join_columns(source, cells(shown.columns)) if shown.columns else source
        return shown.fill(first, hypothesis, evidence.explanation or "", evidence.examples or "")[0]

    def close(self) -> None:
        """Close the files; they are opened again when they are needed."""
        for path in list(self._open):
            self._open.pop(path).close()

    def _find(self, look: Callable[[ScoreStore], Stored | None]) -> Stored | None:
        """Return the first result that is not None, file by file."""
        for path in self._session.stores():
            try:
                if path not in self._open:
                    self._open[path] = ScoreStore(path, reading=True)
                result = look(self._open[path])
            except SessionError:
                continue
            if result is not None:
                return result
        return None


def _cells(corpus: Corpus, row: int, columns: Sequence[str]) -> list[str]:
    return ["" if (texts := corpus.texts(name)) is None else texts[row] or "" for name in columns]

"""The sentence on what changes a verdict, for the Pair panel and the stage."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from parapluie_gui.features.explain.explanation import Explanation
from parapluie_gui.metrics.changes.edits import Edit
from parapluie_gui.ui.widgets.text import isolate


def flip_sentence(explanation: Explanation, judged: bool = True) -> str:
    """Return the edits to undo for a different verdict ("Put “to” back and the judge says no."), "" if unknown.

    Args:
        explanation: The explanation of the score.
        judged: Does the verdict come from a judge, not from a metric at its threshold?
    """
    if explanation.flip is None or explanation.is_paraphrase is None:
        return ""
    translate = QCoreApplication.translate
    if judged:
        yes, no = translate("Explanation", "the judge says yes"), translate("Explanation", "the judge says no")
    else:
        yes = translate("Explanation", "the score is on the side of paraphrases")
        no = translate("Explanation", "the score is on the other side of its threshold")
    undone = _undo_words([explanation.edits[edit] for edit in explanation.flip])
    return translate("Explanation", "{0} and {1}.").format(undone, no if explanation.is_paraphrase else yes)


def _undo_words(edits: Sequence[Edit]) -> str:
    """Return an instruction to undo edits: "Put “to” back and leave out “not”"."""
    translate = QCoreApplication.translate
    put_back = [edit.source for edit in edits if edit.kind in ("replace", "drop")]
    left_out = [edit.hypothesis for edit in edits if edit.kind == "add"]
    moved = [edit.source for edit in edits if edit.kind == "move"]
    parts = [
        words.format(_list_texts(texts))
        for words, texts in (
            (translate("Explanation", "put {0} back"), put_back),
            (translate("Explanation", "leave out {0}"), left_out),
            (translate("Explanation", "move {0} back"), moved),
        )
        if texts
    ]
    if any(edit.kind == "spacing" for edit in edits):
        parts.append(translate("Explanation", "restore the white space"))
    sentence = translate("Explanation", ", ").join(parts)
    return sentence[:1].upper() + sentence[1:]


def _list_texts(texts: Sequence[str]) -> str:
    """Return texts in quotation marks: “a”, “b” and “c”."""
    translate = QCoreApplication.translate
    quoted = [translate("Explanation", "“{0}”").format(isolate(" ".join(text.split()))) for text in texts]
    if len(quoted) == 1:
        return quoted[0]
    return translate("Explanation", "{0} and {1}").format(translate("Explanation", ", ").join(quoted[:-1]), quoted[-1])

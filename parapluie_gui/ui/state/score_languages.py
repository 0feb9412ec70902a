"""Which languages scores know, where that is known: those of a corpus, and those chosen in Setup."""

from __future__ import annotations

from collections.abc import Iterable

from parapluie_gui.analysis.names import judge_title
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.pem.metric import default_model
from parapluie_gui.metrics.spec import Spec
from parapluie_gui.models.catalogue import entry
from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.state.workspace import Workspace


def languages_of_columns(workspace: Workspace, columns: Iterable[str]) -> dict[str, str]:
    """Return titles of scores and judges with the codes of the languages they know; the others are left out."""
    found: dict[str, str] = {}
    for column in columns:
        if identify(column).judged:
            found |= _of_judge(workspace.model_of(column))
            continue
        signature = workspace.table.signatures.get(column)
        info = catalogue.info(column, signature)
        # A metric with a model of the user's own knows what that knows.
        model = None if signature is None else dict(signature.fields).get("model")
        if info is not None and info.languages and model in (None, default_model().name):
            found[info.title] = info.languages
    return found


def languages_of_choice(metrics: Iterable[str], judge: str) -> dict[str, str]:
    """Return the same of metrics by their specs and of a judge, "" for none."""
    found = _of_judge(judge)
    for spec in map(Spec.parse, metrics):
        info = catalogue.info(spec.id)
        if info is not None and info.languages and not spec.argument:
            found[info.title] = info.languages
    return found


def _of_judge(model: str) -> dict[str, str]:
    known = entry(model)
    return {judge_title(model): known.languages} if known is not None and known.languages else {}

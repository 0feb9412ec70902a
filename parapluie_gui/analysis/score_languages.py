"""Which languages scores know, where that is known, and a sentence where the pairs are in another one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from parapluie_gui.analysis.names import judge_title
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.pem.metric import default_model
from parapluie_gui.metrics.spec import Spec
from parapluie_gui.models.catalogue import entry
from parapluie_gui.pairs.language import OTHER, corpus_languages
from parapluie_gui.pairs.language_names import language_name, language_names
from parapluie_gui.scores.identity import identify
from parapluie_gui.scores.signature import Signature


def languages_of_columns(columns: Iterable[str], signatures: Mapping[str, Signature]) -> dict[str, str]:
    """Return titles of scores and judges with the codes of the languages they know; the others are left out."""
    found: dict[str, str] = {}
    for column in columns:
        signature = signatures.get(column)
        # A metric with a model of the user's own knows what that knows.
        model = None if signature is None else dict(signature.fields).get("model")
        if identify(column).judged:
            found |= _of_judge(model or "")
            continue
        info = catalogue.info(column, signature)
        if info is not None and info.languages and model in (None, default_model().name):
            found[info.title] = info.languages
    return found


def languages_of_choice(metrics: Iterable[str], judges: Iterable[str]) -> dict[str, str]:
    """Return the same of metrics by their specs and of judges by their names."""
    found: dict[str, str] = {}
    for judge in judges:
        found |= _of_judge(judge)
    for spec in map(Spec.parse, metrics):
        info = catalogue.info(spec.id)
        if info is not None and info.languages and not spec.argument:
            found[info.title] = info.languages
    return found


def strange_language(scores: Mapping[str, str], sources: Sequence[str], hypotheses: Sequence[str]) -> str:
    """Return a sentence where pairs are surely in a language that scores were not made for, otherwise "".

    `scores` has titles with the codes of the languages that they know.
    """
    if not scores:
        return ""
    spoken = corpus_languages(sources, hypotheses)
    strange = [title for title, codes in scores.items() if spoken.outside(codes.split())]
    if not strange:
        return ""
    codes = {code for title in strange for code in scores[title].split()}
    known, count = language_names(sorted(codes)), spoken.counts.get(spoken.language, 0)
    if spoken.language == OTHER:
        language = f"in other languages than {known} ({spoken.looked_at:,} sentences looked at)"
    else:
        name = language_name(spoken.language)
        language = f"in {name} ({count:,} of {spoken.looked_at:,} sentences looked at surely are)"
    listed = strange[0] if len(strange) == 1 else f"{', '.join(strange[:-1])} and {strange[-1]}"
    return (
        f"The pairs are {language}. {listed} "
        f"{'was' if len(strange) == 1 else 'were'} made for {known}: "
        f"{'its' if len(strange) == 1 else 'their'} numbers here say little."
    )


def _of_judge(model: str) -> dict[str, str]:
    known = entry(model)
    return {judge_title(model): known.languages} if known is not None and known.languages else {}

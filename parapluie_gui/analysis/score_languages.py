"""Which languages scores know, where that is known, and a sentence where the pairs are in another one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from parapluie_gui.analysis.names import judge_title, template_words
from parapluie_gui.errors import listed
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.spec import Spec
from parapluie_gui.models.catalogue import entry
from parapluie_gui.pairs.language import OTHER, LanguageCounts, corpus_languages, plain_languages
from parapluie_gui.pairs.language_names import language_name, language_names
from parapluie_gui.pluie.templates import Template, built_in_templates
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
        if info is not None and info.languages and model in (None, info.usual_model):
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


def languages_of_templates(templates: Iterable[Template]) -> dict[str, str]:
    """Return titles of templates with the codes of the languages in which they ask, where they say it."""
    return {template_words(each.name.partition(",")[0]): each.language for each in templates if each.language}


def templates_of_columns(columns: Iterable[str], signatures: Mapping[str, Signature]) -> list[Template]:
    """Return the built-in templates under which these scores of judges came."""
    asked = {dict(signatures[column].fields).get("template") for column in columns if column in signatures}
    return [each for each in built_in_templates() if f"{each.name}@{each.digest}" in asked]


def describe_strange_language(
    scores: Mapping[str, str], sources: Sequence[str], hypotheses: Sequence[str], templates: Iterable[Template] = ()
) -> str:
    """Return sentences where pairs are surely in a language that scores or templates were not made for, otherwise "".

    `scores` has titles with the codes of the languages that they know.
    """
    templates = list(templates)
    if not describe_strange_languages(scores, plain_languages(sources, hypotheses), templates):
        return ""  # known without the detector
    return describe_strange_languages(scores, corpus_languages(sources, hypotheses), templates)


def describe_strange_templates(templates: Iterable[Template], spoken: LanguageCounts) -> str:
    """Return a sentence where templates ask in another language than the pairs surely are in, otherwise ""."""
    asking = {title: code for title, code in languages_of_templates(templates).items() if spoken.outside([code])}
    if not asking:
        return ""
    asked = language_names(sorted(set(asking.values())))
    verb = "asks" if len(asking) == 1 else "ask"
    return f"{listed(list(asking))} {verb} in {asked}: a template in the language of the pairs may do better."


def describe_strange_languages(scores: Mapping[str, str], spoken: LanguageCounts, templates: Sequence[Template]) -> str:
    """Return what `strange_language` does, of pairs whose languages are known."""
    strange = [title for title, codes in scores.items() if spoken.outside(codes.split())]
    asking = describe_strange_templates(templates, spoken)
    if not strange and not asking:
        return ""
    codes = {code for title in strange for code in scores[title].split()}
    codes = codes or {each.language for each in templates if each.language and spoken.outside([each.language])}
    known, count = language_names(sorted(codes)), spoken.counts.get(spoken.language, 0)
    if spoken.language == OTHER:
        language = f"in other languages than {known} ({spoken.examined:,} sentences looked at)"
    else:
        name = language_name(spoken.language)
        language = f"in {name} ({count:,} of {spoken.examined:,} sentences looked at surely are)"
    said = f"The pairs are {language}."
    if strange:
        said += (
            f" {listed(strange)} {'was' if len(strange) == 1 else 'were'} made for {known}: "
            f"{'its' if len(strange) == 1 else 'their'} numbers here say little."
        )
    return f"{said} {asking}".rstrip()


def _of_judge(model: str) -> dict[str, str]:
    known = entry(model)
    return {judge_title(model): known.languages} if known is not None and known.languages else {}

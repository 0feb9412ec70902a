"""The languages that scores are made for, and a warning if the pairs are in a different language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from parapluie_gui.analysis.names import judge_title, template_words
from parapluie_gui.errors import join_words
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.spec import MetricSpec
from parapluie_gui.models.catalogue import entry
from parapluie_gui.pairs.language import OTHER, LanguageCounts, corpus_languages, plain_languages
from parapluie_gui.pairs.language_names import language_name, language_names
from parapluie_gui.pluie.templates import Template, built_in_templates
from parapluie_gui.scores.identity import identify
from parapluie_gui.scores.signature import Signature


def languages_of_columns(columns: Iterable[str], signatures: Mapping[str, Signature]) -> dict[str, str]:
    """Return the language codes of scores and judges by title, leaving out those without known languages."""
    languages: dict[str, str] = {}
    for column in columns:
        signature = signatures.get(column)
        # A metric with the user's own model has the languages of that model.
        model = None if signature is None else dict(signature.fields).get("model")
        if identify(column).is_from_judge:
            languages |= _judge_languages(model or "")
            continue
        info = catalogue.info(column, signature)
        if info is not None and info.languages and model in (None, info.usual_model):
            languages[info.title] = info.languages
    return languages


def languages_of_choice(metrics: Iterable[str], judges: Iterable[str]) -> dict[str, str]:
    """Return the language codes of metrics, given by specs, and of judges, given by names, by title."""
    languages: dict[str, str] = {}
    for judge in judges:
        languages |= _judge_languages(judge)
    for spec in map(MetricSpec.parse, metrics):
        info = catalogue.info(spec.id)
        if info is not None and info.languages and not spec.argument:
            languages[info.title] = info.languages
    return languages


def languages_of_templates(templates: Iterable[Template]) -> dict[str, str]:
    """Return the language codes of templates by title; templates without a language are left out."""
    return {
        template_words(template.name.partition(",")[0]): template.language
        for template in templates
        if template.language
    }


def templates_of_columns(columns: Iterable[str], signatures: Mapping[str, Signature]) -> list[Template]:
    """Return the built-in templates of these scores of judges."""
    used = {dict(signatures[column].fields).get("template") for column in columns if column in signatures}
    return [template for template in built_in_templates() if f"{template.name}@{template.digest}" in used]


def describe_strange_language(
    scores: Mapping[str, str], sources: Sequence[str], hypotheses: Sequence[str], templates: Iterable[Template] = ()
) -> str:
    """Return a warning if the pairs are certainly in a language for which scores or templates are not made, else "".

    `scores` has language codes by title.
    """
    templates = list(templates)
    if not describe_strange_languages(scores, plain_languages(sources, hypotheses), templates):
        return ""  # this can be decided without the slow language detector
    return describe_strange_languages(scores, corpus_languages(sources, hypotheses), templates)


def describe_strange_templates(templates: Iterable[Template], spoken: LanguageCounts) -> str:
    """Return a warning if the pairs are certainly not in the language in which templates ask, else ""."""
    asked_in = {title: code for title, code in languages_of_templates(templates).items() if spoken.outside([code])}
    if not asked_in:
        return ""
    languages = language_names(sorted(set(asked_in.values())))
    verb = "asks" if len(asked_in) == 1 else "ask"
    return f"{join_words(list(asked_in))} {verb} in {languages}: a template in the language of the pairs may do better."


def describe_strange_languages(scores: Mapping[str, str], spoken: LanguageCounts, templates: Sequence[Template]) -> str:
    """Return the warning of `describe_strange_language` for pairs with known languages."""
    strange_scores = [title for title, codes in scores.items() if spoken.outside(codes.split())]
    template_sentence = describe_strange_templates(templates, spoken)
    if not strange_scores and not template_sentence:
        return ""
    codes = {code for title in strange_scores for code in scores[title].split()}
    codes = codes or {
        template.language for template in templates if template.language and spoken.outside([template.language])
    }
    known, count = language_names(sorted(codes)), spoken.counts.get(spoken.language, 0)
    if spoken.language == OTHER:
        language = f"in languages other than {known} ({spoken.examined:,} sentences examined)"
    else:
        name = language_name(spoken.language)
        language = f"in {name} ({count:,} of {spoken.examined:,} sentences examined are clearly in it)"
    sentence = f"The pairs are {language}."
    if strange_scores:
        sentence += (
            f" {join_words(strange_scores)} {'was' if len(strange_scores) == 1 else 'were'} made for {known}, "
            f"so {'its' if len(strange_scores) == 1 else 'their'} scores say little here."
        )
    return f"{sentence} {template_sentence}".rstrip()


def _judge_languages(model: str) -> dict[str, str]:
    known = entry(model)
    return {judge_title(model): known.languages} if known is not None and known.languages else {}

"""Probes of a judge: has it seen the pairs in its training, and does the spelling of its answers matter?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from parapluie_gui.arrays import Rows, Scores
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.passport.rewording import reword_pair
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.evidence import AnswerEvidence
from parapluie_gui.pluie.templates import Template
from parapluie_gui.pluie.turns import ChatTurn
from parapluie_gui.work.events import PromptShown
from parapluie_gui.work.handle import RequestHandle
from parapluie_gui.work.local import LocalScorer
from parapluie_gui.work.scoring_plan import JudgeTemplates, ScoringPlan
from parapluie_gui.work.show_prompt import ShowPrompt

#: Maximum number of pairs of each probe, and of sentences to complete.
PROBED, BEGUN = 48, 16

#: Replaces the second sentence if the judge must not see it.
HIDDEN = "…"

#: Minimum number of words that the judge has to complete.
_FEWEST_WORDS = 4

#: After Golchin and Surdeanu (ICLR 2024), who ask for the second piece of an instance.
COMPLETION = Template(
    "COMPLETION",
    (
        ChatTurn(
            "user",
            "Here are the two sentences of a published sentence pair; the second one is cut off. Write the rest of "
            "the second sentence, exactly as it was published, and nothing else.\n"
            "Sentence 1: {source}\nSentence 2: {hypothesis}",
        ),
        ChatTurn("assistant", "", generate=True, max_new_tokens=48),
        ChatTurn("user", "Was that the published sentence? Answer Yes or No."),
    ),
)

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, eq=False)
class ProbeAnswers:
    """The answers of a judge to the probes.

    Attributes:
        hidden: Scores with `HIDDEN` in place of the second sentence, (n,), NaN where it was not asked.
        reworded: Scores of reworded copies, (n,), likewise.
        spelled: Scores with further spellings of the answers, (n,), likewise.
        completed, begun: Number of second sentences that it completed word for word, and that it was asked to complete.
    """

    hidden: Scores
    reworded: Scores
    spelled: Scores
    completed: int = 0
    begun: int = 0


def probe_judge(
    corpus: Corpus, rows: Rows, judging: JudgeTemplates, template: Template, device: str, scorer: LocalScorer
) -> tuple[ProbeAnswers, list[ParapluieError]]:
    """Return a judge's answers to the probes under one template, and the errors that ended one.

    Args:
        corpus: The pairs.
        rows: The rows in the order in which they are chosen, (k,).
        judging: The judge.
        template: The template.
        device: The device, as in the plan.
        scorer: The scorer, which keeps the scores.
    """
    errors: list[ParapluieError] = []

    def score(variant: Corpus, chosen: Sequence[int], form: Template) -> Scores:
        values = np.full(len(corpus), np.nan)
        if len(chosen):
            plan = ScoringPlan((), (replace(judging, templates=(form,)),), device)
            table, failed = scorer.score(variant, plan, np.array(sorted(chosen)), quiet=True)
            errors.extend(failed)
            values = table[table.scores[0]] if table.scores else values
        return values

    copies = {row: pair for row in rows.tolist() if (pair := reword_pair(corpus.source[row], corpus.hypothesis[row]))}
    changed = list(copies)[:PROBED]
    reworded = replace(
        corpus,
        source=[copies[row][0] if row in copies else text for row, text in enumerate(corpus.source)],
        hypothesis=[copies[row][1] if row in copies else text for row, text in enumerate(corpus.hypothesis)],
    )
    few = rows[:PROBED].tolist()
    spelled = with_more_spellings(template)
    hidden = score(replace(corpus, hypothesis=[HIDDEN] * len(corpus)), few, template)
    again = score(reworded, changed, template)
    other = score(corpus, few, spelled) if spelled is not None else np.full(len(corpus), np.nan)
    completed, begun = (0, 0) if template.cloze else _complete(corpus, rows, judging, scorer)
    return ProbeAnswers(hidden, again, other, completed, begun), errors


def with_more_spellings(template: Template) -> Template | None:
    """Return a template that also counts other cases of its answers ("yes", "YES"), or None for a cloze."""
    if template.cloze:
        return None
    yes, no = ({text for word in words for text in _cases(word)} - set(words) for words in template.spellings)
    return replace(template, more_yes=(*template.more_yes, *sorted(yes)), more_no=(*template.more_no, *sorted(no)))


def cut_sentence(source: str, hypothesis: str) -> tuple[str, str] | None:
    """Return the first half of a second sentence and its rest, or None if the rest is short or occurs in the first."""
    places = [match.start() for match in _WORD.finditer(hypothesis)]
    if len(places) < 2 * _FEWEST_WORDS:
        return None
    at = places[len(places) // 2]
    rest = hypothesis[at:]
    return None if _words(rest) in _words(source) else (hypothesis[:at].rstrip(), rest)


def is_completed(beginning: str, rest: str, written: str) -> bool:
    """Return whether a written text continues a sentence word for word, with or without its beginning."""
    text, start, end = f"{_words(written)} ", f"{_words(beginning)} ", f"{_words(rest)} "
    return text.removeprefix(start).startswith(end)


def _complete(corpus: Corpus, rows: Rows, judging: JudgeTemplates, scorer: LocalScorer) -> tuple[int, int]:
    """Return how many second sentences a judge completed, and how many it was asked for; 0 if it cannot write."""
    completed = begun = 0
    for row in rows.tolist():
        cut = cut_sentence(corpus.source[row], corpus.hypothesis[row])
        if cut is None or begun == BEGUN:
            continue
        written: list[AnswerEvidence] = []
        handle = RequestHandle()
        handle.shown.connect(partial(_keep_evidence, written))
        if scorer.run(ShowPrompt(corpus.source[row], cut[0], judging.judge, COMPLETION), handle, quiet=True):
            return 0, 0
        begun += 1
        completed += any(is_completed(*cut, evidence.explanation or "") for evidence in written)
    return completed, begun


def _keep_evidence(into: list[AnswerEvidence], event: PromptShown) -> None:
    into.append(event.evidence)


def _words(text: str) -> str:
    return " ".join(word.casefold() for word in _WORD.findall(text))


def _cases(word: str) -> tuple[str, ...]:
    return word.lower(), word.capitalize(), word.upper()

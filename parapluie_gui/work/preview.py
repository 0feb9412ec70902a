"""Computing a job that tries a template: what a judge is shown for one pair, and what it answers; nothing is kept."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from parapluie_gui.models.catalogue import find_model
from parapluie_gui.pluie.templates import for_judge
from parapluie_gui.work.job import Job, JudgeLoaded, Notice, Previewed

if TYPE_CHECKING:
    from parapluie_gui.work.runner import Runner


def preview(runner: Runner, job: Job) -> None:
    """Show the job's one pair to the judge under its one template.

    Raises:
        ParapluieError: The judge cannot be loaded, or the template is not for it.
        Cancelled: The job is to end.
    """
    settings, (template,) = job.judge, job.templates
    assert settings is not None
    files = find_model(settings.model)
    for_judge(files.kind, files.name, job.templates)
    judge = runner.judge(job, files, settings)
    runner.emit(JudgeLoaded(job.id, judge.describe(exact=settings.exact)))

    def warn(text: str) -> None:
        runner.emit(Notice(job.id, text))

    scorer = judge.scorer(template, exact=settings.exact, warn=warn, guard=runner.gate.guard)
    (found,) = chain.from_iterable(scorer.score(job.sources, job.hypotheses))
    evidence = found.evidence
    fill = partial(scorer.frame.fill, job.sources[0], job.hypotheses[0])
    prompt, _ = fill(evidence.explanation or "", evidence.examples or "")
    runner.emit(Previewed(job.id, prompt, found.score, evidence, scorer.answer_tokens))

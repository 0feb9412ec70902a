"""The request for the exact prompt of a pair under a template, with the judge's answer; nothing is stored."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import chain

from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.prompt import join_columns
from parapluie_gui.pluie.templates import Template, check_template_kinds
from parapluie_gui.work.context import RequestContext
from parapluie_gui.work.events import PromptShown
from parapluie_gui.work.request import Request


@dataclass(frozen=True)
class ShowPrompt(Request):
    """A pair to show to a judge under a template, with `texts` of the further columns that the template shows."""

    source: str
    hypothesis: str
    judge: JudgeSettings
    template: Template
    texts: tuple[str, ...] = ()

    def wanted_judge(self) -> JudgeSettings:
        """Return the judge."""
        return self.judge

    def run(self, context: RequestContext) -> None:
        """Emit the prompt and the answer."""
        settings = self.judge.locate(context.stage)
        files = settings.files
        check_template_kinds(files.kind, files.name, (self.template,))
        judge = context.judge(files, settings)
        exact = settings.exact
        context.say_loaded(judge, exact=exact)
        scorer = judge.scorer(self.template, exact=exact, warn=context.notice, guard=context.gate.guard)
        source = join_columns(self.source, self.texts) if self.template.columns else self.source
        (scored,) = chain.from_iterable(scorer.score((source,), (self.hypothesis,)))
        evidence = scored.evidence
        fill = partial(scorer.frame.fill, source, self.hypothesis)
        prompt, _ = fill(evidence.explanation or "", evidence.examples or "")
        context.emit(PromptShown(context.job, prompt, scored.score, evidence, scorer.answer_tokens))

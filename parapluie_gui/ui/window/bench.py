"""Between the Bench and the worker: a typed pair is scored, paraphrases are written, pairs become a corpus."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial

import numpy as np

from parapluie_gui import places
from parapluie_gui.features.writing.corpus import WrittenSource, written_corpus
from parapluie_gui.features.writing.request import WriteCandidates
from parapluie_gui.judgements.columns import judged
from parapluie_gui.judgements.record import CORRECTION, NOTE, Judgement
from parapluie_gui.judgements.scheme import pair_verdict
from parapluie_gui.models.kind import CAUSAL
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.evidence import Evidence
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.writing import Sampling
from parapluie_gui.pluie.writing_templates import load_writing_templates
from parapluie_gui.scores.identity import identify, moved
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.state.chosen_scores import typed_scores
from parapluie_gui.ui.state.scoring import IDLE
from parapluie_gui.ui.widgets.arrange import give_menu
from parapluie_gui.ui.widgets.list_menu import Entry, ListMenu
from parapluie_gui.ui.widgets.text import pairs_words
from parapluie_gui.ui.window.context import Context, Helper
from parapluie_gui.ui.window.exporting import Exporter
from parapluie_gui.work.events import Batch, CandidatesWritten, Failed
from parapluie_gui.work.handle import Handle
from parapluie_gui.work.scoring_plan import ScoringPlan

#: Takes some scores of a pair: their values, evidence and prompts by column, and the judge's model.
ShowScores = Callable[[Mapping[str, float], Mapping[str, Evidence], Mapping[str, str], str], None]


@dataclass
class _Typed:
    """A pair on its way: who takes its scores, what these are called, and what each that has begun is computed with."""

    show: ShowScores
    source: str
    hypothesis: str
    names: Mapping[str, str] = field(default_factory=dict)
    signatures: dict[str, Signature] = field(default_factory=dict)


class BenchScoring(Helper):
    """Scores the pairs of the Bench with the metrics, judge and templates chosen in Setup."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._bench.score_requested.connect(self._score_typed)
        self._bench.history_changed.connect(self._keep)

    def score(
        self, source: str, hypothesis: str, show: ShowScores, *, metrics: bool, judges: Collection[JudgeSettings]
    ) -> list[Handle]:
        """Score a pair by the metrics, by some of the judges, or by both; `show` is called as scores come."""
        requests = self._requests(metrics=metrics, judges=judges)
        return [self._ask(plan, _Typed(show, source, hypothesis, names)) for plan, names in requests]

    @property
    def judges(self) -> list[JudgeSettings]:
        """All judges that are asked."""
        return [each.judge for each in self._setup.plan.judgings]

    def _ask(self, plan: ScoringPlan, typed: _Typed) -> Handle:
        # A session holds the scores of its corpora only: these go to the score cache.
        corpus = Corpus("", [""], [typed.source], [typed.hypothesis])
        handle = self._client.score(corpus, plan, urgent=True)
        handle.started.connect(lambda event: typed.signatures.update({event.column: event.signature}))
        handle.scored.connect(partial(self._show, typed))
        return handle

    def _score_typed(self, request: int, source: str, hypothesis: str) -> None:
        """Ask the judges one by one, each in a request: what one of them cannot do keeps none of the others from it."""
        bench, requests = self._bench, self._requests(metrics=True, judges=self.judges)
        show, errors = partial(bench.show_scores, request), list[str | None]()

        def end(error: str | None) -> None:
            errors.append(error)
            if len(errors) == len(requests):
                if texts := dict.fromkeys(filter(None, errors)):
                    bench.show_error(request, " ".join(texts))
                else:
                    bench.finish(request)

        for plan, names in requests:
            handle = self._ask(plan, _Typed(show, source, hypothesis, names))
            handle.staged.connect(lambda event: bench.show_stage(request, event.text))
            handle.failed.connect(lambda event: end(event.text))
            handle.finished.connect(lambda event: end(None))

    def _requests(
        self, *, metrics: bool, judges: Collection[JudgeSettings]
    ) -> list[tuple[ScoringPlan, dict[str, str]]]:
        """Return a plan for each of some judges, the metrics with the first, and what the columns are called here."""
        chosen = self._setup.plan.for_typed_pairs()
        alone = [(name, each.judgings[0]) for name, each in typed_scores(chosen)[0].items() if each.judgings]
        found: list[tuple[ScoringPlan, dict[str, str]]] = []
        specs = chosen.metrics if metrics else ()
        for judge in dict.fromkeys(judging.judge for _, judging in alone):
            templates = {name: judging.templates[0] for name, judging in alone if judging.judge == judge}
            if judge in judges:
                plan = ScoringPlan.of_judge(judge, templates.values(), () if found else specs)
                found.append((plan, {template.column: name for name, template in templates.items()}))
        return found or ([(ScoringPlan(specs, (), chosen.device), {})] if specs else [])

    def _show(self, pair: _Typed, batch: Batch) -> None:
        asked = next(iter(batch.values))
        signature, column = pair.signatures[asked], pair.names.get(asked, asked)
        evidence = batch.evidence[0] if batch.evidence else None
        prompt = None
        if evidence is not None:
            prompt = self._state.evidence.prompt_of(signature, pair.source, pair.hypothesis, evidence)
        pair.show(
            {moved(name, asked, column): float(numbers[0]) for name, numbers in batch.values.items()},
            {} if evidence is None else {column: evidence},
            {} if prompt is None else {column: prompt},
            dict(signature.fields).get("model", "") if identify(column).judged else "",
        )

    def _keep(self, entries: list[BenchEntry]) -> None:
        self._state.settings.keep_bench([entry.as_dict() for entry in entries])


class BenchWriting(Helper):
    """Lets a judge write paraphrases of the sentence in the Bench, and scores them with what is chosen in Setup.

    Each candidate is a request of its own, so that the scores of one come before the next is written. A judge that is
    not the one that writes would be loaded anew for each: its scores come when all is written.
    """

    def __init__(self, context: Context, scorer: BenchScoring) -> None:
        super().__init__(context)
        found, broken = load_writing_templates(places.user_templates())
        self._panel, self._scorer = self._bench.paraphrases, scorer
        self._writing: Handle | None = None
        self._scores: list[Handle] = []
        self._number = self._wanted = 0
        self._judge, self._template, self._sampling = JudgeSettings(""), found[0], Sampling()
        self._written_with = self._system = ""
        self._waiting: list[int] = []
        self._panel.set_templates(found)
        if broken:
            self._panel.hint.say(broken[0].error)
        self._panel.write_requested.connect(self._begin)
        self._panel.stop_requested.connect(self._stop)
        self._panel.corpus_requested.connect(self._open_corpus)
        self._panel.model_wanted.connect(context.choose_judge)
        self._setup.changed.connect(self._list_models)
        self._list_models()

    def _list_models(self) -> None:
        judge = self._setup.judge
        models = [(choice.name, choice.title) for choice in judge.choices if choice.kind == CAUSAL and choice.ready]
        if judge.kind == CAUSAL and judge.name not in dict(models) and judge.choice is None:
            models.append((judge.name, judge.name))
        self._panel.set_models(models, judge.name)

    def _begin(self) -> None:
        source, _ = self._bench.fields.texts()
        panel = self._panel
        if not source:
            panel.hint.say(self.tr("Write a source sentence first."))
            self._bench.fields.source.setFocus()
        elif not panel.temperature.value() and panel.count.value() > 1:
            panel.hint.say(self.tr("At temperature 0 all candidates are the same. Choose 1 candidate or a higher one."))
        else:
            for handle in self._scores:  # of an earlier list
                handle.ignore()
            self._scores.clear()
            self._waiting.clear()
            self._number, self._wanted = 0, panel.count.value()
            self._judge = replace(self._setup.judge.judge_settings(), model=panel.model_name)
            self._template, self._sampling = panel.chosen_template(), panel.sampling()
            self._system = f"{panel.model_name} {self._template.name}"
            panel.begin(source)
            self._next()

    def _next(self) -> None:
        """Order the next candidate, or score the rest when all are there."""
        panel = self._panel
        panel.set_busy(self._number, self._wanted if self._number < self._wanted else 0)
        if self._number < self._wanted:
            self._number += 1
            numbers = (self._number,)
            request = WriteCandidates((panel.source,), self._judge, self._template, self._sampling, numbers)
            handle = self._writing = self._client.ask(request, urgent=True)
            handle.written.connect(self._take)
            handle.staged.connect(lambda event: panel.stage.say(event.text))
            handle.failed.connect(self._fail)
            handle.finished.connect(lambda event: self._next())
            if self._scoring.state != IDLE and self._judge not in self._scorer.judges:
                panel.stage.say(self.tr("Waiting for the corpus: another model is scoring it."))
            elif self._number == 1:
                panel.stage.say(self.tr("Writing …"))
            return
        self._writing = None
        panel.stage.say("")
        for place in self._waiting:
            others = [judge for judge in self._scorer.judges if judge != self._judge]
            self._score(place, metrics=False, judges=others)
        self._waiting.clear()

    def _take(self, batch: CandidatesWritten) -> None:
        self._written_with = batch.written_with
        for candidate in batch.candidates:
            place = self._panel.add(candidate)
            if not candidate.text:
                continue
            # Another judge than the one that writes would be loaded anew for each candidate.
            self._score(place, judges=[judge for judge in self._scorer.judges if judge == self._judge])
            self._waiting.append(place)

    def _score(self, place: int, *, judges: Collection[JudgeSettings], metrics: bool = True) -> None:
        panel = self._panel
        show, text = partial(panel.show_scores, place), panel.candidates[place].text
        for handle in self._scorer.score(panel.source, text, show, metrics=metrics, judges=judges):
            handle.failed.connect(lambda event: panel.hint.say(event.text))
            self._scores.append(handle)

    def _fail(self, event: Failed) -> None:
        self._panel.hint.say(event.text)
        self._wanted = self._number = 0
        self._next()

    def _stop(self) -> None:
        self._wanted = self._number = 0
        if self._writing is not None:
            self._writing.give_up()
        self._next()

    def _open_corpus(self) -> None:
        panel = self._panel
        source = WrittenSource("p", panel.source, panel.candidates)
        name = self.tr("Paraphrases of “{0}”").format(" ".join(panel.source.split()[:4]))
        corpus = written_corpus(name, [source], self._system, self._written_with)
        self._state.corpora.open_made(name, lambda: corpus)


def corpus_of(entries: Sequence[BenchEntry], name: str) -> Corpus:
    """Return pairs of the Bench as a corpus; their ids are their places, from 1."""
    return Corpus(
        name,
        [str(place + 1) for place in range(len(entries))],
        [entry.source for entry in entries],
        [entry.hypothesis for entry in entries],
    )


def records_of(entries: Sequence[BenchEntry], annotator: str, first: int = 0) -> list[Judgement]:
    """Return what was said of pairs of the Bench as somebody's, the first pair being this row of a corpus."""
    scheme, question = pair_verdict()
    now = datetime.now(UTC)
    found = []
    for row, entry in enumerate(entries, start=first):
        for asked, answer in zip((NOTE, (scheme, question.id), CORRECTION), entry.answers, strict=True):
            if answer:
                found.append(Judgement(row, annotator, *asked, answer, now))
    return found


def table_of(entries: Sequence[BenchEntry]) -> ScoreTable:
    """Return the scores of pairs of the Bench."""
    table = ScoreTable(len(entries))
    for row, entry in enumerate(entries):
        table.put(np.array([row]), {column: np.array([value]) for column, value in entry.values.items()})
    return table


class BenchCollecting(Helper):
    """Fills the menu of corpora, and asks for a file."""

    def __init__(self, context: Context, exporter: Exporter) -> None:
        super().__init__(context)
        self._exporter = exporter
        past = self._bench.past
        give_menu(past.collect_button, ListMenu(self._corpora, "", past.collect_button))
        past.export_button.clicked.connect(self._export)

    def _corpora(self) -> Iterator[Entry]:
        yield self.tr("New corpus"), partial(self.collect, None)
        for entry in self._state.corpora.entries:
            yield self.tr("Add to “{0}”").format(entry.name), partial(self.collect, entry.id)

    def collect(self, number: int | None) -> None:
        """Put the selected pairs (all where none is selected) into a corpus, None for a new one."""
        self._bench.verdict.flush()
        entries = self._bench.past.chosen()
        annotator = self._state.notes.annotator
        pairs, table = corpus_of(entries, self.tr("Bench")), table_of(entries)
        scores = {name: table[name] for name in table}
        name = next((each.name for each in self._state.corpora.entries if each.id == number), pairs.name)
        words = self.tr("{0} put into the corpus “{1}”. Ctrl+1 shows it.").format(pairs_words(len(pairs)), name)
        done = partial(self.message.emit, words)
        self._state.corpora.collect(number, pairs, partial(records_of, entries, annotator), scores, done)

    def _export(self) -> None:
        self._bench.verdict.flush()
        entries = self._bench.past.chosen()
        corpus = corpus_of(entries, self.tr("Bench"))
        records = records_of(entries, self._state.notes.annotator)
        self._exporter.ask_for_pairs(judged(corpus, records, self._state.notes.schemes), table_of(entries))

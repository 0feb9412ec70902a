"""The analysis of passports, which describe the quality of a judge before its scores are relied on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

import numpy as np

from parapluie_gui.analysis.base import PAIRS, SCORES, Analysis, AnalysisRemark, AnalysisRequirement, Block, Run
from parapluie_gui.analysis.link import EditLink
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.one_sided import find_one_sided
from parapluie_gui.analysis.options import part
from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.score_column import ScoreColumn, Tick
from parapluie_gui.analysis.statistics.buckets import pair_lengths
from parapluie_gui.analysis.statistics.correlation import DRAWS
from parapluie_gui.analysis.table import Cell, Table, number
from parapluie_gui.arrays import Floats
from parapluie_gui.errors import join_words
from parapluie_gui.features.passport.facts import WITHOUT_CONTAMINATION, JudgeMeasurements, JudgeScores, collect_facts
from parapluie_gui.features.passport.passport import Passport, PassportDrift, pair_keys
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.difference.words import tokenize
from parapluie_gui.scores.identity import ScoreMaker, identify

#: Number of pairs above which fewer resamples are drawn, so that an interval takes seconds.
_MANY, _FEWER_DRAWS = 10_000, 100

#: Maximum number of pairs with a different verdict that a comparison lists.
_LISTED = 20


@dataclass(frozen=True, eq=False)
class JudgedMaterial(AnalysisMaterial):
    """The scores of pairs, with further measurements of their judges by the name of the score."""

    measured: Mapping[str, JudgeMeasurements] = field(default_factory=dict)

    @classmethod
    def from_measurements(cls, material: AnalysisMaterial, measured: Mapping[str, JudgeMeasurements]) -> JudgedMaterial:
        """Return the material together with the measurements of its judges."""
        return cls(
            **{entry.name: getattr(material, entry.name) for entry in fields(AnalysisMaterial)}, measured=measured
        )


_JUDGES = AnalysisRequirement(
    lambda material: any(map(_is_judge, material.score_columns)),
    "A passport needs the scores of a judge. Choose a template in Setup and press Run (F5).",
    "run",
    "A passport needs the scores of a judge. Use `parapluie passport JUDGE`.",
)


@dataclass(frozen=True)
class PassportOptions:
    """Options of the analysis: the pairs."""

    part: str = part()


class PassportAnalysis(Analysis[PassportOptions, tuple[Passport, ...]]):
    """Shows the passport of each judge, and all passports side by side."""

    name = "passport"
    title = "Passport"
    group = "Judges"
    about = (
        "What to know about a judge before you trust it: accuracy compared with a constant answer, position of "
        "zero, calibration, order of the sentences, shortcuts, speed and repetition, each with its interval"
    )
    manual = "passport"
    needs = (SCORES, PAIRS, _JUDGES)
    options = PassportOptions
    in_analyse = False

    def compute(self, material: AnalysisMaterial, options: PassportOptions, tick: Tick) -> tuple[Passport, ...]:
        corpus, where = material.corpus, material.parts[options.part]
        keys, judges = pair_keys(corpus), list(filter(_is_judge, material.score_columns))
        lengths, overlap = pair_lengths(corpus.source, corpus.hypothesis), word_overlap(corpus)
        draws = min(material.draws or DRAWS, DRAWS if len(corpus) <= _MANY else _FEWER_DRAWS)
        passports = []
        for done, column in enumerate(judges):

            def step(part: int, total: int, before: int = done) -> None:
                tick(before * total + part, len(judges) * total)

            judge = JudgeScores(
                column,
                material.labels,
                lengths,
                overlap,
                where,
                reverse=_reverse(material, column),
                wordings=_wordings(material, column),
                human=corpus.human,
                measured=material.measured.get(column.name) if isinstance(material, JudgedMaterial) else None,
            )
            one_sided = find_one_sided(column, material.labels, where)
            signature = material.signatures.get(column.name)
            passports.append(
                Passport(
                    column.name,
                    column.title,
                    options.part,
                    int(judge.has_score.sum()),
                    judge.threshold,
                    "" if one_sided is None else one_sided.sentence,
                    collect_facts(judge, draws, material.seed, step),
                    {} if signature is None else dict(signature.fields),
                    {keys[row]: float(column.values[row]) for row in np.flatnonzero(judge.has_score).tolist()},
                )
            )
        return tuple(passports)

    def finding(self, run: Run[PassportOptions, tuple[Passport, ...]]) -> str:
        sentences = [
            sentence
            for passport in run.result
            for sentence in (_describe(passport), passport.warning, describe_contamination(passport))
        ]
        return " ".join(filter(None, sentences))

    def blocks(self, run: Run[PassportOptions, tuple[Passport, ...]]) -> Sequence[Block]:
        tables = [passport_table(passport) for passport in run.result]
        beside = [] if len(run.result) < 2 else [side_by_side(run.result)]
        return (
            *tables,
            *beside,
            AnalysisRemark(
                "`parapluie passport JUDGE` also asks the judge itself: copies, the order of the sentences, seconds "
                "per pair and repeatability. For its behaviour on generated pairs, see the Certificate; for many forms "
                "of its question, the Wording test."
            ),
        )

    def details(self, run: Run[PassportOptions, tuple[Passport, ...]]) -> dict[str, object]:
        """Return all facts of each passport by the name of its score, without the scores of single pairs."""
        named = {passport.name: plain(passport) for passport in run.result}
        return {
            "passports": {
                name: {key: value for key, value in record.items() if key != "scores"}
                for name, record in named.items()
                if isinstance(record, dict)
            }
        }


def word_overlap(corpus: Corpus) -> Floats:
    """Return the share of each pair's distinct words that both sentences have, (n,), in [0, 1]; 1 without words."""
    shares = np.ones(len(corpus))
    for row, (source, hypothesis) in enumerate(zip(corpus.source, corpus.hypothesis, strict=True)):
        one, two = ({token.key for token in tokenize(text) if token.kind == "word"} for text in (source, hypothesis))
        if one or two:
            shares[row] = len(one & two) / len(one | two)
    return shares


def passport_table(passport: Passport) -> Table:
    """Return the facts of a passport as a table."""
    rows: list[tuple[Cell, ...]] = []
    group = ""
    for fact in passport.facts:
        rows.append(("" if fact.group == group else fact.group, fact.title, fact.value, fact.pairs, fact.note))
        group = fact.group
    return Table(
        f"passport-{passport.name}",
        f"Passport of {passport.title} on {passport.corpus}, {passport.pairs:,} pairs",
        ("", "measure", "value", "pairs", "how to read it"),
        tuple(rows),
        " ".join(
            filter(None, [passport.warning, "In brackets: 95 % intervals (Wilson's for shares, otherwise bootstrap)."])
        ),
        scores=(passport.name,),
    )


def side_by_side(passports: Sequence[Passport]) -> Table:
    """Return a table of the facts of several passports, with a row for each fact and a column for each judge."""
    titles = {fact.key: (fact.group, fact.title) for passport in passports for fact in passport.facts}
    rows: list[tuple[Cell, ...]] = []
    before = ""
    for key in sorted(titles, key=lambda key: [group for group, _ in titles.values()].index(titles[key][0])):
        facts = [passport.fact(key) for passport in passports]
        group, title = titles[key]
        rows.append(
            ("" if group == before else group, title, *(None if fact is None else fact.value for fact in facts))
        )
        before = group
    return Table(
        "passports",
        "Passports side by side",
        ("", "measure", *(passport.title for passport in passports)),
        tuple(rows),
        " ".join(passport.warning for passport in passports if passport.warning),
    )


def drift_tables(drift: PassportDrift, corpus: Corpus) -> list[Table]:
    """Return tables of the changes between two passports of a judge: facts, settings and verdicts."""
    before, after = drift.before, drift.after
    facts: list[tuple[Cell, ...]] = [
        (fact.title, earlier.value, fact.value, fact.value.value - earlier.value.value)
        for fact in after.facts
        if (earlier := before.fact(fact.key)) is not None
    ]
    counts = f"{len(drift.changes):,} of {drift.pairs:,} common pairs have a different verdict"
    sizes = f"mean change in a score {number(drift.mean)}, root mean square {number(drift.square)}"
    shown = drift.changes[:_LISTED]
    verdicts: list[tuple[Cell, ...]] = [
        (change.before, change.after, corpus.source[change.row], corpus.hypothesis[change.row]) for change in shown
    ]
    return [
        Table(
            f"drift-{after.name}",
            f"{after.title}, before and after",
            ("measure", "before", "after", "change"),
            tuple(facts),
            f"{counts}; {sizes}, greatest {number(drift.largest)}.",
            scores=(after.name,),
        ),
        Table(
            f"drift-settings-{after.name}",
            f"{after.title}, settings that changed",
            ("setting", "before", "after"),
            drift.settings,
            scores=(after.name,),
        ),
        Table(
            f"drift-verdicts-{after.name}",
            f"{after.title}, verdicts that changed",
            ("before", "after", "source", "hypothesis"),
            tuple(verdicts),
            f"The {len(shown)} with the largest change." if len(shown) < len(drift.changes) else "",
            scores=(after.name,),
            link=lambda row, column: EditLink(str(verdicts[row][2]), str(verdicts[row][3])),
        ),
    ]


def _describe(passport: Passport) -> str:
    accuracy, constant, lost = map(passport.fact, ("accuracy", "constant", "lost-at-zero"))
    if accuracy is None or constant is None:
        return ""
    sentence = (
        f"{passport.title} is right on {100 * accuracy.value.value:.0f} % of {accuracy.pairs:,} pairs; the same "
        f"answer to all of them would be right on {100 * constant.value.value:.0f} %"
    )
    if lost is not None and lost.value.low > 0:
        sentence += f"; a threshold learnt on labelled pairs gains {100 * lost.value.value:.0f} points"
    return f"{sentence}."


def describe_contamination(passport: Passport) -> str:
    """Return a sentence on signs that a judge has seen the pairs in its training; "" if none was looked for."""
    facts = {key: fact for key in WITHOUT_CONTAMINATION if (fact := passport.fact(key)) is not None}
    if not facts.keys() - {"published-order"}:
        return ""
    signs = [
        f"{fact.title} {number(fact.value.value)} [{number(fact.value.low)}, {number(fact.value.high)}]"
        for key, fact in facts.items()
        if fact.value.low > WITHOUT_CONTAMINATION[key]
    ]
    if signs:
        return f"{passport.title} may know these pairs from its training: {join_words(signs, 'and')}."
    return f"No sign was seen that {passport.title} knows these pairs from its training."


def _is_judge(column: ScoreColumn) -> bool:
    identity = identify(column.name)
    return identity.is_from_judge and not identity.reverse


def _maker(material: AnalysisMaterial, column: ScoreColumn) -> ScoreMaker | None:
    return identify(column.name, material.signatures.get(column.name)).maker


def _reverse(material: AnalysisMaterial, column: ScoreColumn) -> ScoreColumn | None:
    """Return the scores of the same judge and template with the sentences swapped, if there are any."""
    name = identify(column.name).orders[1]
    return next((other for other in material.score_columns if other.name == name), None)


def _wordings(material: AnalysisMaterial, column: ScoreColumn) -> list[ScoreColumn]:
    """Return the scores of the same judge under different templates."""
    maker = _maker(material, column)
    others = (other for other in material.score_columns if _is_judge(other) and other.name != column.name)
    return [
        other
        for other in others
        if maker is not None and maker.judge and (same := _maker(material, other)) and same.who == maker.who
    ]

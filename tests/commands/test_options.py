"""What is typed reaches a command as its frozen dataclass."""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path

import pytest

from parapluie_gui.analysis.evaluations import buckets, corpus
from parapluie_gui.commands import options
from parapluie_gui.commands.main import main
from parapluie_gui.features.certificate import analysis as certificate
from parapluie_gui.features.certificate.api import certify
from parapluie_gui.features.concordance import analysis as concordance
from parapluie_gui.features.papers import human_analysis as human
from parapluie_gui.features.papers import options as papers_options
from parapluie_gui.features.papers import paraphrasus_command as paraphrasus
from parapluie_gui.features.papers import replication
from parapluie_gui.features.parts.extension import ScoringInParts
from parapluie_gui.features.pem import options as pem_options
from parapluie_gui.features.training import options as train_options
from parapluie_gui.features.wordings import analysis as wordings

FAILED = certificate.Options(pairs=200, measure="failed")
FLIPS = wordings.Options(measure="flips", seed=3)

TYPED = [
    (
        "score a.csv b.csv -o out.csv --metric bleu --metric sbert --source A --delimiter TAB --exact",
        "parapluie_gui.commands.score.run",
        options.Score(
            corpus=(Path("a.csv"), Path("b.csv")),
            output=Path("out.csv"),
            more=(papers_options.Controls(), ScoringInParts()),
            reading=options.ReadingArguments(source="A", delimiter="TAB"),
            scoring=options.JudgeAndMetrics(metric=("bleu", "sbert"), exact=True),
        ),
    ),
    (
        "analyse s.csv --score x --distance y --only buckets --by kind --by length --latex",
        "parapluie_gui.commands.analysis.run",
        options.Analysing(
            corpus=(Path("s.csv"),),
            only=("buckets",),
            scores=options.ScoreChoice(score=("x",), distance=("y",)),
            writing=options.Writing(latex=True),
            analyses={"buckets": (buckets.BucketsOptions(by="kind"), buckets.BucketsOptions(by="length"))},
            asked=("buckets",),
        ),
    ),
    (
        "paraphrasus folder --metric bleu@0.5 --device cuda:1",
        "parapluie_gui.features.papers.paraphrasus_command.run",
        paraphrasus.RunParaphrasus(
            path=(Path("folder"),),
            scoring=paraphrasus.BenchmarkedMetrics(metric=("bleu@0.5",), device="cuda:1"),
        ),
    ),
    (
        "meta c.csv --extend --similarity sbert",
        "parapluie_gui.commands.analysis.run",
        options.Analysing(
            corpus=(Path("c.csv"),),
            more=(papers_options.Extending(extend=True),),
            scores=options.ScoreChoice(draws=0),
            only=("human",),
            analyses={"human": (human.Options(similarity="sbert"),)},
            asked=("human",),
            apart=True,
        ),
    ),
    (
        "describe a.csv b.csv --csv out --part a",
        "parapluie_gui.commands.analysis.run",
        options.Analysing(
            corpus=(Path("a.csv"), Path("b.csv")),
            writing=options.Writing(csv=Path("out")),
            only=("corpus",),
            analyses={"corpus": (corpus.CorpusOptions(part="a"),)},
            asked=("corpus",),
        ),
    ),
    (
        "gui --run --size 800x600",
        "parapluie_gui.commands.gui.run",
        options.Gui(corpus=None, score=True, size=(800, 600)),
    ),
    (
        "pem train p.tsv --human a.csv --human b.csv -o m.npz --scale 1 5 --pivot-stemmer french",
        "parapluie_gui.features.pem.command.run",
        pem_options.TrainPem(
            parallel=Path("p.tsv"),
            human=(Path("a.csv"), Path("b.csv")),
            output=Path("m.npz"),
            scale=(1.0, 5.0),
            pivot_stemmer="french",
        ),
    ),
    (
        "train-judge base a.csv@0.5 -o out --graded 2 4 --held-out h.csv",
        "parapluie_gui.features.training.command.run",
        train_options.TrainJudge(
            base="base", corpus=("a.csv@0.5",), output=Path("out"), graded=(2.0, 4.0), held_out=(Path("h.csv"),)
        ),
    ),
    ("models get smollm2-135m", "parapluie_gui.commands.models.get_model", options.GetModel(name="smollm2-135m")),
]


@pytest.mark.parametrize(("line", "function", "wanted"), TYPED, ids=[function for _, function, _ in TYPED])
def test_options_reach_their_command(monkeypatch, line, function, wanted):
    seen = []
    monkeypatch.setattr(function, lambda given: seen.append(given) or 0)
    assert main(line.split()) == 0
    if isinstance(wanted, options.Analysing):
        seen = [replace(each, analyses={name: each.analyses[name] for name in wanted.analyses}) for each in seen]
    assert seen == [wanted]


@pytest.mark.parametrize(
    ("line", "place", "field", "wanted"),
    [
        ("certify bleu", "features.certificate.command.run", "certificate", certificate.Options()),
        ("certify bleu --pairs 200 --measure failed", "features.certificate.command.run", "certificate", FAILED),
        ("sweep a.csv", "features.wordings.command.run", "wordings", wordings.Options()),
        ("sweep a.csv --measure flips --seed 3", "features.wordings.command.run", "wordings", FLIPS),
        ("replicate pem", "features.papers.replicate_command.run", "replication", replication.Options(paper="pem")),
        ("concordance a.csv not", "features.concordance.command.run", "search", concordance.Options(pattern="not")),
    ],
)
def test_commands_take_the_options_of_their_analysis(monkeypatch, line, place, field, wanted):
    seen = []
    monkeypatch.setattr(f"parapluie_gui.{place}", lambda given: seen.append(given) or 0)
    assert main(line.split()) == 0
    assert [getattr(each, field) for each in seen] == [wanted]


def test_certificates_have_as_many_pairs_everywhere():
    assert inspect.signature(certify).parameters["pairs"].default == certificate.Options().pairs


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("certify bleu --pairs 99", "99 is not a whole number from 100 to 100,000"),
        ("sweep a.csv --measure best", "invalid choice: 'best'"),
        ("analyse a.csv --draws -1", "-1 is not a whole number of 0 or more"),
        ("train-judge base a.csv -o out --rate 1", "1 is not a number above 0 and below 1"),
        ("train-judge base a.csv -o out --easy -0.1", "-0.1 is not a number of 0 or more"),
        ("pem train p.tsv --human a.csv -o m.npz --scale 1 high", "high is not a number"),
    ],
)
def test_wrong_numbers_are_refused_before_anything_is_loaded(capsys, line, words):
    with pytest.raises(SystemExit) as end:
        main(line.split())
    assert end.value.code == 2 and words in capsys.readouterr().err

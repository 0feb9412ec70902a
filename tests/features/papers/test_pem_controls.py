"""PEM's controls: three per source, seeded, with the paper's scores, and no other change of the corpus."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from parapluie_gui.commands.main import main
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.papers.pem_controls import CONTROLS, add_controls
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs import read
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.report.table import write_table
from parapluie_gui.scores.table import ScoreTable

SOURCES = [
    "the cat sat on the mat",
    "a dog barked at night",
    "the cat sat on the mat",
    "rain fell all day",
    "我想开通贷款",
]


def corpus(**more) -> Corpus:
    ids = [str(row) for row in range(5)]
    return Corpus("c", ids, SOURCES, ["x", "y", "z", "w", "v"], **more)


def test_there_are_three_controls_for_every_source():
    result = add_controls(corpus())
    assert len(result) == 5 + 3 * 4 and len(set(result.id)) == len(result)
    assert list(result.hypothesis[:5]) == ["x", "y", "z", "w", "v"]
    kinds = result.extra["control"].cells()
    assert list(kinds[:5]) == [None] * 5 and Counter(kinds[5:]) == {each.name: 4 for each in CONTROLS}
    for row in range(5, len(result)):
        source, hypothesis = result.source[row], result.hypothesis[row]
        if kinds[row] == "source":
            assert hypothesis == source
        elif kinds[row] == "random sentence":
            assert hypothesis in SOURCES and hypothesis != source
        elif source == SOURCES[-1]:
            assert len(hypothesis) >= len(source) and len(hypothesis.split()) == 1
        else:
            assert len(hypothesis.split()) == len(source.split())
            assert set(hypothesis.split()) <= {*" ".join(SOURCES[:4]).split(), *SOURCES[-1]}
    # Liu et al. (EMNLP 2010), section 5.1
    published = {"source": (5, 5, 1, 2), "random sentence": (1, 5, 5, 1), "unigram salad": (1, 1, 5, 1)}
    for name, numbers in published.items():
        row = list(kinds).index(name)
        columns = [f"control_{each}" for each in ("adequacy", "fluency", "dissimilarity", "overall")]
        assert tuple(result.extra[column].cell(row) for column in columns) == numbers


def test_controls_depend_only_on_the_seed():
    one, again, other = (list(add_controls(corpus(), seed).hypothesis) for seed in (3, 3, 4))
    assert one == again != other


def test_words_are_drawn_in_proportion_to_their_frequency():
    sources = ["a a a b"] + [f"{number} a a b" for number in range(400)]
    made = add_controls(Corpus("c", list(map(str, range(401))), sources, sources))
    salad = [
        text
        for text, kind in zip(made.hypothesis, made.extra["control"].cells(), strict=True)
        if kind == "unigram salad"
    ]
    counts = Counter(" ".join(salad).split())
    assert counts["a"] / counts.total() == pytest.approx(803 / 1604, abs=0.05)


def test_human_scores_of_pairs_are_not_copied_to_controls(tmp_path: Path):
    rows = np.arange(5.0)
    made = add_controls(
        corpus(human=rows, label=np.array([1, 0, 1, 0, -1], dtype=np.int8), reference=["r"] * 5, group=["g"] * 5)
    )
    np.testing.assert_array_equal(made.human, [*rows, *[np.nan] * 12])
    assert made.label.tolist() == [1, 0, 1, 0, -1] + [-1] * 12
    assert made.reference == ["r"] * 17 and made.group == ["g"] * 5 + [None] * 12
    write_table(tmp_path / "out.csv", made, ScoreTable(17))
    back = read(tmp_path / "out.csv")
    assert list(back.hypothesis) == list(made.hypothesis) and "control" in back.extra
    with pytest.raises(ParapluieError, match=r'^c already has a column "control"'):
        add_controls(made)


def test_a_single_source_has_no_second_sentence_to_draw():
    with pytest.raises(ParapluieError, match=r"^c has fewer than two different sources"):
        add_controls(Corpus("c", ["1", "2"], ["a", "a"], ["b", "c"]))


def test_metrics_separate_the_controls():
    made = add_controls(corpus())
    values = catalogue.metric("bleu").score(made.source, made.hypothesis)
    kinds = np.array([str(kind) for kind in made.extra["control"].cells()])
    assert values[(kinds == "source") & (np.arange(17) < 14)].tolist() == [1.0] * 3
    assert (values[kinds == "random sentence"] < 0.1).all()


def test_controls_are_added_scored_and_summarised(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["The cat sleeps.,The cat is asleep.,1,4.5", "The cat sleeps.,A dog barks.,0,1.0", '"Hello, you",=1+1,1,']
    text = "\n".join(["source,hypothesis,label,human", *lines, ""])
    (tmp_path / "pairs.csv").write_text(text, encoding="utf-8")
    controls = ["score", "pairs.csv", "-o", "out.csv", "--metric", "bleu", "--controls", "--seed", "2"]
    assert main(controls) == 0
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    assert len(table) == 3 + 2 * 3  # from two different sources
    assert [row["control"] for row in table[3:6]] == ["source", "random sentence", "unigram salad"]
    assert [row["bleu"] for row in table if row["control"] == "source"] == ["1.0", "0.0"]  # two words have no BLEU
    assert all(row["label"] == row["human"] == "" for row in table[3:])
    out = capsys.readouterr().out
    assert "    control, source: 0.500±0.500\n    control, random sentence: 0.000±0.000\n" in out
    assert main(["score", "out.csv", "-o", "again.csv", "--controls"]) == 2
    assert capsys.readouterr().err.startswith('parapluie: out already has a column "control"')
    assert not (tmp_path / "again.csv").exists()

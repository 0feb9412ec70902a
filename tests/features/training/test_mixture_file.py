"""The file that lists the corpora of a training run, the held-out pairs, and the figure for model selection."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from masked_models import save_masked

from parapluie_gui import places
from parapluie_gui.commands.main import main
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.training.criterion import KeptResult, balanced_threshold, criterion, kept_result
from parapluie_gui.features.training.mixture_file import KeptCorpus, _entries, read_mixture
from parapluie_gui.pairs import Corpus

MIXTURE = """
[[corpus]]
file = "cats.tsv"
share = 0.5
kind = "animals"
keep = 20

[[corpus]]
file = "numbers.tsv"
share = 2
kind = "mathematics"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("cats", "numbers"):
        rows = [
            f"The {name} sat on mat {row}.\t{f'The {name} sat {row}.' if row % 2 else f'Number {row}.'}\t{row % 2}"
            for row in range(80)
        ]
        path = tmp_path / f"{name}.tsv"
        path.write_text("source\thypothesis\tlabel\n" + "\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "mixture.toml").write_text(MIXTURE, encoding="utf-8")
    return tmp_path


def test_corpora_shares_and_held_out_pairs_are_read(folder: Path) -> None:
    result = read_mixture(folder / "mixture.toml", folder)
    assert [(part.corpus.name, part.share) for part in result.parts] == [("cats", 0.5), ("numbers", 2.0)]
    (held_out_corpus,), (report,) = result.kept, result.report
    assert (
        (held_out_corpus.kind, held_out_corpus.corpus.name) == (report.kind, report.corpus.name) == ("animals", "cats")
    )
    trained = {text for part in result.parts for pair in part.examples for text in pair[:2]}
    # Groups stay together: the pairs of "Number 4." in both corpora belong together.
    kept_texts, report_texts = ({*each.corpus.source, *each.corpus.hypothesis} for each in (held_out_corpus, report))
    assert 20 <= len(held_out_corpus.corpus) + len(report.corpus) < 30
    assert kept_texts and report_texts
    assert not kept_texts & report_texts
    assert not trained & (kept_texts | report_texts)
    assert len(result.parts[0].examples) == 80 - len(held_out_corpus.corpus) - len(report.corpus)


def test_a_kind_excluded_from_training_is_still_measured(folder: Path) -> None:
    result = read_mixture(folder / "mixture.toml", folder, ["animals"])
    assert [part.corpus.name for part in result.parts] == ["numbers"]
    assert [held_out_corpus.kind for held_out_corpus in result.kept] == ["animals"]
    with pytest.raises(ParapluieError, match=r"no corpus of the kind plants\. Choose from animals, mathematics"):
        read_mixture(folder / "mixture.toml", folder, ["plants"])


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[[corpus]]\nfile = 'cats.tsv'\nshare = 1\n", "is not a corpus. Give file, share and kind"),
        ("[[corpus]]\nfile = 'cats.tsv'\nshare = 0\nkind = 'a'\n", "share of cats.tsv must be above 0"),
        ("[[corpus]]\nfile = 'cats.tsv'\nshare = 1\nkind = 'a'\nweight = 3\n", "is not a corpus"),
        ("[[corpus]]\nfile = 'cats.tsv'\nshare = 1\nkind = 'a'\nnoise = 0.5\n", "noise of cats.tsv must be at least 0"),
        (
            "[[corpus]]\nfile = 'cats.tsv'\nshare = '1'\nkind = 'a'\n",
            "share, noise and keep of cats.tsv must be numbers",
        ),
        ("a = 1\n", "is not a list of corpora"),
        ("[[", "is not a list of corpora"),
    ],
)
def test_errors_in_a_mixture_file_are_reported(folder: Path, text: str, complaint: str) -> None:
    (folder / "wrong.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ParapluieError, match=complaint):
        read_mixture(folder / "wrong.toml", folder)


def test_the_seventh_round_holds_out_the_same_pairs_as_the_sixth_and_repeats_no_pair() -> None:
    older, newer = (
        {entry["file"]: entry for entry in _entries(places.resources() / "training" / name)}
        for name in ("mixture.toml", "seventh.toml")
    )
    assert {*newer} - {*older} == {"meanings/train.tsv"} and not {*older} - {*newer}
    assert all(newer[name]["keep"] == entry["keep"] for name, entry in older.items())
    assert all(newer[name]["kind"] == entry["kind"] for name, entry in older.items())
    assert max(entry["share"] for entry in newer.values()) <= 1


def test_families_of_a_mixture_file_are_its_groups(folder: Path) -> None:
    rows = [f"Cat {row}.\tDog {row}.\t{row % 2}\tfamily {row // 4}" for row in range(40)]
    (folder / "meant.tsv").write_text("source\thypothesis\tlabel\tgroup\n" + "\n".join(rows) + "\n", encoding="utf-8")
    mixture = folder / "families.toml"
    entry = "[[corpus]]\nfile = 'meant.tsv'\nshare = 1\nkind = 'meanings'\nnoise = 0.1\n"
    mixture.write_text(f"{entry}families = true\n", encoding="utf-8")
    (part,) = read_mixture(mixture, folder).parts
    assert set(part.families) == {f"family {number}" for number in range(10)}
    assert part.noise == 0.1
    mixture.write_text(entry, encoding="utf-8")
    (part,) = read_mixture(mixture, folder).parts
    assert part.families == ()


def held_out_corpus(kind: str, name: str, labels: list[int]) -> KeptCorpus:
    texts = [str(number) for number in range(len(labels))]
    return KeptCorpus(kind, Corpus(name, texts, texts, texts, label=np.array(labels, dtype=np.int8)))


def test_the_criterion_weighs_kinds_not_corpora() -> None:
    first = kept_result(held_out_corpus("a", "one", [1, 1, 0, 0]), np.array([3.0, 2.0, -1.0, -2.0]))
    assert (first.area, first.balanced) == (1.0, 1.0)
    second = kept_result(held_out_corpus("b", "two", [1, 1, 0, 0]), np.array([1.0, -1.0, 1.0, -1.0]))
    assert (second.area, second.balanced) == (0.5, 0.5)
    third = KeptResult("b", "three", 4, 1.0, 0.5)
    assert criterion([first, second]) == 0.75
    assert criterion([first, second, third], ["b"]) == 1.0
    assert criterion([first, second, third]) == pytest.approx((1 + (0.5 + 0.75) / 2) / 2)


def test_the_threshold_weighs_kinds_not_pairs() -> None:
    rng = np.random.default_rng(0)
    small, large = held_out_corpus("a", "one", [1, 0] * 50), held_out_corpus("b", "two", [1, 0] * 5000)
    scores = [rng.normal(len(each.corpus.label) > 100, 1, len(each.corpus.label)) for each in (small, large)]
    scores = [2 * (each.corpus.label == 1) + given for each, given in zip((small, large), scores, strict=True)]
    # Equal errors at 1 for the first kind and at 2 for the second.
    assert balanced_threshold([large], scores[1:]) == pytest.approx(2.0, abs=0.1)
    assert balanced_threshold([small, large], scores) == pytest.approx(1.5, abs=0.25)


def test_the_command_reads_the_file_and_its_card_names_the_held_out_pairs(folder: Path, tmp_path: Path, capfd) -> None:
    base, judge = save_masked(tmp_path / "tiny"), tmp_path / "judge"
    options = ["--rules", "0", "--easy", "0", "--rate", "5e-3", "--batch", "8", "--epochs", "2", "-o", str(judge)]
    assert main(["train-judge", str(base), str(folder / "mixture.toml"), *options]) == 0
    stderr = capfd.readouterr().err
    assert "calibrated on held-out pairs" in stderr
    assert "animals, cats: " in stderr and "criterion: " in stderr
    assert stderr.count("AUC, seen / held out: mean gap ") == 3, "a line for every epoch, and for the saved model"
    card = (judge / "MODEL_CARD.md").read_text(encoding="utf-8")
    (row,) = (line for line in card.splitlines() if line.startswith("| animals | cats | "))
    assert len(row.split("|")) == 9 and "AUC, not trained on" in card
    assert "The criterion, their mean over the kinds: **" in card

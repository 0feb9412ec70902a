"""Both halves of the demo corpus are well formed, balanced and alike, and share no pair with the public corpora.

The second half, held_out.tsv, is never scored here, so that nobody knows which of its pairs a judge gets wrong.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import parapluie_gui as pp
from parapluie_gui import places
from parapluie_gui.commands.main import main
from parapluie_gui.models import catalogue
from parapluie_gui.pluie.templates import built_in_templates, find_templates
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.ui.state.opening import read_demo

COLUMNS = ["id", "source", "hypothesis", "label", "phenomenon", "note"]
#: The name of each half and the prefix of its ids.
HALVES = {"demo.tsv": "demo", "held_out.tsv": "demo2"}
ROOT = Path(__file__).parents[1]
CORPORA = ROOT.parent / "shared" / "data"
#: Share of common words from which sentences of the two halves count as nearly the same.
NEARLY = 0.6

# (glob below shared/data, column of the first sentence, column of the second)
PUBLIC_TABLES = [("mrpc/*.txt", 3, 4), ("paws_wiki/*.tsv", 1, 2), ("stsb/*.csv", 5, 6)]


def text_of(half: str) -> str:
    """Return a half of the demo corpus as it is shipped."""
    return (places.resources() / "demo" / half).read_text(encoding="utf-8")


def rows_of(half: str) -> list[dict[str, str]]:
    return list(csv.DictReader(text_of(half).splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.fixture(scope="module", params=HALVES)
def half(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def rows(half: str) -> list[dict[str, str]]:
    return rows_of(half)


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, without punctuation and apostrophes."""
    return re.findall(r"\w+", re.sub("['\u2019]", "", text.lower()))


def sentences(rows: list[dict[str, str]]) -> list[str]:
    return [row[column] for row in rows for column in ("source", "hypothesis")]


def is_question(row: dict[str, str]) -> bool:
    return row["source"].endswith("?")


def share_of_paraphrases(rows: list[dict[str, str]]) -> float:
    return sum(row["label"] == "1" for row in rows) / len(rows)


def unordered(first: str, second: str) -> frozenset[str]:
    """Return a pair regardless of the order of its sentences and of repeated spaces."""
    return frozenset(" ".join(sentence.split()) for sentence in (first, second))


def test_each_half_reads_alike_with_and_without_quoting(half):
    text = text_of(half)
    lines = text.splitlines()
    plain = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert plain == list(csv.reader(lines, delimiter="\t"))
    assert plain[0] == COLUMNS
    assert {len(row) for row in plain} == {len(COLUMNS)}
    assert '"' not in text
    assert "\ufeff" not in text


def test_no_cell_is_empty_or_padded(rows):
    for row in rows:
        for column, cell in row.items():
            assert cell and cell == cell.strip(), f"{row['id']}: {column}"
        assert row["label"] in {"0", "1"}, row["id"]


def test_each_half_has_the_expected_size(rows):
    assert len(rows) >= 120


def test_the_first_pair_is_the_papers_example():
    first = rows_of("demo.tsv")[0]
    assert first["source"] == "Have you ever seen a tsunami ?"
    assert first["hypothesis"] == "Have you ever seen a tiramisu ?"
    assert first["label"] == "0"


def test_half_of_the_pairs_are_questions(rows):
    for row in rows:
        assert is_question(row) == row["hypothesis"].endswith("?"), row["id"]
    assert 2 * sum(map(is_question, rows)) == len(rows)


def test_labels_are_balanced(rows):
    assert 0.48 <= share_of_paraphrases(rows) <= 0.52
    assert 0.45 <= share_of_paraphrases([row for row in rows if is_question(row)]) <= 0.55


def test_ids_and_pairs_are_unique(half, rows):
    assert [row["id"] for row in rows] == [f"{HALVES[half]}-{n:03d}" for n in range(1, len(rows) + 1)]
    pairs = [unordered(row["source"], row["hypothesis"]) for row in rows]
    assert len(set(pairs)) == len(pairs)
    assert all(len(pair) == 2 for pair in pairs)


def test_every_phenomenon_has_several_pairs(rows):
    counts = Counter(row["phenomenon"] for row in rows)
    assert min(counts.values()) >= 4, counts


def test_both_halves_test_the_same_phenomena_in_the_same_order():
    kinds = [[(row["phenomenon"], row["label"], is_question(row)) for row in rows_of(half)] for half in HALVES]
    assert kinds[0] == kinds[1]


def test_the_halves_share_no_similar_sentences():
    first, second = ([set(words(text)) for text in sentences(rows_of(half))] for half in HALVES)
    alike = [(one, other) for one in first for other in second if len(one & other) >= NEARLY * len(one | other)]
    assert not alike


@pytest.mark.parametrize(
    ("folder", "least"),
    [
        pytest.param("training", 10, marks=pytest.mark.needs("training")),  # at least ten files of meanings
        pytest.param("certificate", 1, marks=pytest.mark.needs("certificate")),
    ],
)
def test_judges_are_not_trained_or_checked_on_the_second_half(folder, least):
    texts = [path for path in (places.resources() / folder).rglob("*") if path.suffix in {".toml", ".tsv", ".txt"}]
    assert len(texts) > least
    for path in texts:
        known = f" {' '.join(words(path.read_text(encoding='utf-8')))} "
        assert not [text for text in sentences(rows_of("held_out.tsv")) if f" {' '.join(words(text))} " in known], path


def test_edit_distance_does_not_predict_the_labels(rows):
    Levenshtein = pytest.importorskip("Levenshtein")
    scored = []
    for row in rows:
        source, hypothesis = row["source"], row["hypothesis"]
        distance = Levenshtein.distance(source, hypothesis) / max(len(source), len(hypothesis))
        scored.append((distance, row["label"] == "1"))
    best = 0.0
    for threshold in [*{distance for distance, _ in scored}, 2.0]:
        accuracy = sum((distance < threshold) == label for distance, label in scored) / len(scored)
        best = max(best, accuracy, 1 - accuracy)
    assert best < 0.62


def public_pairs() -> Iterator[frozenset[str]]:
    """Every sentence pair of MRPC, PAWS-Wiki, STS-B and PARAPHRASUS next to the repository."""
    for pattern, one, two in PUBLIC_TABLES:
        for path in sorted(CORPORA.glob(pattern)):
            if path.name.startswith("LICENSE"):
                continue
            with path.open(encoding="utf-8-sig", newline="") as file:
                for cells in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                    yield unordered(cells[one], cells[two])
    for path in sorted(CORPORA.glob("paraphrasus/*.json")):
        for pair in json.loads(path.read_text(encoding="utf-8")).values():
            yield unordered(pair["sentence1"], pair["sentence2"])


@pytest.mark.skipif(not CORPORA.is_dir(), reason="the public corpora are not beside the repository")
def test_no_pair_comes_from_a_public_corpus(rows):
    known = set(public_pairs())
    assert len(known) > 20_000  # at least 5,801 + 8,000 + 8,628, without repeated pairs
    assert not [row["id"] for row in rows if unordered(row["source"], row["hypothesis"]) in known]


@pytest.mark.skipif(not CORPORA.is_dir(), reason="the public corpora are not beside the repository")
def test_no_sentence_of_the_second_half_is_in_a_training_corpus():
    known: set[str] = set()
    for path in sorted((CORPORA / "training").glob("*.tsv")):
        with path.open(encoding="utf-8", newline="") as file:
            for cells in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                known.update(" ".join(words(cell)) for cell in cells[:2])
    assert len(known) > 100_000
    assert not [text for text in sentences(rows_of("held_out.tsv")) if " ".join(words(text)) in known]


def test_the_judge_that_ships_its_scores_has_one_for_every_pair_and_is_right_at_0_on_three_of_four():
    demo = read_demo()
    scores = demo.corpus.numbers("pluie.direct")
    p_yes, p_no = (demo.corpus.numbers(f"pluie.direct.{name}") for name in ("p_yes", "p_no"))
    assert scores is not None and not np.isnan(scores).any()
    assert np.log(p_yes / p_no) == pytest.approx(scores, abs=1e-4)
    assert np.mean((scores >= 0) == (demo.corpus.labels == 1)) == pytest.approx(0.784, abs=1e-3)
    fields = dict(demo.signatures["pluie.direct"].fields)
    assert (fields["model"], fields["precision"]) == ("qwen-1.5b", "llama.cpp+fixed")
    assert fields["template"] == f"DIRECT@{find_templates(['DIRECT'], built_in_templates())[0].digest}"
    assert fields["revision"] == catalogue.entry("qwen-1.5b").file_sha256[:12]


def test_the_demo_is_written_with_the_language_models_signed_scores(tmp_path, capsys):
    path = tmp_path / "judged.csv"
    assert main(["demo", str(path), "--judged"]) == 0
    demo = read_demo()
    assert pp.read(path).numbers("pluie.direct") == pytest.approx(demo.corpus.numbers("pluie.direct"))
    assert read_signatures(path) == demo.signatures
    assert main(["analyse", str(path), "--only", "thresholds", "--draws", "0"]) == 0
    assert "model:qwen-1.5b" in capsys.readouterr().out

"""The demo corpus is well formed, balanced, and shares no pair with the public corpora."""

from __future__ import annotations

import csv
import importlib.resources
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

COLUMNS = ["id", "source", "hypothesis", "label", "phenomenon", "note"]
CORPORA = Path(__file__).parents[1].parent / "shared" / "data"

# (glob below shared/data, column of the first sentence, column of the second)
PUBLIC_TABLES = [("mrpc/*.txt", 3, 4), ("paws_wiki/*.tsv", 1, 2), ("stsb/*.csv", 5, 6)]


def demo_text() -> str:
    """The demo file as it is shipped."""
    return importlib.resources.files("parapluie_gui.resources").joinpath("demo/demo.tsv").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    return list(csv.DictReader(demo_text().splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


def is_question(row: dict[str, str]) -> bool:
    return row["source"].endswith("?")


def share_of_paraphrases(rows: list[dict[str, str]]) -> float:
    return sum(row["label"] == "1" for row in rows) / len(rows)


def unordered(first: str, second: str) -> frozenset[str]:
    """A pair regardless of its order and of runs of spaces."""
    return frozenset(" ".join(sentence.split()) for sentence in (first, second))


def test_reads_alike_with_and_without_quoting():
    lines = demo_text().splitlines()
    plain = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert plain == list(csv.reader(lines, delimiter="\t"))
    assert plain[0] == COLUMNS
    assert {len(row) for row in plain} == {len(COLUMNS)}
    assert '"' not in demo_text()
    assert "\ufeff" not in demo_text()


def test_no_cell_is_empty_or_padded(rows):
    for row in rows:
        for column, cell in row.items():
            assert cell and cell == cell.strip(), f"{row['id']}: {column}"
        assert row["label"] in {"0", "1"}, row["id"]


def test_size(rows):
    assert len(rows) >= 120


def test_first_pair_is_the_example_of_the_paper(rows):
    first = rows[0]
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


def test_ids_and_pairs_are_unique(rows):
    assert [row["id"] for row in rows] == [f"demo-{n:03d}" for n in range(1, len(rows) + 1)]
    pairs = [unordered(row["source"], row["hypothesis"]) for row in rows]
    assert len(set(pairs)) == len(pairs)
    assert all(len(pair) == 2 for pair in pairs)


def test_every_phenomenon_has_several_pairs(rows):
    counts = Counter(row["phenomenon"] for row in rows)
    assert min(counts.values()) >= 4, counts


def test_edit_distance_does_not_give_the_labels_away(rows):
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
    """Every sentence pair of MRPC, PAWS-Wiki, STS-B and PARAPHRASUS that lies beside the repository."""
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
    assert len(known) > 20_000  # 5,801 + 8,000 + 8,628 at least, less repeated pairs
    assert not [row["id"] for row in rows if unordered(row["source"], row["hypothesis"]) in known]

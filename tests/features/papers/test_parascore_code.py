"""The authors' code of ParaScore, checked against nltk called in its way, and against the published correlations."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from nltk.stem.porter import PorterStemmer
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from nltk.translate.meteor_score import single_meteor_score

from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.statistics.correlation import correlation
from parapluie_gui.api.material import build_material
from parapluie_gui.features.papers.parascore_code import (
    AUTHORS_METRICS,
    _bleu,
    authors_bleu,
    authors_meteor,
    authors_rouge,
    authors_rouge_l,
    authors_scores,
)
from parapluie_gui.features.papers.parascore_extension import split_corpus
from parapluie_gui.features.papers.printed import printed_paper
from parapluie_gui.features.papers.replication import PrintedTablesAnalysis, ReplicationOptions
from parapluie_gui.metrics.lexical.tokens import treebank_tokens
from parapluie_gui.pairs import read
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.table import ScoreTable

WORDS = ["a", "I", "the", "cats", "cat", "runs", "running", "U.S.", "s", "ai", "go", "!", "1", "A"]


def sentences(count: int) -> list[tuple[str, str]]:
    chance = random.Random(0)
    return [
        (
            " ".join(chance.choices(WORDS, k=chance.randint(1, 9))),
            " ".join(chance.choices(WORDS, k=chance.randint(1, 9))),
        )
        for _ in range(count)
    ]


class NoWordNet:
    def synsets(self, word):
        return []


def test_bleu_matches_nltk_called_with_the_words_of_one_sentence():
    smooth = SmoothingFunction().method1
    for reference, hypothesis in sentences(400):
        ours, theirs = (list(treebank_tokens(text.strip().lower())) for text in (hypothesis, reference))
        # equal to the last digit, since equal scores share a rank
        assert authors_bleu(reference, hypothesis) == sentence_bleu(theirs, ours, smoothing_function=smooth)
        assert _bleu([theirs], ours) == sentence_bleu([theirs], ours, smoothing_function=smooth)
    assert _bleu([], ["a"]) == _bleu([["a"]], []) == 0.0


def test_meteor_matches_nltk_called_with_the_letters_of_one_sentence():
    stemmer, nothing = PorterStemmer(), NoWordNet()
    for reference, hypothesis in sentences(150):
        words = hypothesis.split()
        best = max(single_meteor_score(letter.split(), words, stemmer=stemmer, wordnet=nothing) for letter in reference)
        assert authors_meteor(reference, hypothesis) == pytest.approx(best)


def test_rouge_matches_a_computation_by_hand():
    # distinct runs {The, cat,, the, mat} and {the, CAT}: one in common
    assert authors_rouge("The cat, the mat.", "the the CAT", 1) == pytest.approx(2 * 1 / 6)
    # full stops separate sentences and are removed: {U, S, go} and {US, go}
    assert authors_rouge("U.S. go", "US go", 1) == pytest.approx(0.4, abs=0.01)
    # case-sensitively no run of two words is shared
    assert authors_rouge("...", "a", 1) == authors_rouge("The cat, the mat.", "the the CAT", 2) == 0.0
    assert authors_rouge("a b. c", "b c", 2) == pytest.approx(2 * (1 * 0.5) / 1.5)


def test_rouge_l_matches_a_computation_by_hand():
    assert authors_rouge_l("A b, c d.", "a c D") == pytest.approx(2 * (1 / 4 * 1 / 3) / (1 / 4 + 1 / 3))
    # of two subsequences of equal length, the package's choice: b, then c of the second piece, a counted twice
    assert authors_rouge_l("a b. c a", "b a. c") == pytest.approx(1.0)
    assert authors_rouge_l("a b", "b a") == pytest.approx(0.5)
    assert authors_rouge_l(".", "a") == 0.0


def test_pairs_without_a_reference_have_no_score_and_chinese_is_compared_by_characters():
    values = authors_scores("ROUGE-1", ["a b", None, ""], ["a b", "a", "a"])
    assert values[0] == pytest.approx(1.0) and np.isnan(values[1:]).all()
    assert authors_scores("ROUGE-1", ["天气好"], ["天气坏"])[0] == pytest.approx(2 / 3)


def test_the_authors_numbers_are_shown_next_to_ours():
    rows = sentences(40)
    human = np.arange(40.0) / 10
    texts = {"source": [source for source, _ in rows], "hypothesis": [hypothesis for _, hypothesis in rows]}
    corpus = Corpus("twitter-para", list(map(str, range(40))), **texts, human=human, extra={"rouge1": human})
    material = build_material(corpus, ScoreTable(40))
    run = analyse(PrintedTablesAnalysis(), material, ReplicationOptions("parascore"))
    cells = {(c.printed.corpus.key, c.printed.row.title, c.printed.quantity): c for c in run.result.cells}
    rest = split_corpus(corpus)[1]
    theirs = authors_scores("ROUGE-1", corpus.source, corpus.hypothesis)[rest]
    cell = cells["twitter", "Rouge-1.Free", "Pearson"]
    assert cell.ours == pytest.approx(1.0)
    assert cell.authors == pytest.approx(correlation(theirs, human[rest], kendall=False).pearson.value)
    table = next(block for block in PrintedTablesAnalysis().blocks(run) if getattr(block, "name", "") == "printed-1")
    assert table.header[3:6] == ("ours", "as their code", "printed")


@pytest.mark.parametrize("name", ["twitter-para", "bq-para"])
def test_the_published_numbers_come_from_the_authors_code(shared_data: Path, name: str):
    """BLEU with more digits is in log.txt of the authors' repository."""
    corpus = read(shared_data / "parascore" / f"{name}.csv")
    rest = split_corpus(corpus)[1] & ~np.isnan(corpus.human)
    values = authors_scores("BLEU", corpus.reference, corpus.hypothesis)
    blue = correlation(values[rest], corpus.human[rest], kendall=False)
    logged = {
        "twitter-para": (-0.11897535760158835, -0.10448345909348869),
        "bq-para": (0.1267915153609518, 0.14437280990918938),
    }[name]
    # nltk's tokenizer has changed slightly since
    assert (blue.pearson.value, blue.spearman.value) == pytest.approx(logged, abs=2e-4)


@pytest.mark.parametrize(("name", "key"), [("twitter-para", "twitter"), ("bq-para", "bq")])
def test_all_printed_rouge_and_bleu_rows_equal_the_authors_code(shared_data: Path, name: str, key: str):
    """Shen et al. (EMNLP 2022), table 1. The paper's METEOR is not the output of the published code."""
    corpus = read(shared_data / "parascore" / f"{name}.csv")
    rest = split_corpus(corpus)[1] & ~np.isnan(corpus.human)
    lexical = [
        cell
        for cell in printed_paper("parascore").cells
        if (cell.table, cell.corpus.key) == ("1", key) and cell.row.code.startswith(("ROUGE", "BLEU"))
    ]
    assert len(lexical) == 16
    for cell in lexical:
        others = corpus.reference if cell.row.code.endswith(".ref") else corpus.source
        values = authors_scores(cell.row.code.removesuffix(".ref"), others, corpus.hypothesis)
        result = correlation(values[rest], corpus.human[rest], kendall=False)
        coefficient = result.pearson if cell.quantity == "Pearson" else result.spearman
        assert coefficient.value == pytest.approx(cell.value, abs=7e-4), (cell.row.title, cell.quantity)


def test_each_lexical_row_of_the_paper_names_its_code():
    codes = {cell.row.code.removesuffix(".ref") for cell in printed_paper("parascore").cells if cell.row.code}
    assert codes == set(AUTHORS_METRICS)

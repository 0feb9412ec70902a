"""`pp.share`: the same page as the command, from scores in Python."""

from __future__ import annotations

import numpy as np
import pytest

import parapluie_gui as pp
from parapluie_gui.commands.main import main
from parapluie_gui.pairs import Corpus


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    random = np.random.default_rng(0)
    words = ["cat", "dog", "sun", "rain", "sleeps", "shines"]
    texts = [[" ".join(random.choice(words, length)) for _ in range(40)] for length in (4, 5)]
    return Corpus("<b>test", [str(row) for row in range(40)], *texts, label=np.arange(40) % 2)


@pytest.fixture(scope="module")
def scores(corpus) -> pp.Scores:
    return pp.score(corpus, metrics=["bleu", "edit_distance"])


def test_scores_are_shared_as_the_commands_page(scores, tmp_path):
    table = scores.write(tmp_path / "table.csv")
    page = pp.share(pp.read(table), tmp_path / "page.html", licence="CC0", thresholds={"bleu": 0.4})
    command = ["share", str(table), "-o", str(tmp_path / "other.html"), "--licence", "CC0", "--threshold", "bleu=0.4"]
    assert main(command) == 0
    assert page.read_bytes() == (tmp_path / "other.html").read_bytes()
    with pytest.raises(pp.ParapluieError, match="May these sentences be shared"):
        pp.share(scores, tmp_path / "page.html")
    with pytest.raises(pp.ParapluieError, match="not the name of a web page"):
        pp.share(scores, tmp_path / "page.txt", without_sentences=True)
    ids = pp.share(scores, tmp_path / "ids.html", without_sentences=True)
    assert "the sentences are not in this page" in ids.read_text(encoding="utf-8")

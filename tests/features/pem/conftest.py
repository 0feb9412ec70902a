"""A small PEM model, trained on sentences written for these tests."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path

import numpy as np
import pytest

from parapluie_gui.features.pem.training import PemSettings, train

_SUBJECTS = (("the dog", "le chien"), ("the cat", "le chat"), ("a child", "un enfant"), ("my sister", "ma soeur"))
_VERBS = (("sees", "voit"), ("likes", "aime"), ("eats", "mange"), ("finds", "trouve"))
_OBJECTS = (("the apple", "la pomme"), ("a house", "une maison"), ("the bread", "le pain"), ("my book", "mon livre"))


@pytest.fixture(scope="session")
def texts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A parallel text, and pairs with human scores from 0 to 1."""
    folder = tmp_path_factory.mktemp("pem")
    parallel, human = folder / "parallel.tsv", folder / "scored.csv"
    sentences = [
        (f"{s[0].capitalize()} {v[0]} {o[0]}.", f"{s[1].capitalize()} {v[1]} {o[1]}.")
        for s, v, o in itertools.product(_SUBJECTS, _VERBS, _OBJECTS)
    ] * 2
    parallel.write_text("".join(f"{one}\t{other}\tsomebody\n" for one, other in sentences), encoding="utf-8")
    rng = np.random.default_rng(0)
    with human.open("w", encoding="utf-8", newline="") as stream:
        write = csv.writer(stream)
        write.writerow(["source", "hypothesis", "human"])
        for _ in range(120):
            one, other = (sentences[at][0] for at in rng.integers(0, 64, 2))
            same = len(set(one.lower().split()) & set(other.lower().split())) / 5
            write.writerow([one, other, round(float(same), 3)])
        write.writerow(["The dog sees the apple.", "The dog sees the apple.", 1])
        write.writerow(["The dog sees the apple.", "My sister eats a house.", 0])
    return parallel, human


@pytest.fixture(scope="session")
def trained(texts: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a model trained on `texts` with nltk's aligner, which is always installed."""
    pytest.importorskip("sklearn")
    file = tmp_path_factory.mktemp("model") / "small.npz"
    train(texts[0], [texts[1]], file, PemSettings(aligner="nltk", least=2), lambda step, done, total: None)
    return file

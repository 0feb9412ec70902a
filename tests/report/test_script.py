"""Copy as Python: the scripts run, and give the numbers that the window's functions give."""

from __future__ import annotations

import csv
import runpy

import numpy as np
import pytest

from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.protocols.mixed_balanced import mixed_balanced
from parapluie_gui.analysis.protocols.parascore import meta
from parapluie_gui.analysis.score_column import parts, score_column
from parapluie_gui.analysis.study import Studied, study
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs import read
from parapluie_gui.pairs.pool import pool
from parapluie_gui.report.script import Judge, Recipe, python_script
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.storage.session import Session

WORDS = ("cat", "dog", "sun", "rain", "sleeps", "shines")


def corpus_file(folder, name: str, seed: int, pairs: int = 60):
    random = np.random.default_rng(seed)
    path = folder / name
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("id", "source", "hypothesis", "label", "human", "mine"))
        for row in range(pairs):
            texts = (" ".join(random.choice(WORDS, 4)), " ".join(random.choice(WORDS, 5)))
            writer.writerow((f"{seed}-{row}", *texts, int(random.integers(0, 2)), row % 7, round(random.random(), 2)))
    return path


def run(tmp_path, recipe: Recipe, capsys) -> tuple[dict, str]:
    path = tmp_path / "again.py"
    path.write_text(python_script(recipe), encoding="utf-8")
    found = runpy.run_path(str(path))
    return found, capsys.readouterr().out


def same(first, second) -> None:
    assert plain(first.thresholds) == plain(second.thresholds)
    assert plain(first.distribution) == plain(second.distribution)
    assert plain(first.independence) == plain(second.independence)
    assert plain(first.human) == plain(second.human)


def test_pooled_files_are_read_scored_and_studied(tmp_path, capsys):
    files = (corpus_file(tmp_path, "one's.csv", 1), corpus_file(tmp_path, "two.csv", 2))
    names = ("edit_distance", "bleu", "mine")
    recipe = Recipe(
        files=files,
        pairs=120,
        metrics=("edit_distance", "bleu"),
        columns=("mine",),
        distances=("mine",),
        scores=names,
        given={"bleu": 0.25},
        draws=30,
        balanced=(5, 7, 3),
        human=True,
    )
    found, printed = run(tmp_path, recipe, capsys)
    corpus = pool([read(path) for path in files])
    columns = {name: catalogue.metric(name).score(corpus.source, corpus.hypothesis) for name in names[:2]}
    columns["mine"] = corpus.numbers("mine")
    score_columns = [score_column(name, columns[name], True if name == "mine" else None) for name in names]
    material = Studied(
        score_columns, corpus.label, parts(corpus), corpus.human, columns["edit_distance"], given={"bleu": 0.25}
    )
    wanted = study(material, draws=30)
    assert [each.name for each in found["studies"]] == ["one's", "two", "Global"]
    for ours, theirs in zip(found["studies"], wanted, strict=True):
        assert list(ours.scores) == list(names)
        for name in names:
            same(ours.scores[name], theirs.scores[name])
        assert plain(ours.matches[0].comparison) == plain(theirs.matches[0].comparison)
    balanced = mixed_balanced(score_columns, corpus.label, parts(corpus), per_label=5, draws=7, seed=3)
    assert plain(found["balanced"]) == plain(balanced)
    assert plain(found["evaluation"]) == plain(meta(score_columns, corpus, where=np.ones(120, dtype=bool), draws=30))
    assert "Mixed balanced dataset" in printed and "Accuracy at the best threshold" in printed


def test_only_a_set_and_a_part_are_studied(tmp_path, capsys):
    files = (corpus_file(tmp_path, "one.csv", 1), corpus_file(tmp_path, "two.csv", 2))
    rows = list(range(0, 120, 3))
    recipe = Recipe(
        files=files, pairs=120, metrics=("bleu",), scores=("bleu",), parts=("two",), rows=rows, set_name='a\n"""set'
    )
    found, _ = run(tmp_path, recipe, capsys)
    corpus = pool([read(path) for path in files])
    assert np.flatnonzero(found["chosen"]["two"]).tolist() == [
        row for row in rows if corpus.extra["corpus"][row] == "two"
    ]
    assert found["studies"][0].pairs == 20


def test_scores_come_from_the_session_where_they_cannot_be_computed(tmp_path, capsys):
    corpus = read(corpus_file(tmp_path, "one.csv", 1))
    signature = Signature.of("sbert", {"name": "sbert", "model": "somewhere"})
    values = np.linspace(-1, 1, len(corpus))
    with Session.open(tmp_path / "work.pluie", create=True) as session:
        number = session.add_corpus(corpus)
        keys = [pair_key(*pair) for pair in zip(corpus.source, corpus.hypothesis, strict=True)]
        session.store.put(signature, keys, values)
    recipe = Recipe(
        session=(tmp_path / "work.pluie", number), pairs=len(corpus), stored=("sbert",), scores=("sbert",), draws=0
    )
    found, _ = run(tmp_path, recipe, capsys)
    np.testing.assert_array_equal(found["table"]["sbert"], values)


def test_what_people_said_is_read_and_compared(tmp_path, capsys):
    corpus = read(corpus_file(tmp_path, "one.csv", 1))
    with Session.open(tmp_path / "work.pluie", create=True) as session:
        number = session.add_corpus(corpus)
        for row in range(10):
            session.judge(number, row, "Anna", "parapluie", "verdict", "same_meaning")
            session.set_note(number, row, "odd", "very_different" if row % 2 else "same_meaning", "Ben")
    recipe = Recipe(
        session=(tmp_path / "work.pluie", number),
        pairs=len(corpus),
        metrics=("bleu",),
        columns=("verdict.mean",),
        scores=("bleu", "verdict.mean"),
        draws=0,
        judged=True,
    )
    found, printed = run(tmp_path, recipe, capsys)
    assert found["corpus"].extra["note"][:2] == ["odd", "odd"]
    assert found["table"]["verdict.mean"][:2].tolist() == [4.0, 2.5]
    assert {each.annotator for each in found["answers"]} == {"Anna", "Ben"}
    assert "Agreement of the annotators on “verdict”" in printed


def test_a_file_that_changed_is_noticed(tmp_path, capsys):
    path = corpus_file(tmp_path, "one.csv", 1, 10)
    recipe = Recipe(files=(path,), pairs=11, metrics=("bleu",), scores=("bleu",))
    with pytest.raises(AssertionError, match="the corpus has 10 pairs now"):
        run(tmp_path, recipe, capsys)


def test_judges_are_named_with_how_they_ran():
    text = python_script(
        Recipe(
            pairs=1, judges=(Judge("smollm2-135m", "float32", True, ("DIRECT", "FS-DIRECT")),), scores=("pluie.direct",)
        )
    )
    compile(text, "script", "exec")
    assert "JudgeSettings('smollm2-135m', precision='float32', exact=True)" in text
    assert "find_templates(('DIRECT', 'FS-DIRECT'), load_templates(places.user_templates())[0])" in text

"""A previously scored table brings its scores along: they are scores in every view."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from parapluie_gui.analysis.columns import ColumnMaterial, columns_of
from parapluie_gui.pairs import open_corpus
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.report.table import write_table
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.storage.session import Session
from parapluie_gui.ui.pair_panel.view import PairStrips
from parapluie_gui.ui.state.opening import LoadedCorpus, add_to_session, read_from_session, read_or_ask
from parapluie_gui.ui.state.workspace import CorpusWorkspace

N = 6
PLUIE = Signature.from_fields("pluie.direct", {"name": "pluie", "model": "tiny", "template": "direct@1"})


def scored(path: Path) -> Path:
    """Write a table as `parapluie score` does."""
    table = ScoreTable(N)
    table.declare("pluie.direct", PLUIE)
    table.declare("bleu", Signature.from_fields("bleu", {"name": "bleu"}))
    values = {"pluie.direct": np.linspace(-3, 3, N), "bleu": np.linspace(0, 1, N)}
    table.put(np.arange(N), {**values, "pluie.direct.p_yes": np.full(N, 0.5), "pluie.direct.p_no": np.full(N, 0.5)})
    rows = [str(row) for row in range(N)]
    corpus = Corpus("pairs", rows, [f"S {row}" for row in rows], [f"H {row}" for row in rows], extra={"year": rows})
    write_table(path, corpus, table)
    return path


def load(session: Path, path: Path) -> LoadedCorpus:
    result = add_to_session(session, partial(read_or_ask, partial(open_corpus, path), path.name), lambda rows: None)
    assert isinstance(result, LoadedCorpus)
    return result


@pytest.fixture
def session(tmp_path) -> Path:
    path = tmp_path / "s.pluie"
    Session.open(path, create=True).close()
    return path


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "xlsx"])
def test_a_scored_table_shows_its_scores(tmp_path, session, qtbot, ending):
    loaded = load(session, scored(tmp_path / f"scored.{ending}"))
    again = read_from_session(session, loaded.number, lambda rows: None)
    for each in (loaded, again):
        workspace = CorpusWorkspace()
        workspace.show(each.corpus, each.table)
        shown = {strip.column: strip for strip in PairStrips(workspace).list_strips(0)}
        assert shown["pluie.direct"].text == "−3.00" and shown["bleu"].value == 0
        assert workspace.numeric_columns().count("pluie.direct") == 1
        assert workspace.table.signatures["pluie.direct"] == PLUIE
        columns = columns_of(ColumnMaterial(each.corpus, each.table)).values()
        assert [column.own for column in columns if column.own] == ["year"]
        scores = {column.key for column in columns if column.shows in ("score", "evidence")}
        assert scores == {"bleu", "pluie.direct", "pluie.direct.p_yes", "pluie.direct.p_no"}


def test_without_signatures_scores_are_recognised_by_name(tmp_path, session):
    path = scored(tmp_path / "scored.csv")
    path.with_name("scored.csv.signatures.json").unlink()
    table = load(session, path).table
    assert set(table.scores) == {"bleu", "pluie.direct"} and not table.signatures


def test_scoring_again_replaces_the_scores_of_the_file(tmp_path, session):
    loaded = load(session, scored(tmp_path / "scored.csv"))
    table = loaded.table
    table.declare("pluie.direct", PLUIE)
    assert table.count_scores("pluie.direct") == N, "the same judge"
    other = Signature.from_fields("pluie.direct", {"name": "pluie", "model": "other"})
    assert table.declare("pluie.direct", other) == "pluie.direct@other"
    assert table.count_scores("pluie.direct") == N and table.own, "scores of a different judge are shown in addition"
    table.declare("pluie.direct", Signature.from_fields("pluie.direct", {**dict(PLUIE.fields), "scorer": "another"}))
    assert table.count_scores("pluie.direct") == 0 and "pluie.direct.p_yes" not in table
    # a column of the file is a column again
    assert columns_of(ColumnMaterial(loaded.corpus, table))["pluie.direct (corpus)"].own == "pluie.direct"


def test_scores_in_the_session_take_precedence_over_the_file(tmp_path, session):
    loaded = load(session, scored(tmp_path / "scored.csv"))
    with Session.connect(session) as opened:
        other = Signature.from_fields("bleu", {"name": "bleu", "tok": "13a"})
        pairs = [pair_key(*pair) for pair in zip(loaded.corpus.source, loaded.corpus.hypothesis, strict=True)]
        opened.store.put(other, pairs, np.full(N, 0.25), None, None)
    again = read_from_session(session, loaded.number, lambda rows: None)
    assert again.table["bleu"].tolist() == [0.25] * N and "bleu" not in again.table.own
    assert again.table["pluie.direct"].tolist() == loaded.table["pluie.direct"].tolist()


def test_a_few_scores_in_the_session_do_not_hide_all_scores_of_the_file(tmp_path, session):
    path = scored(tmp_path / "scored.csv")
    other = Signature.from_fields("pluie.direct", {**dict(PLUIE.fields), "model": "another"})
    with Session.connect(session) as opened:
        opened.store.put(other, [pair_key(f"S {row}", f"H {row}") for row in range(2)], [9.0, 9.0])
    loaded = load(session, path)
    np.testing.assert_allclose(loaded.table["pluie.direct"], np.linspace(-3, 3, N))
    assert loaded.table.signatures["pluie.direct"] == PLUIE and loaded.table["pluie.direct.p_yes"][0] == 0.5


def test_a_corpus_and_a_scored_table_of_its_pairs_are_two_corpora(tmp_path, session):
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "scored.csv").write_text(
        "id,source,hypothesis\n" + "".join(f"{row},S {row},H {row}\n" for row in range(N)), encoding="utf-8"
    )
    first = load(session, plain / "scored.csv")
    second = load(session, scored(tmp_path / "scored.csv"))
    assert first.number != second.number
    assert load(session, plain / "scored.csv").number == first.number

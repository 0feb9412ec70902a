"""Copy as Python: the scripts run, and print the tables that the window's analyses have."""

from __future__ import annotations

import csv
import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.catalogue import analyses, analysis
from parapluie_gui.analysis.material import AnalysisMaterial, CorpusParts
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.analysis.table import Table, table_csv
from parapluie_gui.errors import ParapluieError
from parapluie_gui.judgements.columns import CorpusJudgements, with_judgements
from parapluie_gui.judgements.scheme import load_schemes
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.consent import MetricFile
from parapluie_gui.pairs import Corpus, read
from parapluie_gui.pairs.pool import pool
from parapluie_gui.report.script import python_script
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.storage.session import Session

WORDS = ("cat", "dog", "sun", "rain", "sleeps", "shines")
MBD = {"per_label": 5, "times": 7, "seed": 3}


@pytest.fixture
def files(tmp_path):
    paths = [tmp_path / "one's.csv", tmp_path / "two.csv"]
    for seed, path in enumerate(paths):
        random = np.random.default_rng(seed)
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("source", "hypothesis", "label", "human", "mine"))
            for row in range(60):
                texts = (" ".join(random.choice(WORDS, 4)), " ".join(random.choice(WORDS, 5)))
                writer.writerow((*texts, int(random.integers(0, 2)), row % 7, round(random.random(), 2)))
    return paths


def material(corpus: Corpus, names=("edit_distance", "mine", "bleu")) -> AnalysisMaterial:
    """Return the window's material, in which "mine" is a distance."""
    corpus_parts, columns = CorpusParts.from_corpus(corpus), []
    for name in names:
        values = corpus.numbers(name)
        if values is None:
            values = catalogue.metric(name).score(corpus.source, corpus.hypothesis)
        columns.append(score_column(name, values, True if name == "mine" else None))
    given = {names[-1]: np.float64(0.25), "left out": 0.5}
    return AnalysisMaterial(
        corpus_parts, tuple(columns), corpus.labels, corpus_parts.parts, draws=20, y=names[-1], given=given
    )


def script(about: AnalysisMaterial, session=None, files=(), models=("smollm2-135m",), set_name="") -> str:
    return python_script(about, session, list(models), files, {"balanced": MBD}, set_name)


def run(text: str, tmp_path, capsys) -> tuple[list[str], str]:
    path = tmp_path / "again.py"
    path.write_text(text, encoding="utf-8")
    matches = runpy.run_path(str(path))
    return [table.csv() for result in matches["results"] for table in result.tables.values()], capsys.readouterr().out


def shown(about: AnalysisMaterial) -> list[str]:
    """Return the tables of the analyses that apply, as the window computes them."""
    tables: list[Table] = []
    for each in analyses():
        if each.in_report and each.missing(about) is None:
            for options in each.usual(about):
                options = replace(options, **MBD) if each.name == "balanced" else options
                tables += each.tables(analyse(each, about, options))
    return [table_csv(table) for table in tables]


def test_pooled_files_are_read_scored_and_analysed(files, tmp_path, capsys):
    about = material(pool(list(map(read, files))))
    result, printed = run(script(about, files=files), tmp_path, capsys)
    assert result == shown(about) and len(result) > 5
    assert "chosen" in printed


@pytest.mark.needs("papers")  # the only analysis that is copied with its page's options
def test_the_options_of_a_page_are_copied(files, tmp_path, capsys):
    about = material(pool(list(map(read, files))))
    result, printed = run(script(about, files=files), tmp_path, capsys)
    assert result == shown(about) and len(result) > 10
    assert "Mixed balanced dataset" in printed
    about = material(read(files[0]), ("mine",))
    assert analysis("balanced").missing(about) is None, "but one corpus cannot be mixed"
    assert "'balanced'" not in script(about, files=files[:1])


def test_the_script_analyses_only_the_chosen_set_and_corpora(files, tmp_path, capsys):
    about = material(pool(list(map(read, files))), ("bleu",))
    only = np.arange(120) % 3 == 0
    parts = {name: mask & only for name, mask in about.parts.items() if name != "one's"}
    about = replace(about, parts=parts, where=only & np.any(list(parts.values()), axis=0))
    result, _ = run(script(about, files=files, set_name='a\n"""set'), tmp_path, capsys)
    assert result == shown(about) != shown(material(about.corpus, ("bleu",)))


def test_judgements_and_uncomputable_scores_come_from_the_session(files, tmp_path, capsys):
    corpus, values = read(files[0]), np.linspace(-1, 1, 60)
    signature = Signature.from_fields("sbert", {"name": "sbert", "model": "somewhere"})
    with Session.open(tmp_path / "work.pluie", create=True) as session:
        number = session.add_corpus(corpus)
        keys = [pair_key(*pair) for pair in zip(corpus.source, corpus.hypothesis, strict=True)]
        session.store.put(signature, keys, values)
        for row in range(10):
            session.judge(number, row, "Anna", "parapluie", "verdict", "same_meaning")
            session.set_note(number, row, "odd", "very_different" if row % 2 else "same_meaning", "Ben")
        records, schemes = session.judgements(number), load_schemes()[0]
        people = CorpusJudgements.from_records(corpus, records, schemes)
        columns = (
            score_column("sbert", values),
            score_column("verdict.mean", with_judgements(corpus, records, schemes).numbers("verdict.mean")),
        )
    about = replace(material(corpus, ("mine",)), people=people, score_columns=columns, given={}, y="verdict.mean")
    text = script(about, (tmp_path / "work.pluie", number), files[:1])
    assert "pp.read" not in text and "pp.score" not in text
    result, printed = run(text, tmp_path, capsys)
    assert '"judgements": judgements' in text and "judgements = session.judgements" in text
    assert result == shown(about) and "verdict" in printed
    with pytest.raises(ParapluieError, match="Save the session"):
        script(about, None, files[:1])


def test_each_score_is_computed_according_to_its_signature(files):
    corpus = read(files[0])
    told = {
        # A bar in the model's path does not separate a second template. A signature without a judge means the first
        # chosen one.
        "pluie.direct": {"model": "models|template:X@x", "template": "DIRECT@1", "precision": "float32"},
        "pluie.fs-direct": {"template": "FS-DIRECT@2", "precision": "float32", "mode": "exact"},
    }
    columns = tuple(score_column(name, np.linspace(-1, 1, 60)) for name in told)
    signatures = {name: Signature.from_fields(name, {"name": "pluie", **fields}) for name, fields in told.items()}
    about = replace(material(corpus, ("mine",)), score_columns=columns, signatures=signatures, y="pluie.direct")
    text = script(about, files=files[:1], models=("smollm2-135m", "C:/models|template:X@x"))
    compile(text, "script", "exec")
    first = "pp.Judge('C:/models|template:X@x', precision='float32', exact=False, templates=['DIRECT'])"
    second = "pp.Judge('smollm2-135m', precision='float32', exact=True, templates=['FS-DIRECT'])"
    assert f"scores = pp.score(corpus, judge={first})\nscores |= pp.score(corpus, judge={second})" in text


@pytest.mark.parametrize(
    "model",
    ["http://127.0.0.1:9", "https://a.example/v1", "\\\\host\\share\\m", "/some/folder", "..", "evil'); import os; ('"],
)
def test_a_signature_cannot_choose_a_server_or_folder(files, model):
    corpus = read(files[0])
    fields = {"name": "pluie", "model": model, "template": "DIRECT@1", "precision": "float32"}
    columns = (score_column("pluie.direct", np.linspace(-1, 1, 60)),)
    signatures = {"pluie.direct": Signature.from_fields("pluie.direct", fields)}
    about = replace(material(corpus, ("mine",)), score_columns=columns, signatures=signatures, y="pluie.direct")
    text = script(about, (Path("work.pluie"), 1), files[:1])
    assert "pp.Judge" not in text and model not in text and "session.scores(1)" in text
    chosen = script(about, (Path("work.pluie"), 1), files[:1], models=(model,))
    assert f"pp.Judge({model!r}" in chosen


def test_a_metric_file_named_by_a_column_is_not_read_unless_allowed(files, tmp_path):
    spec = f"user:{tmp_path / 'evil.py'}"
    (tmp_path / "evil.py").write_text("def score(s, h): return [1.0] * len(s)\n")
    signatures = {spec: Signature.from_fields(spec, {"name": "user", "file": "evil.py"})}
    columns = (score_column(spec, np.linspace(0, 1, 60)),)
    about = replace(material(read(files[0]), ("mine",)), score_columns=columns, signatures=signatures, y=spec)
    text = script(about, (Path("work.pluie"), 1), files[:1])
    assert "pp.score" not in text and "session.scores(1)" in text
    MetricFile.from_spec(spec).allow()
    assert f"pp.score(corpus, metrics=[{spec!r}])" in script(about, (Path("work.pluie"), 1), files[:1])


def test_changed_files_are_not_read(files, tmp_path, capsys):
    about, path = material(read(files[1])), files[1]
    text, session = script(about, files=[path]), (tmp_path / "work.pluie", 3)
    path.write_text("\n".join(path.read_text(encoding="utf-8").splitlines()[:11]), encoding="utf-8")
    with pytest.raises(AssertionError, match="the corpus has 10 pairs now"):
        run(text, tmp_path, capsys)
    for paths in ([path], [tmp_path / "gone.csv"], []):
        assert "session.scores(3)" in script(about, session, paths)


def test_both_judges_are_run_again_and_judges_of_the_same_name_are_kept_apart(files):
    corpus = pool([read(path) for path in files])
    columns, signatures = [], {}
    for name in ("one", "two"):
        fields = {"name": "pluie", "model": name, "template": "DIRECT@1", "precision": "float32", "mode": "fast"}
        column = f"pluie.direct@{name}"
        signatures[column] = Signature.from_fields(column, fields)
        columns.append(score_column(column, np.ones(len(corpus)), signature=signatures[column]))
    about = replace(material(corpus), score_columns=tuple(columns), signatures=signatures, y=columns[0].name)
    text = python_script(about, None, ["pocket", "/a/one", "/b/two"], files, MBD, "")
    assert "pp.Judge('/a/one', precision='float32'" in text and "pp.Judge('/b/two', precision='float32'" in text
    with pytest.raises(ParapluieError, match="not in a session"):
        python_script(about, None, ["/a/one", "/b/one", "/b/two"], files, MBD, "")

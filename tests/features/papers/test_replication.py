"""Printed tables compared with our figures: printed values, computed values, and reasons for the rest."""

from __future__ import annotations

import json

import numpy as np
import pytest

from parapluie_gui.analysis.base import analyse
from parapluie_gui.api.material import build_material
from parapluie_gui.commands.main import main
from parapluie_gui.features.papers.printed import PAPERS, printed_paper
from parapluie_gui.features.papers.replication import PrintedTablesAnalysis, ReplicationOptions, usual_paper
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.templates import load_templates
from parapluie_gui.scores.table import ScoreTable

TEMPLATES = {each.name for each in load_templates()[0]}


def printed(paper: str, table: str, corpus: str, row: str, quantity: str) -> float:
    (cell,) = [
        cell
        for cell in printed_paper(paper).cells
        if (cell.table, cell.corpus.key, cell.row.title, cell.quantity) == (table, corpus, row, quantity)
    ]
    return cell.value


def test_the_printed_tables_have_the_papers_values():
    """The values were read from the papers a second time, independently of the files."""
    assert printed("parapluie", "3", "mbd", "FS-DIRECT", "threshold") == 1.29
    assert printed("parapluie", "3", "paws", "DIRECT", "accuracy at 0") == 0.56
    assert printed("parapluie", "4", "hc", "INDIRECT", "r of others") == 0.04
    assert printed("parapluie", "1", "llm", "DIRECT", "spread of others") == 13.81
    assert printed("parapluie", "model card", "card", "FS-DIRECT", "score") == -16.976
    assert printed("paraphrasus", "2", "Maximize!", "P3", "error") == 36.4
    assert printed("paraphrasus", "3", "SICK", "75 % easy negatives", "error") == 78.9
    assert printed("parascore", "9", "bq-extended", "ParaScore", "Spearman") == 0.442
    assert printed("parascore", "8", "twitter", "Rouge-L.Free", "r on S_div, near") == -0.426
    assert printed("pem", "3", "systems", "PEM, Judge B", "Pearson") == 0.9892


@pytest.mark.parametrize("paper", PAPERS)
def test_every_row_names_the_data_it_is_computed_from(paper):
    result = printed_paper(paper)
    cells = list(result.cells)
    assert len({(c.table, c.corpus.key, c.row.title, c.quantity) for c in cells}) == len(cells), "every cell once"
    for row in {cell.row.title: cell.row for cell in cells}.values():
        assert not row.template or row.template in TEMPLATES
        assert not row.score or catalogue.find(row.score).info
        known = (row.score, row.template, row.predictions, row.of, row.tuned, row.similarity, row.model)
        assert any(known) or row.title == "the corpus", row.title


def corpus_of(name: str, n: int = 40) -> Corpus:
    rng = np.random.default_rng(3)
    label = (rng.random(n) < 0.6).astype(np.int8)
    score = np.round(label + rng.normal(0, 0.8, n), 3)
    texts = [f"sentence {row} of {name}" for row in range(n)]
    other = [f"sentence {row} of other words" if row % 3 else text for row, text in enumerate(texts)]
    return Corpus(name, list(map(str, range(n))), texts, other, label=label, extra={"pluie.direct": score})


def test_cells_are_computed_from_the_available_pairs_and_the_rest_have_reasons():
    corpus = corpus_of("mrpc")
    material = build_material(corpus, ScoreTable(len(corpus)))
    assert usual_paper(material) == "parapluie"
    run = analyse(PrintedTablesAnalysis(), material, ReplicationOptions("parapluie"))
    cells = {
        (c.printed.table, c.printed.corpus.key, c.printed.row.title, c.printed.quantity): c for c in run.result.cells
    }
    score, label = corpus.numbers("pluie.direct"), corpus.label
    direct = cells["1", "mrpc", "DIRECT", "mean of paraphrases"]
    assert direct.ours == pytest.approx(score[label == 1].mean())
    assert direct.difference == pytest.approx(direct.ours - 20.02) and not direct.equal
    assert "the paper's: Mistral-7B-Instruct-v0.2" in direct.why and "40 of 5,801 pairs" in direct.why
    assert cells["3", "mrpc", "DIRECT", "accuracy at 0"].ours == pytest.approx(np.mean((score >= 0) == label))
    best = max(np.mean((score >= threshold) == label) for threshold in score)
    assert cells["3", "mrpc", "DIRECT", "accuracy"].ours == pytest.approx(best)
    assert cells["2", "mrpc", "the corpus", "pairs"].ours == 40
    assert cells["1", "mcpg", "Lev", "mean of others"].why == "no data: the corpus is not published"
    assert cells["1", "paws", "Lev", "mean of others"].why == "no data: the corpus is not among the files"
    assert "no judge has scored it (the paper used Mistral" in cells["1", "mrpc", "FS-DIRECT", "mean of others"].why
    assert not cells["3", "mbd", "DIRECT", "accuracy"].is_computed, "a single corpus is not a mix"
    notes = [block.text for block in PrintedTablesAnalysis().blocks(run) if hasattr(block, "text")]
    assert notes[0].startswith("Of 613 printed cells, 17 are computed here")
    assert "“[/INST]”" in notes[1] or '"[/INST]"' in notes[1]


def test_the_authors_own_score_is_the_first_cell():
    source, hypothesis = printed_paper("parapluie").corpora["card"].pair
    corpus = Corpus("typed", ["1", "2"], [source, "A."], [hypothesis, "B."], extra={"pluie.fs-direct": [-17.0, 1.0]})
    run = analyse(PrintedTablesAnalysis(), build_material(corpus, ScoreTable(2)), ReplicationOptions("parapluie"))
    first = run.result.cells[0]
    assert (first.printed.table, first.ours, round(first.difference, 3)) == ("model card", -17.0, -0.024)


@pytest.mark.needs("pem")
def test_pem_is_computed_for_users_with_its_judgements(tmp_path, capsys):
    rng = np.random.default_rng(1)
    a, b = rng.integers(1, 6, 30), rng.integers(1, 6, 30)
    lines = [f"s{n},h{n},m{n % 3},{a[n]},{b[n]}" for n in range(30)]
    (tmp_path / "mtc.csv").write_text("\n".join(["source,hypothesis,system,Judge A,Judge B", *lines]), encoding="utf-8")
    assert main(["replicate", "pem", "--data", str(tmp_path), "--json"]) == 0
    (analysis,) = json.loads(capsys.readouterr().out)["analyses"]
    cells = {(c["corpus"], c["row"]): c for c in analysis["details"]["cells"]}
    sentences = cells["MTC, sentences", "Judge A, Judge B"]
    assert sentences["ours"] == pytest.approx(np.corrcoef(a, b)[0, 1])
    means = [[x[np.arange(30) % 3 == system].mean() for system in range(3)] for x in (a, b)]
    assert cells["MTC, systems", "Judge A, Judge B"]["ours"] == pytest.approx(np.corrcoef(*means)[0, 1])
    assert cells["MTC, sentences", "Judge A, Judge C"]["ours"] is None


def test_paraphrasus_is_reproduced_from_the_published_predictions(shared_data, capsys):
    """Michail et al., table 2: 31 of the 35 cells of the five available parts; tables 3 and 4: 39 of 40."""
    assert main(["replicate", "paraphrasus", "--data", str(shared_data / "paraphrasus"), "--json"]) == 0
    (analysis,) = json.loads(capsys.readouterr().out)["analyses"]
    here = ("STS-H", "MRPC", "STS", "TRUE", "SIMP")
    cells = [c for c in analysis["details"]["cells"] if c["corpus"] in here and c["quantity"] == "error"]
    equal = {table: [c["difference"] for c in cells if c["table"] == table] for table in "234"}
    assert [sum(abs(each) < 1e-9 for each in result) for result in equal.values()] == [31, 20, 19]
    assert [len(result) for result in equal.values()] == [35, 20, 20]
    assert all(c["why"] for c in cells if abs(c["difference"]) > 1e-9), "every difference is explained"
    computed = [c for c in analysis["details"]["cells"] if c["ours"] is not None]
    errors = [c for c in computed if c["quantity"] == "error"]
    assert (len(computed), len(errors)) == (151, 135)
    assert sum(abs(c["difference"]) < 1e-9 for c in computed) == 131
    assert all(c["ours"] == c["authors"] for c in errors), "the authors' tool gives the same errors"


def test_numbers_of_the_authors_tool_stand_for_every_error_of_paraphrasus():
    cells = [cell for cell in printed_paper("paraphrasus").cells if cell.quantity == "error"]
    assert len(cells) == 210 and all(float(cell.tool) >= 0 for cell in cells)
    assert [cell.tool for cell in cells if (cell.corpus.key, cell.row.title) == ("XNLI", "P1")] == ["12.3"]


def test_missing_files_are_reported(tmp_path, capsys):
    assert main(["replicate", "parapluie", "--data", str(tmp_path / "none")]) == 2
    assert "Name the folder of the published files with --data." in capsys.readouterr().err
    assert main(["replicate", "parapluie", "--data", str(tmp_path)]) == 0
    assert "None of the 613 printed cells can be computed from these pairs and scores" in capsys.readouterr().err

"""`parapluie systems`: tables of systems, folders of mt-metrics-eval, mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from parapluie_gui.commands.main import main
from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs import read

SYSTEMS, ITEMS = ("big", "small"), 6


def run(capsys, *arguments: str | Path) -> tuple[int, str, str]:
    status = main(["systems", *map(str, arguments)])
    out, err = capsys.readouterr()
    return status, out, err


def tables(found: dict) -> dict[str, list[dict]]:
    """Return the rows of the tables of the only analysis, by column."""
    (analysis,) = found["analyses"]
    return {
        name: [dict(zip(each["header"], row, strict=True)) for row in each["rows"]]
        for name, each in analysis["tables"].items()
    }


@pytest.fixture
def table(tmp_path) -> Path:
    random = np.random.default_rng(0)
    lines = ["source,hypothesis,reference,who,human,sbert,edit_distance,judgeB"]
    for item in range(ITEMS):
        for place, system in enumerate(SYSTEMS):
            human = int(random.integers(1, 4)) + (1 - place)
            cells = (f"Text {item}", f"Text {item} by {system}", f"Ref {item}", system, human)
            cells += (human / 5 + 0.1 * random.random(), 1 - human / 5, human)
            lines.append(",".join(map(str, cells)))
    path = tmp_path / "judged.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_tables_and_numbers_are_printed(capsys, table):
    status, out, _ = run(capsys, table, "--system", "who", "--draws", "20")
    assert status == 0
    for title in ("Systems of judged", "Agreement with the human scores", "Pairs of hypotheses", "Which of two scores"):
        assert title in out
    result = json.loads(run(capsys, table, "--system", "who", "--draws", "20", "--json")[1])
    assert [row["system"] for row in tables(result)["systems"]] == ["big", "small"]
    # A score that orders all pairs of a source as humans do, ties included, has accuracy 1.
    (within,) = (row for row in tables(result)["within-source"] if row["score"] == "Edit distance")
    (over,) = (row for row in tables(result)["system-agreement"] if row["score"] == "Edit distance")
    assert within["acc_eq"] == pytest.approx(1.0) and over["SPA"] > 0.9
    judge = json.loads(run(capsys, table, "--system", "who", "--score", "judgeB", "--draws", "0", "--json")[1])
    (only,) = tables(judge)["system-agreement"]
    assert only["Pearson"]["value"] == pytest.approx(1.0), "PEM's table 1: two judges compared"


def test_a_filter_works_and_so_does_a_table_without_systems(capsys, table):
    _, out, _ = run(capsys, table, "--filter", 'who == "big" or human > 1', "--draws", "0")
    assert "Pairs of hypotheses of one source" in out and "SPA" not in out


@pytest.fixture
def folder(table, tmp_path) -> Path:
    """The table as a folder of mt-metrics-eval; there higher is better, so the distance has the opposite sign."""
    header, *rows = [line.split(",") for line in table.read_text().splitlines()]
    of = {system: [dict(zip(header, row, strict=True)) for row in rows if row[3] == system] for system in SYSTEMS}
    files = {
        "sources/en-en.txt": [row["source"] for row in of["big"]],
        "documents/en-en.docs": [f"all\tdocument{row}" for row in range(ITEMS)],
        "references/en-en.ref.txt": [row["reference"] for row in of["big"]],
        "human-scores/en-en.human.seg.score": [f"{name}\t{row['human']}" for name in of for row in of[name]],
        "metric-scores/en-en/sbert-src.seg.score": [f"{name}\t{row['sbert']}" for name in of for row in of[name]],
        "metric-scores/en-en/minus_edit_distance-src.seg.score": [
            f"{name} {-float(row['edit_distance'])!r}" for name in of for row in of[name]
        ],
        **{f"system-outputs/en-en/{name}.txt": [row["hypothesis"] for row in of[name]] for name in of},
    }
    for name, lines in files.items():
        path = tmp_path / "sets" / "mine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path / "sets" / "mine"


def test_a_folder_gives_the_same_results_as_the_table(capsys, table, folder):
    before = json.loads(run(capsys, table, "--system", "who", "--draws", "0", "--json")[1])
    for path in (folder, folder / "sources" / "en-en.txt"):
        after = json.loads(run(capsys, path, "--draws", "0", "--json")[1])
        assert list(after["corpora"]) == ["mine en-en"]
        old, new = (
            {name: {row["score"]: row for row in rows if "score" in row} for name, rows in tables(result).items()}
            for result in (before, after)
        )
        sbert = before["scores"]["sbert"]["title"]
        assert set(new["system-agreement"]) == {"minus_edit_distance", sbert}
        for name in ("system-agreement", "within-source"):
            assert new[name][sbert] == old[name][sbert]
        wanted = old["within-source"]["Edit distance"] | {"score": "minus_edit_distance"}
        assert new["within-source"]["minus_edit_distance"] == wanted
    corpus = read(folder)
    assert corpus.layout == "mt-metrics-eval" and corpus.reference is not None and corpus.reference[0] == "Ref 0"
    assert corpus.extra["system"].cells()[:7] == ["big"] * 6 + ["small"] and corpus.extra["domain"].cells()[0] == "all"


def test_published_names_and_missing_scores_are_read(folder):
    scores = folder / "human-scores"
    (scores / "en-en.mqm.seg.score").write_text("".join(f"big {n}\n" for n in (-1, "None", -2, -3, -4, -5)))
    (scores / "en-en.human.seg.score").rename(scores / "en-en.wmt-z.seg.score")
    metrics = folder / "metric-scores" / "en-en"
    (metrics / "sbert-src.seg.score").rename(metrics / "BLEU-refA.seg.score")
    corpus = read(folder)
    assert corpus.human is not None and corpus.human[:2].tolist()[0] == -1 and np.isnan(corpus.human[1])
    assert np.isnan(corpus.human[6:]).all(), "this system has no human scores"
    assert {"human wmt-z", "BLEU-refA"} <= set(corpus.extra)


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("system-outputs/en-en/big.txt", "one line\n", "it has 1 lines but en-en.txt has 6"),
        ("metric-scores/en-en/sbert-src.seg.score", "big 1\n", 'it has 1 scores for "big" but 6 sources'),
        ("metric-scores/en-en/sbert-src.seg.score", "big 1\n" * 7, 'more scores for "big" than there are sources'),
        ("human-scores/en-en.human.seg.score", "big high\n", '"big high" is not a system name and a score'),
        ("human-scores/en-en.human.seg.score", "big\n", '"big" is not a system name and a score'),
    ],
)
def test_a_damaged_folder_gives_one_sentence(capsys, folder, file, text, words):
    (folder / file).write_text(text)
    status, out, err = run(capsys, folder)
    assert (status, out) == (2, "") and words in err


def test_a_folder_of_several_language_pairs_names_them(folder):
    (folder / "sources" / "en-fr.txt").write_text("x\n")
    with pytest.raises(CorpusError, match=r"Choose one of sources/en-en\.txt, sources/en-fr\.txt"):
        read(folder)
    with pytest.raises(CorpusError, match="this is a folder"):
        read(folder / "sources")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--system", "nobody"], 'There is no "nobody" for --system. Choose among "none", "who"'),
        (["--score", "nobody"], 'there is no column "nobody"'),
        (["--filter", "human > 9"], "No pair matches human > 9"),
    ],
)
def test_mistakes_give_one_sentence(capsys, table, arguments, words):
    status, out, err = run(capsys, table, *arguments)
    assert (status, out) == (2, "") and words in err


def test_a_requested_column_that_does_not_exist_is_refused(capsys, tmp_path):
    path = tmp_path / "judged.csv"
    path.write_text("source,hypothesis,human,bleu\na,b,1,0.5\nc,d,2,0.7\n", encoding="utf-8")
    status, out, err = run(capsys, path, "--system", "nope")
    assert (status, out) == (2, "") and "none" not in err.replace("has none", "")
    assert 'There is no "nope" for --system. Leave out --system, or use a file that has a column for it' in err


def test_a_table_with_neither_systems_nor_human_scores_is_refused(capsys, tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text("source,hypothesis,bleu\na,b,0.5\n")
    status, _, err = run(capsys, path)
    assert status == 2 and "neither systems nor human scores" in err

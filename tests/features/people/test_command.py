"""`parapluie judgements`: answers as a table, merged copies, agreement in numbers."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pandas
import pytest
from sklearn.metrics import cohen_kappa_score

from parapluie_gui.commands.main import main
from parapluie_gui.features.people.analysis import AgreementOptions
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.storage.session import Session

ASKED = ("parapluie", "verdict")
ANSWERS = ("very_different", "slightly_similar", "mostly_similar", "same_meaning", "dont_know")
ANNA = [0, 1, 2, 3, 3, 0, 2, 4, 1, 3]
BEN = [0, 2, 2, 3, 2, 1, 1, 3, 1, 3]
LABELS = [0, 0, 1, 1, 1, 0, 0, 1, 0, 1]
BLEU = [0.1, 0.2, 0.9, 0.8, 0.1, 0.3, 0.9, 0.7, 0.2, 0.6]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "work.pluie"
    texts = [f"sentence {row}" for row in range(10)]
    with Session.open(path, create=True) as session:
        labels = np.array(LABELS, dtype=np.int8)
        number = session.add_corpus(Corpus("mine", [f"p{row}" for row in range(10)], texts, texts, label=labels))
        signature = Signature.from_fields("bleu", {"name": "bleu"})
        session.store.put(signature, [pair_key(text, text) for text in texts], BLEU)
        for row, (one, two) in enumerate(zip(ANNA, BEN, strict=True)):
            session.judge(number, row, "Anna", *ASKED, ANSWERS[one])
            session.judge(number, row, "Ben", *ASKED, ANSWERS[two])
        session.set_note(number, 3, "=odd", "same_meaning", "Ben")
        session.set_setting("annotator.Ben", {"parapluie": "native"})
    return path


def run(*arguments: object) -> int:
    return main(["judgements", *map(str, arguments)])


def test_answers_are_exported(path, tmp_path, capsys):
    assert run("export", path, "-o", tmp_path / "out.csv") == 0
    assert "21 answers written" in capsys.readouterr().err
    frame = pandas.read_csv(tmp_path / "out.csv")
    assert len(frame) == 21
    first = frame.iloc[0]
    assert (first["pair"], first["annotator"], first["question"], first["answer"]) == (
        "p0",
        "Anna",
        "verdict",
        "very different",
    )
    assert (first["value"], first["label"], first["corpus"]) == (1, 0, "mine")
    assert first["time"].endswith("+00:00")
    note = frame[frame["question"] == "note"].iloc[0]
    assert (note["answer"], note["pair"], note["annotator"]) == ("=odd", "p3", "Ben")
    assert set(frame[frame["annotator"] == "Ben"]["assessment"].dropna()) == {"native"}
    assert frame[frame["answer"] == "don't know"]["label"].isna().all()


def test_impossible_exports_are_refused(path, tmp_path, capsys):
    with Session.open(tmp_path / "bare.pluie", create=True) as session:
        session.add_corpus(Corpus("c", ["1"], ["a"], ["b"]))
    assert run("export", tmp_path / "bare.pluie", "-o", tmp_path / "x.csv") == 2
    assert "Nobody has judged a pair in bare.pluie yet." in capsys.readouterr().err
    assert run("export", path, "-o", tmp_path / "x.doc") == 2
    assert run("export", tmp_path / "none.pluie", "-o", tmp_path / "x.csv") == 2
    assert not (tmp_path / "x.csv").exists()


def test_copies_are_merged(path, tmp_path, capsys):
    other, target = tmp_path / "other.pluie", tmp_path / "all.pluie"
    shutil.copy(path, other)
    with Session.open(other) as session:
        session.judge(1, 5, "Cleo", *ASKED, "dont_know")
    before = path.read_bytes(), other.read_bytes()
    assert run("merge", path, other, "-o", target) == 0
    assert "other.pluie: 1 record was added." in capsys.readouterr().err
    assert (path.read_bytes(), other.read_bytes()) == before
    with Session.open(target, reading=True) as session:
        assert {record.annotator for record in session.judgements(1)} == {"Anna", "Ben", "Cleo"}
    assert sorted(each.name for each in tmp_path.iterdir() if "all" in each.name) == ["all.pluie"]
    for arguments, sentence in (
        ((path, "-o", target), "There is nothing to merge"),
        ((path, other, "-o", other), "other.pluie is one of the sessions to be merged"),
        ((path, tmp_path / "none.pluie", "-o", target), "There is no session file"),
    ):
        assert run("merge", *arguments) == 2
        assert sentence in capsys.readouterr().err


def test_agreement_is_printed(path, capsys):
    assert run("agreement", path, "--score", "bleu=0.5", "--json", "--draws", 0) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["format"], result["draws"], result["scores"]["bleu"]["chosen_threshold"]) == (2, 0, 0.5)
    assert result["scores"]["bleu"]["signature"]["name"] == "bleu"
    (analysis,) = result["analyses"]
    tables = analysis["tables"]
    assert [row[0] for row in tables["raters"]["rows"]] == ["Anna", "Ben", "label", "BLEU"]
    people = {row[0]: row[1:] for row in tables["agreement"]["rows"]}
    assert people["Cohen's κ, mean of every two"][0]["value"] == pytest.approx(cohen_kappa_score(ANNA, BEN))
    assert tables["rater pairs"]["header"][2:] == ["pairs", "equal answers", "Cohen's κ", "Pearson's r"]
    table = {tuple(row[:2]): row[2:] for row in tables["rater pairs"]["rows"]}
    anna = np.array(ANNA)
    known = anna != 4
    expected = cohen_kappa_score(anna[known] >= 2, np.array(BEN)[known] >= 2)
    pairs, _, kappa, _ = table["Anna", "Ben"]
    assert pairs == 9
    assert kappa["value"] == pytest.approx(expected)
    bleu = np.array(BLEU) >= 0.5
    assert table["label", "BLEU"][2]["value"] == pytest.approx(cohen_kappa_score(np.array(LABELS), bleu))
    assert table["Ben", "BLEU"][1]["value"] == pytest.approx(np.mean(bleu == (np.array(BEN) >= 2)))
    positions = np.where(known, anna + 1.0, np.nan)[known]
    assert table["Anna", "BLEU"][3]["value"] == pytest.approx(np.corrcoef(positions, np.array(BLEU)[known])[0, 1])


def test_agreement_is_written_as_tables(path, capsys):
    assert run("agreement", path, "--measure", "pearson", "--draws", 20) == 0
    text = capsys.readouterr().out
    assert "Agreement of the annotators on “verdict”" in text
    assert "Pearson's r between raters" in text
    assert "Verdicts of each rater" in text
    assert run("agreement", path, "--latex", "--draws", 0) == 0
    assert "\\toprule" in capsys.readouterr().out
    for arguments, sentence in (
        (("--question", "mood"), 'There are no answers to a question "mood". Choose one of: verdict.'),
        (("--corpus", "yours"), 'There is no corpus "yours" in work.pluie. It has mine.'),
        (("--score", "rouge"), 'There is no column "rouge"'),
        (("--score", "bleu=x"), '"bleu=x" has no threshold'),
    ):
        assert run("agreement", path, *arguments) == 2
        assert sentence in capsys.readouterr().err


def test_agreement_of_annotator_columns_is_computed(tmp_path, capsys):
    file = tmp_path / "judged.csv"
    rows = zip(ANNA, BEN, LABELS, BLEU, strict=True)
    lines = [
        f"s{n},h{n},{int(one >= 2)},{int(two >= 2)},{label},{x},{x * 5}" for n, (one, two, label, x) in enumerate(rows)
    ]
    file.write_text("\n".join(["source,hypothesis,judgeA,judgeB,label,bleu,grade", *lines]), encoding="utf-8")
    assert run("agreement", file, "--score", "bleu=0.5", "--score", "grade=2.5", "--json", "--draws", 0) == 0
    out, err = capsys.readouterr()
    assert "detected answers of 2 annotators (judgeA, judgeB)" in err and "Of 10 pairs with at least two answers" in err
    (analysis,) = json.loads(out)["analyses"]
    table = {tuple(row[:2]): row[2:] for row in analysis["tables"]["rater pairs"]["rows"]}
    wanted = cohen_kappa_score(np.array(ANNA) >= 2, np.array(BEN) >= 2)
    assert table["judgeA", "judgeB"][2]["value"] == pytest.approx(wanted)
    assert table["BLEU", "grade"][1]["value"] == 1, "every score at the threshold written after its name"
    options = ("--annotator", "judgeA", "--annotator", "grade=2.5", "--score", "bleu=0.5", "--only", "agreement")
    assert main(["analyse", str(file), *options, "--draws", "0"]) == 0
    assert "judgeA" in capsys.readouterr().out
    assert run("agreement", file, "--annotator", "nobody") == 2
    assert 'there is no annotator column "nobody"' in capsys.readouterr().err


def test_answers_from_a_table_are_imported_by_the_ids_of_pairs(path, tmp_path, capsys):
    table, target = tmp_path / "crowd.csv", tmp_path / "all.pluie"
    lines = ["p1,Cleo,same meaning", "p2,Cleo,Don't know", "p99,Cleo,same meaning", "p3,Cleo,", "p0,Anna,same meaning"]
    table.write_text("\n".join(["pair,annotator,answer", *lines]), encoding="utf-8")
    assert run("import", path, table, "-o", target) == 0
    err = capsys.readouterr().err
    assert "3 answers of 2 people were added to mine." in err
    assert "2 were left out: 1 about a pair that the corpus does not have (the first is “p99” in line 4)" in err
    assert "1 without a person or an answer" in err
    assert "1 answer differs from an earlier answer by the same person; the later one counts: mine, pair p0" in err
    with Session.open(target, reading=True) as session:
        stored = {(judgement.row, judgement.annotator): judgement for judgement in session.judgements(1)}
        assert len(session.judgements(1, history=True)) == 24, "existing answers are kept"
    assert (stored[1, "Cleo"].question, stored[1, "Cleo"].answer) == ("verdict", "same_meaning")
    assert stored[0, "Anna"].answer == "same_meaning"
    assert run("import", target, table, "-o", tmp_path / "again.pluie") == 0
    assert "0 answers of 2 people were added" in capsys.readouterr().err
    wide = tmp_path / "wide.csv"
    wide.write_text("id,rater 1,rater 2\np1,4,5\np2,,2\n", encoding="utf-8")
    assert run("import", path, wide, "-o", tmp_path / "wide.pluie", "--corpus", "mine") == 0
    assert "3 answers of 2 people were added to mine." in capsys.readouterr().err
    with Session.open(tmp_path / "wide.pluie", reading=True) as session:
        result = [judgement for judgement in session.judgements(1) if judgement.scheme == "imported"]
    assert {(each.row, each.annotator, each.answer) for each in result} == {
        (1, "rater 1", "4"),
        (1, "rater 2", "5"),
        (2, "rater 2", "2"),
    }


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("pair,annotator,answer\nx1,A,yes\n", "No pair of t.csv is in work.pluie (the first is “x1”)"),
        ("annotator,answer\nA,yes\n", "no column contains the ids of the pairs"),
        ("id,colour\np1,red\n", "it has neither columns of annotators nor a column of annotators' names"),
        (
            "id,verdict.Anna,verdict.anna,verdict.Anna.time,verdict.anna.time\np1,a,b,c,d\n",
            "two columns for one person",
        ),
    ],
)
def test_impossible_imports_are_refused(path, tmp_path, capsys, text, sentence):
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    assert run("import", path, tmp_path / "t.csv", "-o", tmp_path / "out.pluie") == 2
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / "out.pluie").exists()


def test_answers_without_a_verdict_are_counted(tmp_path, capsys):
    file = tmp_path / "judged.csv"
    file.write_text("source,hypothesis,ann,bob\na,b,yes,yes\nc,d,no,maybe\ne,f,maybe,yes\n", encoding="utf-8")
    assert run("agreement", file, "--annotator", "ann", "--annotator", "bob", "--draws", 0) == 0
    assert "Answers that are neither, and so do not count as verdicts: 2." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "wanted"), [((), AgreementOptions()), (("--human-from", "2"), AgreementOptions(human=2))]
)
def test_agreement_accepts_the_options_of_its_analysis(monkeypatch, more, wanted):
    seen = []
    monkeypatch.setattr("parapluie_gui.features.people.command.agree", lambda given: seen.append(given) or 0)
    assert run("agreement", "a.pluie", *more) == 0
    assert [each.raters for each in seen] == [wanted]

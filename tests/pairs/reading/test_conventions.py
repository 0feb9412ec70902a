"""Corpora whose labels follow conventions, or whose rows are not pairs; small files in the published formats."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs import open_corpus, read

DATA = Path(__file__).parents[4] / "shared/data"


def labels(corpus) -> list[int]:
    return [] if corpus.label is None else corpus.label.tolist()


def test_votes_for_and_against_become_labels(write):
    # https://github.com/cocoxu/SemEval-PIT2015: (3, 2) and above are paraphrases, (2, 3) is debatable, (1, 4) and below
    # are not
    votes = ["(5, 0)", "(3, 2)", "(2, 3)", "(1, 4)", "(0, 5)"]
    rows = [f"7\tA topic\tFirst tweet {n}\tSecond {n}\t{vote}\tA/O\tB/O" for n, vote in enumerate(votes)]
    corpus = read(write("train.data", "\n".join(rows)))
    assert corpus.layout == "PIT-2015" and corpus.group == ["A topic"] * 5
    assert labels(corpus) == [1, 1, -1, 0, 0]
    assert corpus.human.tolist() == [1.0, 0.6, 0.4, 0.2, 0.0]
    assert corpus.guessed == "labels by votes"
    assert read(write("old.data", "\n".join(row[2:] for row in rows))).layout == "PIT-2015"


def test_counts_of_votes_become_labels(write):
    # Lan et al., EMNLP 2017: of six, four votes make a paraphrase and two a non-paraphrase
    rows = [f"One tweet {k}\tAnother {k}\t({k}, 6)\thttps://t.co/{k}" for k in (0, 2, 3, 4, 6)]
    corpus = read(write("Twitter_URL_Corpus_train.txt", "\n".join(rows)))
    assert corpus.layout == "Twitter-URL"
    assert labels(corpus) == [0, 0, -1, 1, 1]


def test_sick_pairs_are_paraphrases_if_both_directions_hold(write):
    head = "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tentailment_AB\tentailment_BA\n"
    rows = (
        "1\tA b\tC d\tENTAILMENT\t4.5\tA_entails_B\tB_entails_A\n2\tE f\tG h\tENTAILMENT\t4\tA_entails_B\tB_neutral_A\n"
    )
    corpus = read(write("SICK.txt", head + rows))
    assert (corpus.layout, labels(corpus), corpus.human.tolist()) == ("SICK", [1, 0], [4.5, 4.0])


def test_one_direction_of_inference_decides_only_negative_pairs(write):
    rows = [
        {"gold_label": gold, "sentence1": s, "sentence2": h, "pairID": str(n)}
        for n, (gold, s, h) in enumerate(
            [
                ("entailment", "A b", "C d"),
                ("entailment", "C d", "A b"),
                ("entailment", "E f", "G h"),
                ("neutral", "I j", "K l"),
                ("contradiction", "M n", "O p"),
                ("-", "Q r", "S t"),
                ("entailment", "K l", "I j"),
            ]
        )
    ]
    corpus = read(write("dev.jsonl", "\n".join(map(json.dumps, rows))))
    assert corpus.layout == "SNLI or MNLI"
    assert labels(corpus) == [1, 1, -1, 0, 0, -1, 0]
    anli = [{"uid": str(n), "context": "A b", "hypothesis": f"C {n}", "label": kind} for n, kind in enumerate("ecn")]
    corpus = read(write("anli.jsonl", "\n".join(map(json.dumps, anli))))
    assert (corpus.layout, labels(corpus)) == ("ANLI", [-1, 0, 0])


def test_class_numbers_of_the_hub_become_names(tmp_path):
    import pyarrow
    import pyarrow.parquet

    feature = {"names": ["not_equivalent", "equivalent"], "_type": "ClassLabel"}
    meta = {"huggingface": json.dumps({"info": {"features": {"label": feature, "sentence1": {"_type": "Value"}}}})}
    table = pyarrow.table({"sentence1": ["A b", "C d", "E f"], "sentence2": ["x", "y", "z"], "label": [1, 0, -1]})
    pyarrow.parquet.write_table(table.replace_schema_metadata(meta), tmp_path / "x.parquet")
    assert labels(read(tmp_path / "x.parquet")) == [1, 0, -1]
    feature["names"] = ["entailment", "neutral", "contradiction"]
    meta = {"huggingface": json.dumps({"info": {"features": {"label": feature}}})}
    pyarrow.parquet.write_table(table.replace_schema_metadata(meta), tmp_path / "nli.parquet")
    assert labels(read(tmp_path / "nli.parquet")) == [0, -1, -1]


def test_grades_with_marks_are_read(write):
    rows = [{"text1": f"a {n}", "text2": "b c", "label": grade} for n, grade in enumerate(["4", "4s", "4>", "3i", "2"])]
    corpus = read(write("turku.json", json.dumps(rows)))
    assert labels(corpus) == [1, 1, -1, -1, 0]
    assert corpus.human.tolist() == [4, 4, 4, 3, 2]


def test_sets_of_sentences_become_pairs(write):
    head = "paraphrase_set_id\tsentence_id\tparaphrase\tlanguage\n"
    corpus = read(write("tapaco.tsv", head + "1\t10\tA b.\ten\n1\t11\tC d.\ten\n2\t12\tE f.\ten\n1\t13\tG h.\ten\n"))
    assert (corpus.source, corpus.hypothesis) == (["A b.", "A b."], ["C d.", "G h."])
    assert labels(corpus) == [1, 1] and corpus.group == ["en", "en"]
    assert "first sentence with the other sentences" in corpus.guessed


@pytest.mark.parametrize("gold", [2, "He's not awake."])
def test_candidates_become_pairs(write, gold):
    options = ["He's not asleep.", "He's awake.", "He's not awake."]
    rows = [
        {"input": "He's asleep.", "options": options, "label": gold},
        {"input": "I go.", "options": options, "label": gold},
    ]
    corpus = read(write("semantoneg.json", json.dumps(rows)))
    assert corpus.source == ["He's asleep."] * 3 + ["I go."] * 3
    assert corpus.hypothesis[:3] == options
    assert labels(corpus) == [0, 0, 1] * 2


def test_exports_of_annotation_tools_are_read(write):
    def task(number: int, *choices: str) -> dict[str, object]:
        annotations = [{"result": [{"type": "choices", "value": {"choices": [choice]}}]} for choice in choices]
        return {"id": number, "data": {"text1": f"A {number}", "text2": "B c"}, "annotations": annotations}

    tasks = [
        task(1, "Paraphrase", "Paraphrase", "Different"),
        task(2, "Different"),
        task(3, "Paraphrase", "Different"),
        task(4),
    ]
    corpus = read(write("label_studio.json", json.dumps(tasks)))
    assert (corpus.id, labels(corpus)) == (["1", "2", "3", "4"], [1, 0, -1, -1])
    assert corpus.source[0] == "A 1"
    rows = [{"id": n, "text1": "A b", "text2": "C d", "label": each} for n, each in enumerate((["yes"], ["no"], []))]
    assert labels(read(write("doccano.jsonl", "\n".join(map(json.dumps, rows))))) == [1, 0, -1]


def test_opusparcus_has_grades_and_languages(write):
    corpus = read(write("o.csv", "lang,sent1,sent2,annot_score,gem_id\nde,A b,C d,4.0,g-1\nfr,E f,G h,1.5,g-2\n"))
    assert (corpus.layout, corpus.group, corpus.human.tolist()) == ("Opusparcus", ["de", "fr"], [4.0, 1.5])


@pytest.mark.skipif(not DATA.exists(), reason="the corpora are not here")
def test_the_published_form_of_apty_is_read():
    corpus = read(DATA / "apty" / "apty_base.csv")
    assert (corpus.layout, len(corpus)) == ("APTY", 575)
    assert {"AdditionDeletion"} < set(corpus.group)
    assert np.isin(corpus.label, (0, 1)).all()


def test_two_rows_with_the_same_id_become_a_pair(write):
    rows = [(n, kind, f"The {kind} number {n} is long.", n % 2) for n in range(120) for kind in ("first", "second")]
    text = "id\ttype\ttext\tlabel\n" + "".join("\t".join(map(str, row)) + "\n" for row in rows)
    opened = open_corpus(write("x.tsv", text))
    assert opened.preview.certain
    corpus = opened.read()
    assert (len(corpus), corpus.source[1], corpus.hypothesis[1]) == (120, rows[2][2], rows[3][2])
    assert labels(corpus)[:3] == [0, 1, 0] and corpus.guessed.endswith("two rows per pair")
    corpus = read(write("y.tsv", text + "120\tfirst\tAlone it stands here.\t0\n"))
    assert [row.reason for row in corpus.skipped] == ["the only row with its id"]


@pytest.mark.parametrize("second", ["A cat has number {}.\t0", "Dog number {} runs.\t1"])
def test_two_answers_about_one_sentence_are_not_a_pair(write, second):
    text = "id\ttext\tlabel\n" + "".join(f"{n}\tDog number {n} runs.\t1\n{n}\t{second}\n".format(n) for n in range(4))
    with pytest.raises(CorpusError, match="were not recognised"):
        read(write("x.tsv", text))

"""Layouts that people and other programs write: pandas, Markdown, Excel in other languages, language models."""

from __future__ import annotations

import json

import pytest

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs import Corpus, open_corpus, open_text, read
from parapluie_gui.pairs.reading.decisions import to_decisions

PAIRS = [
    ("The lamp stands on the desk.", "A lamp is standing on the table."),
    ("She never drinks tea.", "She drinks tea every day."),
    ("The train left at noon.", "At noon the train departed."),
    ("He lost his keys again.", "His keys were found."),
    ("Rain fell all night long.", "It rained through the night."),
    ("The shop closes at five.", "At five the shop is shut."),
]
ROWS = [(*pair, at % 2) for at, pair in enumerate(PAIRS)]
NAMES = ("sentence1", "sentence2", "label")


def check(corpus: Corpus) -> None:
    assert list(zip(corpus.source, corpus.hypothesis, strict=True)) == PAIRS
    assert corpus.labels.tolist() == [at % 2 for at in range(len(PAIRS))]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([list(NAMES), *map(list, ROWS)]),
        "".join(f"{json.dumps(row)}\n" for row in ROWS),
        json.dumps({"columns": NAMES, "index": list(range(6)), "data": ROWS}),
        json.dumps({name: {str(at): row[place] for at, row in enumerate(ROWS)} for place, name in enumerate(NAMES)}),
    ],
    ids=["lists with a header", "lines of lists", "pandas, split", "pandas, columns"],
)
def test_json_without_records(text, tmp_path):
    path = tmp_path / ("pairs.jsonl" if text.startswith("[") and "]\n[" in text else "pairs.json")
    path.write_text(text)
    check(read(path))


def test_a_table_in_markdown():
    lines = [f"| {' | '.join(map(str, row))} |" for row in (NAMES, ("---", ":--:", "---"), *ROWS)]
    check(open_text("\n".join(lines) + "\n").read())


@pytest.mark.parametrize(("yes", "no"), [("WAHR", "FALSCH"), ("VERDADERO", "FALSO"), ("ИСТИНА", "ЛОЖЬ"), ("İgaz", "x")])
def test_truth_values_of_excel_in_other_languages(yes, no):
    rows = "".join(f"{one};{two};{yes if label else no}\n" for one, two, label in ROWS)
    opened = open_text(f"{';'.join(NAMES)}\n{rows}")
    if no == "x":
        with pytest.raises(CorpusError, match="is not a label"):
            opened.read()
    else:
        check(opened.read())


def test_a_label_with_a_remark_in_its_name():
    rows = "".join(f"{one}\t{two}\t{'ja' if label else 'nein'}\n" for one, two, label in ROWS)
    check(open_text(f"Satz 1\tSatz 2\tGleichbedeutend (ja/nein)\n{rows}").read())


def test_lists_that_pandas_writes_into_csv():
    rows = "".join(f'"{one}","{[two, one]}",question,quora\n' for one, two in PAIRS)
    corpus = open_text(f"text,paraphrases,category,source\n{rows}").read()
    assert len(corpus) == 12 and corpus.hypothesis[:2] == [PAIRS[0][1], PAIRS[0][0]]


def test_lines_in_two_encodings(tmp_path):
    path = tmp_path / "mixed.csv"
    lines = [f"Café {at}.,Le café {at}.,{at % 2}\n".encode("utf-8" if at < 4 else "cp1252") for at in range(8)]
    path.write_bytes(b"sentence1,sentence2,label\n" + b"".join(lines))
    corpus = read(path)
    assert corpus.source == [f"Café {at}." for at in range(8)]
    assert "UTF-8, and Windows-1252 in some lines" in corpus.guessed
    again = read(path, **to_decisions({**corpus.plan.options()}))
    assert again.source == corpus.source


def test_a_file_that_is_cut_within_a_protected_cell_names_the_line():
    rows = "".join(f'"{one}","{two}",{label}\n' for one, two, label in ROWS)
    with pytest.raises(CorpusError, match="opened here and never closed") as error:
        open_text(f"{','.join(NAMES)}\n{rows}"[:-12]).read()
    assert error.value.line == 7


def test_prompts_are_named():
    rows = "".join(json.dumps({"prompt": f"Paraphrase this: {one}", "completion": two}) + "\n" for one, two in PAIRS)
    corpus = open_text(rows).read()
    assert corpus.plan.remarks == (
        'all cells of "prompt" begin with “Paraphrase this:”, which is scored as part of the sentence',
    )


def test_a_column_of_texts_as_formulas_is_read_as_spreadsheets_show_it():
    rows = "".join(f'{one},{two},"=""00{at}""","=""{at}"" or more"\n' for at, (one, two) in enumerate(PAIRS))
    corpus = open_text(f"sentence1,sentence2,code,note\n{rows}").read()
    assert corpus.extra["code"] == [f"00{at}" for at in range(6)]
    assert corpus.extra["note"][0] == '="0" or more'


def test_the_preview_reaches_a_header_far_below(tmp_path):
    path = tmp_path / "far.tsv"
    rows = "".join(f"{one}\t{two}\t{label}\n" for one, two, label in ROWS)
    path.write_text("note\t\t\n" * 300 + "\t".join(NAMES) + f"\n{rows}", encoding="utf-8")
    opened = open_corpus(path, header=301)
    assert opened.preview.columns == NAMES
    check(opened.read())

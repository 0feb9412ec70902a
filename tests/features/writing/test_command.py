"""`parapluie paraphrase`: a corpus written by a judge, resumed after an interruption."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from masked_models import save_masked
from tiny import save_model

from parapluie_gui.commands.main import main
from parapluie_gui.features.writing import command
from parapluie_gui.features.writing.command import ParaphraseOptions, _read_sources
from parapluie_gui.models.catalogue import find_model
from parapluie_gui.pairs import open_corpus
from parapluie_gui.pluie import judge_settings
from parapluie_gui.pluie.causal import CausalWriter
from parapluie_gui.scores.table import ScoreTable

#: Eleven sentences with five candidates: two batches of thirty texts, and one text in the last batch.
SENTENCES = [f"The cat number {number} sleeps." for number in range(11)]


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    return save_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def work_folder(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with sentences, and a template that generates short texts."""
    own = home / "templates" / "paraphrase"
    own.mkdir(parents=True)
    (own / "short.toml").write_text(
        'name = "SHORT"\nmax_new_tokens = 4\n[[turn]]\nrole = "user"\ntext = "Reword: {source}"\n'
    )
    folder = tmp_path / "there"
    folder.mkdir()
    (folder / "s.txt").write_text("\n".join([*SENTENCES, "", SENTENCES[0]]), encoding="utf-8-sig")
    monkeypatch.chdir(folder)
    return folder


def paraphrase(model: Path, *arguments: str) -> int:
    common = ["--judge", str(model), "--template", "short", "--device", "cpu"]
    return main(["paraphrase", "s.txt", "-o", "out.csv", *common, *arguments])


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_corpus_is_written(work_folder, model, capsys):
    assert paraphrase(model, "-k", "3", "--seed", "5") == 0
    table = rows(work_folder / "out.csv")
    assert {row["source"] for row in table} <= set(SENTENCES)
    assert len(table) == len({row["id"] for row in table}) >= 25
    assert [row["candidate"] for row in table if row["source"] == SENTENCES[0]] == ["1", "2", "3"]
    (written_with,) = {row["written_with"] for row in table}
    assert "model:tiny|" in written_with and "|temperature:0.7|top_p:0.95|seed:5|tokens:4|" in written_with
    assert {row["system"] for row in table} == {"tiny SHORT"}
    out, err = capsys.readouterr()
    assert out.startswith(f"11 sentences, {len(table)} candidates; ") and "cut off at 4 tokens" in out
    assert "s.txt: 1 repeated sentence is left out." in err
    assert not (work_folder / "out.csv.part").exists()
    corpus = open_corpus(work_folder / "out.csv").read()
    assert len(corpus) == len(table) and corpus.numbers("candidate") is not None


def test_a_known_limitation_of_a_judge_is_reported_only_when_it_judges(work_folder, model, capsys, monkeypatch):
    noted = replace(find_model(str(model)), note="A weak judge: near chance on MRPC.")
    monkeypatch.setattr(judge_settings, "find_model", lambda *arguments: noted)
    assert paraphrase(model, "-k", "1") == 0
    out, err = capsys.readouterr()
    assert "near chance" not in out + err, "the model writes here and does not judge"
    judge = ["--judge", str(model), "--template", "DIRECT", "--metric", "edit_distance", "--device", "cpu"]
    assert main(["score", "out.csv", "-o", "scored.csv", *judge]) == 0
    assert "near chance on MRPC" in capsys.readouterr().err


def test_empty_and_repeated_candidates_are_reported(work_folder, model, capsys, monkeypatch):
    texts = iter(["", "same", "Same", SENTENCES[0].upper()])
    monkeypatch.setattr(CausalWriter, "_write_batch", _answering(texts))
    assert paraphrase(model, "-k", "4", "--limit", "1") == 0
    assert capsys.readouterr().out == (
        "1 sentence, 3 candidates; 1 empty and left out, 1 repeated, 1 the same as the source → out.csv\n"
    )
    assert [row["remark"] for row in rows(work_folder / "out.csv")] == ["", "repeats candidate 2", "same as the source"]
    monkeypatch.setattr(CausalWriter, "_write_batch", _answering(iter([""])))
    assert paraphrase(model, "-k", "1", "--limit", "1", "--seed", "1") == 2
    assert "tiny wrote no text for any sentence." in capsys.readouterr().err


def _answering(texts):
    def answer(self, sources, numbers, prompts):
        from parapluie_gui.pluie.writing import WrittenParaphrase

        return [WrittenParaphrase(numbers[prompt.row], next(texts)) for prompt in prompts]

    return answer


@pytest.mark.parametrize("cut_line", [False, True])
def test_a_killed_run_loses_one_batch_and_resumes_with_the_same_result(
    work_folder, model, capsys, monkeypatch, cut_line
):
    assert paraphrase(model) == 0
    expected = (work_folder / "out.csv").read_bytes()
    (work_folder / "out.csv").unlink()
    add, batches = command.CandidateFile.add, []

    def spy(self, found_rows, candidates):
        batches.append(sorted(set(found_rows)))
        if len(batches) == 2:
            raise KeyboardInterrupt
        add(self, found_rows, candidates)

    monkeypatch.setattr(command.CandidateFile, "add", spy)
    assert paraphrase(model) == 130
    part = work_folder / "out.csv.part"
    assert not (work_folder / "out.csv").exists() and len(part.read_text().splitlines()) == 31
    if cut_line:
        with part.open("a") as file:
            file.write('[6, 1, "half')
    assert "the same command continues from there" in capsys.readouterr().err
    assert paraphrase(model) == 0
    assert batches == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [6, 7, 8, 9, 10]]
    assert (work_folder / "out.csv").read_bytes() == expected
    assert not part.exists() and "6 sentences are already in out.csv.part" in capsys.readouterr().err


def test_a_partial_file_with_different_settings_is_not_resumed(work_folder, model, capsys):
    (work_folder / "out.csv.part").write_text(json.dumps({"written with": "something else"}) + "\n")
    assert paraphrase(model) == 2
    assert "is from a run with different sentences or settings" in capsys.readouterr().err
    assert (work_folder / "out.csv.part").exists() and not (work_folder / "out.csv").exists()


def test_sources_are_read_from_a_table(work_folder, model):
    (work_folder / "pairs.csv").write_text("id,source,hypothesis\na,The cat.,x\nb,The cat.,y\nc,A dog.,z\n")
    common = ["--judge", str(model), "--template", "SHORT", "--device", "cpu", "-k", "1"]
    assert main(["paraphrase", "pairs.csv", "-o", "out.jsonl", *common]) == 0
    result = [json.loads(line) for line in (work_folder / "out.jsonl").read_text().splitlines()]
    assert [(row["id"], row["source"]) for row in result] == [("a-1", "The cat."), ("c-1", "A dog.")]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--temperature", "0"], "At temperature 0, all candidates for a sentence are the same."),
        (["--template", "DIRECT"], "There is no template DIRECT for writing; the templates are MISTRAL-NAIVE"),
        (["--top-p", "1.5"], "1.5 is not a number above 0 and up to 1"),
        (["-o", "out.doc"], 'Tables cannot be written as "out.doc".'),
        (
            ["--judge", "pocket"],
            "Only one judge can write the paraphrases of a file. Name one, and run the command again",
        ),
    ],
)
def test_mistakes_are_refused_in_one_sentence(work_folder, model, capsys, arguments, words):
    try:
        status = paraphrase(model, *arguments)
    except SystemExit as end:
        status = end.code
    err = capsys.readouterr().err
    assert status == 2 and words in err and err.count("\n") == 1
    assert sorted(path.name for path in work_folder.iterdir()) == ["s.txt"]


def test_a_masked_judge_cannot_write(work_folder, capsys):
    assert paraphrase("pocket") == 2
    assert "pocket fills gaps in texts and cannot write paraphrases. Choose" in capsys.readouterr().err


def test_files_without_sentences_are_refused(work_folder, model, capsys, tmp_path):
    for content, words in ((b"\n \n", "it has no sentences"), (b"caf\xe9", "it is not UTF-8 text")):
        (work_folder / "s.txt").write_bytes(content)
        assert paraphrase(model) == 2
        assert words in capsys.readouterr().err
    masked = save_masked(tmp_path / "masked")
    assert paraphrase(masked) == 2 and "cannot write paraphrases" in capsys.readouterr().err


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1e"])
def test_only_line_ends_separate_the_sentences_of_a_text_file(tmp_path, home, separator):
    path = tmp_path / "sentences.txt"
    path.write_text(f"It{separator}rains.\r\nA cat slept.\n", encoding="utf-8", newline="")
    sources = _read_sources(ParaphraseOptions(sources=path, output=tmp_path / "out.csv"))[1]
    assert sources == [f"It{separator}rains.", "A cat slept."]


def test_a_table_with_one_column_is_paraphrased(tmp_path, capsys, home):
    for text, sentences in (
        ('source\n"A cat, black, slept."\nIt rained.\n', ["A cat, black, slept.", "It rained."]),
        ("A cat slept.\nIt rained.\n", ["A cat slept.", "It rained."]),
        ('source\n"He runs\r\nfast."\nIt rained.\n', ["He runs fast.", "It rained."]),
        ("source\nIt\u2028rains.\n", ["It\u2028rains."]),
    ):
        path = tmp_path / "one.csv"
        path.write_text(text, encoding="utf-8")
        assert _read_sources(ParaphraseOptions(sources=path, output=tmp_path / "out.csv"))[1] == sentences


def test_the_best_of_several_candidates_is_kept_and_sentences_can_be_sampled(work_folder, model, capsys, monkeypatch):
    asked = []

    def first_of_each(corpus, by, judges, metrics, device):
        asked.append((by, judges, metrics, len(corpus)))
        rows = [list(corpus.source).index(source) for source in dict.fromkeys(corpus.source)]
        return corpus.take(rows), ScoreTable(len(rows))

    monkeypatch.setattr(command, "keep_best", first_of_each)
    assert (
        paraphrase(model, "--best-of", "2", "--draw", "4", "--seed", "1", "--by", "1 - bleu", "--metric", "chrf") == 0
    )
    table = rows(work_folder / "out.csv")
    assert len(table) == len({row["source"] for row in table}) <= 4
    ((by, judges, metrics, candidates),) = asked
    assert (by, judges, metrics) == ("1 - bleu", ("pocket",), ("chrf",)) and candidates <= 8

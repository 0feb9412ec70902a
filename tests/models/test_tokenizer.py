"""Untrusted tokenizers: crashes, endless loops and memory exhaustion become errors that name the tokenizer."""

from __future__ import annotations

import base64
import json
import threading

import pytest
import transformers
from listening import make_job
from tiny import save_model

from parapluie_gui.commands.main import main
from parapluie_gui.errors import ModelError
from parapluie_gui.models.tokenizer import check_expansion, load_tokenizer
from parapluie_gui.work.events import JobFailed
from parapluie_gui.work.runner import JobRunner

#: Backtracks endlessly on a sequence of a's.
REDOS = {"type": "Split", "pattern": {"Regex": "(a|a|aa)+$"}, "behavior": "Isolated", "invert": False}
THOUSANDS = {"type": "Replace", "pattern": {"String": "e"}, "content": "e" * 1000}


@pytest.fixture
def changed(tmp_path):
    """Return a function that saves a tiny model with parts of its tokenizer.json replaced."""

    def change(**parts):
        folder = save_model(tmp_path / "strange")
        path = folder / "tokenizer.json"
        path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **parts}), encoding="utf-8")
        return folder

    return change


def test_a_checked_tokenizer_gives_the_same_ids_and_keeps_its_class(tmp_path):
    folder = save_model(tmp_path / "m")
    ours = load_tokenizer("m", folder)
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    texts = ["The cat sleeps.", "", "« Ça va ? »"]
    assert ours(texts)["input_ids"] == theirs(texts)["input_ids"] and isinstance(ours, type(theirs))
    assert ours("a b", "c")["input_ids"] == theirs("a b", "c")["input_ids"]
    assert type(ours).__name__ == type(theirs).__name__
    ours.save_pretrained(tmp_path / "again")
    assert (
        transformers.AutoTokenizer.from_pretrained(tmp_path / "again")(texts)["input_ids"] == ours(texts)["input_ids"]
    )


def test_an_endless_regular_expression_names_the_tokenizer(changed):
    folder = changed(pre_tokenizer=REDOS)
    with pytest.raises(ModelError, match=r"^The tokenizer of strange fails \(.*\)\. Choose another model\.$"):
        load_tokenizer("strange", folder)("a" * 39 + "b")


def table(replacement):
    """Return a character table, as sentencepiece writes it, with one replacement."""
    return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(bytes(4) + replacement).decode()}


BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


@pytest.mark.parametrize(
    "parts",
    [
        {"normalizer": THOUSANDS},
        {"normalizer": {"type": "Sequence", "normalizers": [{**THOUSANDS, "content": "e" * 5}] * 2}},
        {"normalizer": {"type": "Replace", "pattern": {"Regex": ""}, "content": "x" * 30}},
        {"normalizer": {"type": "Sequence", "normalizers": [BYTES] * 40}},
        {"normalizer": table(b"e" * 500)},
        {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [BYTES] * 40}},
        {"decoder": {"type": "Sequence", "decoders": [THOUSANDS] * 4}},
    ],
)
def test_steps_that_expand_texts_are_refused_before_they_run(changed, parts):
    with pytest.raises(ModelError, match=r"The tokenizer of strange makes texts up to [\d,]+ times longer\."):
        load_tokenizer("strange", changed(**parts))


def test_usual_steps_are_accepted(changed):
    spaces = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"}
    for steps in (
        [{"type": "Prepend", "prepend": "▁"}, {**spaces, "pattern": {"String": " "}}],
        [table(bytes(33)), spaces],
    ):
        check_expansion("m", changed(normalizer={"type": "Sequence", "normalizers": steps}, pre_tokenizer=BYTES))


def test_a_tokenizer_that_takes_too_long_is_named_and_abandoned(tmp_path, monkeypatch):
    released = threading.Event()
    monkeypatch.setattr("parapluie_gui.models.tokenizer.SECONDS", 0.0)
    tokenizer = load_tokenizer("slow", save_model(tmp_path / "m"))
    monkeypatch.setattr(type(tokenizer).__mro__[2], "__call__", lambda self, *texts, **options: released.wait())
    with pytest.raises(ModelError, match=r"The tokenizer of slow takes longer than 0 seconds for 6 characters\."):
        tokenizer(["a b", "c d"])
    released.set()


def test_too_many_tokens_for_a_text_are_refused(tmp_path, monkeypatch):
    tokenizer = load_tokenizer("m", save_model(tmp_path / "m"))
    monkeypatch.setattr("parapluie_gui.models.tokenizer.MOST_TIMES", 0)
    tokenizer("a " * 90)
    with pytest.raises(ModelError, match=r"The tokenizer of m turns 600 characters into \d+ tokens\."):
        tokenizer(["short", "a " * 300])


def test_judges_and_the_command_line_name_the_tokenizer(changed, tmp_path, capsys):
    folder = changed(pre_tokenizer=REDOS)
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text(f"source\thypothesis\n{'a' * 39}b\ta c\n", encoding="utf-8")
    assert main(["score", str(pairs), "--judge", f"{folder}=DIRECT", "-o", str(tmp_path / "out.csv")]) == 2
    error = capsys.readouterr().err
    assert "The tokenizer of strange fails" in error and "Internal error" not in error


def test_the_worker_survives_panics(monkeypatch):
    class Panic(BaseException):
        pass

    def run(*_):
        raise Panic("Onig")

    job = make_job(3, metrics=("bleu",))
    monkeypatch.setattr(type(job.request), "run", run)
    events: list = []
    JobRunner(events.append).run(job)
    assert isinstance(events[-1], JobFailed) and "Onig" in events[-1].text

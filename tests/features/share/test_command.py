"""`parapluie share`: the contents of the page, and its links."""

from __future__ import annotations

import base64
import json
import os
import re
import zlib
from pathlib import Path

import numpy as np
import pytest

from parapluie_gui.commands.main import main
from parapluie_gui.features.share.page import link_to
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.storage.session import Session


def run(*arguments: object) -> int:
    return main(["share", *map(str, arguments)])


def parts(path) -> dict[str, bytes]:
    text = path.read_text(encoding="utf-8")
    content = re.findall(r'id="part-(\w+)">([^<]*)<', text)
    return {name: zlib.decompress(base64.b64decode(packed)) for name, packed in content}


def page_data(path) -> dict[str, object]:
    return json.loads(re.search(r'id="about">([^<]*)<', path.read_text(encoding="utf-8"))[1])


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "scored.csv"
    lines = [f"p{row},sentence {row},another {row},{row % 2},{row / 40},{'ab'[row % 2]}" for row in range(40)]
    path.write_text("\n".join(["id,source,hypothesis,label,bleu,system", *lines]), encoding="utf-8")
    return path


@pytest.fixture
def session(tmp_path):
    path = tmp_path / "work.pluie"
    texts = [f"sentence {row}" for row in range(6)]
    with Session.open(path, create=True) as opened:
        for name in ("first", "second"):
            labels = np.array([0, 1] * 3, dtype=np.int8)
            number = opened.add_corpus(Corpus(name, [f"{name}{row}" for row in range(6)], texts, texts, label=labels))
        opened.store.put(
            Signature.from_fields("bleu", {"name": "bleu"}), [pair_key(text, text) for text in texts], [0.5] * 6
        )
        opened.judge(number, 2, "Anna", "parapluie", "verdict", "same_meaning")
        opened.set_note(number, 3, "odd indeed", None, "Anna")
    return path


def test_a_licence_or_scores_only_must_be_chosen(table, tmp_path, capsys):
    target = tmp_path / "page.html"
    for given in ((), ("--licence", " "), ("--licence", "CC0", "--without-sentences")):
        assert run(table, "-o", target, *given) == 2
        assert "May these sentences be shared?" in capsys.readouterr().err and not target.exists()
    assert run(table, "-o", target, "--licence", "CC <0>") == 0
    assert "The page contains the sentences of scored" in capsys.readouterr().err
    assert "Licence: CC &lt;0&gt;" in target.read_text(encoding="utf-8") and b"another" in parts(target)["words"]
    assert run(table, "-o", target, "--without-sentences") == 0
    assert "sentences" not in parts(target) and "another" not in target.read_text(encoding="utf-8")


def test_part_of_a_table_is_shared_with_a_column_and_a_threshold(table, tmp_path, capsys):
    target = tmp_path / "page.html"
    options = ("--without-sentences", "--filter", "bleu >= 0.5", "--column", "system", "--threshold", "bleu=0.7")
    assert run(table, "-o", target, *options) == 0
    assert capsys.readouterr().err.startswith("20 pairs, 1 score → ")
    content = page_data(target)
    assert content["rows"] == 20 and json.loads(parts(target)["id"])[0] == "p20"
    assert [each["threshold"] for each in content["columns"]] == [0.7]
    assert json.loads(parts(target)["texts"]) == {"system": ["a", "b"] * 10}
    assert "only pairs that match bleu &gt;= 0.5" in target.read_text(encoding="utf-8")


def test_page_and_report_link_to_each_other(table, tmp_path):
    (tmp_path / "a b").mkdir()
    page, report = tmp_path / "page.html", tmp_path / "a b" / "report.html"
    options = ("--licence", "CC0", "--analyses", "--report", report, "--draws", "0")
    assert run(table, "-o", page, *options) == 0
    assert 'href="a%20b/report.html"' in page.read_text(encoding="utf-8")
    assert 'href="../page.html"' in report.read_text(encoding="utf-8")
    assert "<summary>Thresholds</summary>" in page.read_text(encoding="utf-8")


def test_a_talk_about_the_shared_pairs_is_included(table, tmp_path, capsys):
    talk = tmp_path / "cats.talk.toml"
    talk.write_text('title = "Cats"\n[[pair]]\nsource = "sentence 3"\nhypothesis = "another 3"\n', encoding="utf-8")
    assert run(table, "-o", tmp_path / "page.html", "--licence", "CC0", "--talk", talk) == 0
    assert page_data(tmp_path / "page.html")["talk"]["pairs"][0]["row"] == 3
    capsys.readouterr()
    assert run(table, "-o", tmp_path / "page.html", "--without-sentences", "--talk", talk) == 2
    assert "A talk shows sentences" in capsys.readouterr().err


def test_a_corpus_of_a_session_is_shared_with_judgements_on_request(session, tmp_path, capsys):
    target = tmp_path / "page.html"
    assert run(session, "-o", target, "--without-sentences") == 2
    assert "1 (first), 2 (second)" in capsys.readouterr().err
    assert run(session, "-o", target, "--without-sentences", "--corpus", "second") == 0
    assert "texts" not in parts(target)
    assert run(session, "-o", target, "--without-sentences", "--corpus", "2", "--people") == 0
    texts = json.loads(parts(target)["texts"])
    assert texts["note"][3] == "odd indeed" and texts["verdict.Anna"][2] == "same meaning"
    assert json.loads(parts(target)["id"])[0] == "second0"


def test_impossible_pages_are_refused(table, tmp_path, capsys):
    for target, options, words in (
        (tmp_path / "page.pdf", (), "Use a name that ends in .html"),
        (tmp_path / "no" / "page.html", (), "There is no folder"),
        (tmp_path / "page.html", ("--corpus", "x"), "Leave it out for a table"),
        (tmp_path / "page.html", ("--column", "nope"), 'no column "nope"'),
        (tmp_path / "page.html", ("--filter", "bleu > 2"), "No pair matches"),
    ):
        assert run(table, "-o", target, "--without-sentences", *options) == 2
        assert words in capsys.readouterr().err and not target.exists()


@pytest.mark.parametrize("text", ['"SECRETa"', "SECRETa", 'source contains "SECRETa"', "/SECR.Ta/", "bleu < 0.9"])
def test_a_page_without_sentences_contains_none_of_their_words(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{n},SECRETa cat {n},SECRETb dog {n},{n % 2},{n % 7 / 10}" for n in range(40)]
    (tmp_path / "a.csv").write_text("\n".join(["id,source,hypothesis,label,bleu", *rows]), encoding="utf-8")
    arguments = ["--filter", text, "--without-sentences", "--analyses", "--report", "r.html"]
    assert main(["share", "a.csv", "-o", "p.html", *arguments]) == 0
    pages = [(tmp_path / name).read_text("utf-8") for name in ("p.html", "r.html")]
    assert not any("SECR" in page for page in pages)
    shown = "bleu &lt; 0.9" if text == "bleu < 0.9" else "a filter, which is not shown"
    assert all(f"only pairs that match {shown}" in page for page in pages)


def test_an_output_named_twice_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").symlink_to(tmp_path)
    for name in ("p.html", "./p.html", "here/p.html"):
        assert main(["share", "none.csv", "-o", "p.html", "--report", name, "--licence", "x"]) == 2
        assert capsys.readouterr().err.startswith(f"parapluie: -o and --report both write to {Path(name)}. Choose")
    assert main(["errors", "none.csv", "--figure", "a.svg", "--heat-map", "a.svg"]) == 2
    assert "--figure and --heat-map both write to a.svg" in capsys.readouterr().err


def test_links_to_names_that_are_not_utf_8_work(tmp_path):
    page, report = (tmp_path / os.fsdecode(name) for name in (b"\xfc.html", b"\xfb.html"))
    assert link_to(page, report) == "%FC.html"

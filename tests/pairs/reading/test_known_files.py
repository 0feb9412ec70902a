"""The published files that the manual lists are read without a question; the contents here are invented."""

# A published file is a line of the table below.
# ruff: noqa: E501

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from parapluie_gui import places
from parapluie_gui.pairs import Corpus, read

SENTENCES = [
    ("The lamp stands on the desk.", "A lamp is standing on the table."),
    ("Two boys throw a ball.", "A ball is thrown by two boys."),
    ("She never drinks tea.", "She drinks tea every day."),
    ("The train left at noon.", "At noon the train departed."),
    ("He lost his keys again.", "His keys were found."),
    ("Rain fell all night long.", "It rained through the night."),
]
ONE, TWO = zip(*SENTENCES, strict=True)
BINARY, GRADES, IDS = [1, 0, 1, 0, 0, 1], [4.2, 1.0, 0.4, 5.0, 2.6, 3.0], [101, 102, 103, 104, 105, 106]
CLASSES = ["entailment", "neutral", "contradiction"] * 2
Columns = dict[str, Sequence[object]]


def separated(columns: Columns, mark: str, header: bool) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=mark, quoting=csv.QUOTE_NONE if mark == "\t" else csv.QUOTE_MINIMAL)
    writer.writerows([list(columns)] * header)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def tsv(**columns: Sequence[object]) -> str:
    return separated(columns, "\t", header=True)


def bare(*columns: Sequence[object], mark: str = "\t") -> str:
    return separated({str(at): column for at, column in enumerate(columns)}, mark, header=False)


def records(**columns: Sequence[object]) -> list[dict[str, object]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def lines(**columns: Sequence[object]) -> str:
    return "\n".join(map(json.dumps, records(**columns)))


@dataclass(frozen=True)
class KnownFile:
    """A published file: its name, an invented text of the same layout, and the expected pairs."""

    name: str
    file: str
    text: Callable[[], str]
    pairs: int = 6
    labels: list[int] | None = None
    human: list[float] | None = None
    people: int = 0


def judged() -> str:
    """Return two people's answers to two questions about each pair."""
    rows = [(a, b, q, w, at + w) for at, (a, b) in enumerate(SENTENCES) for q in ("x", "y") for w in (0, 1)]
    columns = dict(
        zip(("original", "simplification", "aspect", "worker_id", "rating"), zip(*rows, strict=True), strict=True)
    )
    return separated(columns, ",", header=True)


def crowd() -> str:
    rows = [(f"H{at}", f"A{at}{w}", f"W{w}", a, b, w) for at, (a, b) in enumerate(SENTENCES) for w in (0, 1)]
    names = ("HITId", "AssignmentId", "WorkerId", "Input.text1", "Input.text2", "Answer.similarity.label")
    head = ",".join(f'"{name}"' for name in (*names, "Approve", "Reject"))
    return head + "\n" + "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in rows)


def phrases() -> str:
    value = '<value name="{}">{}</value>'
    rows = (
        "".join(map(value.format, ("id", "text_1", "text_2", "class"), (at, a, b, at % 2)))
        for at, (a, b) in enumerate(SENTENCES)
    )
    return (
        "<?xml version='1.0'?><data><corpus>"
        + "".join(f"<paraphrase>{row}</paraphrase>" for row in rows)
        + "</corpus></data>"
    )


KNOWN = [
    KnownFile("LCQMC", "train.txt", lambda: bare(ONE, TWO, BINARY), labels=BINARY),
    KnownFile("BQ Corpus", "dev.tsv", lambda: tsv(text_a=ONE, text_b=TWO, label=BINARY), labels=BINARY),
    KnownFile("AFQMC", "dev.json", lambda: lines(sentence1=ONE, sentence2=TWO, label=list(map(str, BINARY))), labels=BINARY),
    KnownFile("QQP (GLUE)", "train.tsv", lambda: tsv(id=IDS, qid1=IDS, qid2=IDS, question1=ONE, question2=TWO, is_duplicate=BINARY), labels=BINARY),
    KnownFile("MRPC (GLUE)", "dev.tsv", lambda: separated({"Quality": BINARY, "#1 ID": IDS, "#2 ID": IDS, "#1 String": ONE, "#2 String": TWO}, "\t", True), labels=BINARY),
    KnownFile("STS-B (GLUE)", "dev.tsv", lambda: tsv(index=IDS, genre=["main-news"] * 6, filename=["a"] * 6, year=[2012] * 6, old_index=IDS, source1=["x"] * 6, source2=["y"] * 6, sentence1=ONE, sentence2=TWO, score=GRADES), human=GRADES),
    KnownFile("stsb_multi_mt", "stsb-fr-dev.csv", lambda: bare(ONE, TWO, GRADES, mark=","), human=GRADES),
    KnownFile("STS 2012 to 2016", "STS.input.answers.tsv", lambda: bare(GRADES, ONE, TWO), human=GRADES),
    KnownFile("KorSTS", "sts-dev.tsv", lambda: tsv(genre=["main-captions"] * 6, filename=["MSRvid"] * 6, year=["2012test"] * 6, id=IDS, score=GRADES, sentence1=ONE, sentence2=TWO), human=GRADES),
    KnownFile("JSTS (JGLUE)", "valid-v1.1.json", lambda: lines(sentence_pair_id=IDS, yjcaptions_id=IDS, sentence1=ONE, sentence2=TWO, label=GRADES), human=GRADES),
    KnownFile("JNLI (JGLUE)", "valid-v1.1.json", lambda: lines(sentence_pair_id=IDS, sentence1=ONE, sentence2=TWO, label=CLASSES), labels=[-1, 0, 0] * 2),
    KnownFile("KLUE-STS", "klue-sts-v1_dev.json", lambda: json.dumps(records(guid=IDS, source=["airbnb-rtt"] * 6, sentence1=ONE, sentence2=TWO, labels=records(**{"label": GRADES, "real-label": GRADES, "binary-label": BINARY}))), labels=BINARY, human=GRADES),
    KnownFile("KLUE-NLI", "klue-nli-v1_dev.json", lambda: json.dumps(records(guid=IDS, source=["airbnb", "wikinews"] * 3, premise=ONE, hypothesis=TWO, gold_label=CLASSES)), labels=[-1, 0, 0] * 2),
    KnownFile("SNLI", "snli_1.0_dev.jsonl", lambda: lines(annotator_labels=[["neutral"]] * 6, captionID=IDS, gold_label=CLASSES, pairID=IDS, sentence1=ONE, sentence2=TWO), labels=[-1, 0, 0] * 2),
    KnownFile("XNLI", "xnli.dev.tsv", lambda: tsv(language=["ru"] * 6, gold_label=CLASSES, sentence1=ONE, sentence2=TWO, pairID=IDS), labels=[-1, 0, 0] * 2),
    KnownFile("Turku Paraphrase Corpus", "train.tsv", lambda: tsv(label=["4", "4<", "1", "x", "2", "4s"], txt1=ONE, txt2=TWO), labels=[1, -1, 0, -1, 0, 1]),
    KnownFile("Opusparcus", "test.jsonl", lambda: lines(lang=["fi"] * 6, sent1=ONE, sent2=TWO, annot_score=GRADES, gem_id=IDS), human=GRADES),
    KnownFile("PIT-2015, test part", "test.data", lambda: bare([51] * 6, ["Topic"] * 6, ONE, TWO, [5, 4, 1, 3, 0, 2], ["A/O"] * 6, ["B/O"] * 6), labels=[1, 1, 0, -1, 0, 0]),
    KnownFile("ParaPhraser", "paraphrases.xml", phrases),
    KnownFile("PPDB 2.0", "ppdb-2.0-s-phrasal", lambda: "".join(f"[NP] ||| {a} ||| {b} ||| PPDB2.0Score=4.0 ||| 0-0 ||| Equivalence\n" for a, b in SENTENCES)),
    KnownFile("ASSET, human ratings", "human_ratings.csv", judged, people=4),
    KnownFile("Results of Mechanical Turk", "Batch_1_batch_results.csv", crowd, people=2),
    KnownFile("WMT direct assessments for COMET", "2020-da.csv", lambda: separated({"lp": ["de-en"] * 6, "src": ONE, "mt": TWO, "ref": TWO, "score": GRADES, "raw": GRADES, "annotators": [1] * 6, "domain": ["news"] * 6, "year": [2020] * 6}, ",", True), human=GRADES),
    KnownFile("BLEURT's ratings", "ratings.jsonl", lambda: lines(candidate=TWO, reference=ONE, score=GRADES), human=GRADES),
    KnownFile("WMT, MQM annotations", "mqm_newstest2020_ende.tsv", lambda: tsv(system=["A"] * 6, doc=["d"] * 6, doc_id=IDS, seg_id=IDS, rater=["rater1"] * 6, source=ONE, target=[f"<v>{b}</v>" for b in TWO], category=["Style/Awkward"] * 6, severity=["Minor"] * 6)),
    KnownFile("ParaDetox", "paradetox.tsv", lambda: tsv(**{"": range(6), "toxic": ONE, "neutral1": TWO, "neutral2": [f"So {b}" for b in TWO]}), pairs=12),
    KnownFile("Triplets of Sentence Transformers", "triplets.jsonl", lambda: lines(anchor=ONE, positive=TWO, negative=TWO[::-1]), pairs=12, labels=[1, 0] * 6),
    KnownFile("Samples of lm-evaluation-harness", "samples_mrpc.jsonl", lambda: lines(doc_id=range(6), doc=records(sentence1=ONE, sentence2=TWO, label=BINARY, idx=IDS), target=[" yes"] * 6, acc=[1.0] * 6), labels=BINARY),
    KnownFile("MRPC", "msr_paraphrase_test.txt", lambda: "\ufeff" + separated({"Quality": BINARY, "#1 ID": IDS, "#2 ID": IDS, "#1 String": ONE, "#2 String": TWO}, "\t", True), labels=BINARY),
    KnownFile("QQP", "quora_duplicate_questions.tsv", lambda: tsv(id=IDS, qid1=IDS, qid2=IDS, question1=ONE, question2=TWO, is_duplicate=BINARY), labels=BINARY),
    KnownFile("PAWS", "test.tsv", lambda: tsv(id=IDS, sentence1=ONE, sentence2=TWO, label=BINARY), labels=BINARY),
    KnownFile("PAWS-X", "de/test_2k.tsv", lambda: tsv(id=IDS, sentence1=ONE, sentence2=TWO, label=BINARY), labels=BINARY),
    KnownFile("STS Benchmark", "sts-test.csv", lambda: bare(["main-news"] * 6, ["headlines"] * 6, [2016] * 6, IDS, GRADES, ONE, TWO), human=GRADES),
    KnownFile("SICK", "SICK.txt", lambda: tsv(pair_ID=IDS, sentence_A=ONE, sentence_B=TWO, entailment_label=["ENTAILMENT"] * 6, relatedness_score=GRADES, entailment_AB=["A_entails_B", "A_neutral_B"] * 3, entailment_BA=["B_entails_A"] * 6), labels=[1, 0] * 3, human=GRADES),
    KnownFile("MultiNLI", "multinli_1.0_dev_matched.jsonl", lambda: lines(annotator_labels=[["neutral"]] * 6, genre=["fiction"] * 6, gold_label=CLASSES, pairID=IDS, promptID=IDS, sentence1=ONE, sentence2=TWO), labels=[-1, 0, 0] * 2),
    KnownFile("ANLI", "dev.jsonl", lambda: lines(uid=IDS, context=ONE, hypothesis=TWO, label=["e", "n", "c"] * 2, model_label=["n"] * 6, reason=[""] * 6), labels=[-1, 0, 0] * 2),
    KnownFile("KorNLI", "snli_1.0_train.ko.tsv", lambda: tsv(sentence1=ONE, sentence2=TWO, gold_label=CLASSES), labels=[-1, 0, 0] * 2),
    KnownFile("PIT-2015", "train.data", lambda: bare([51] * 6, ["Topic"] * 6, ONE, TWO, ["(5, 0)", "(4, 1)", "(0, 5)", "(2, 3)", "(1, 4)", "(3, 2)"], ["A/O"] * 6, ["B/O"] * 6), labels=[1, 1, 0, -1, 0, 1], human=[1.0, 0.8, 0.0, 0.4, 0.2, 0.6]),
    KnownFile("Twitter-URL", "Twitter_URL_Corpus_test.txt", lambda: bare(ONE, TWO, ["(6, 6)", "(4, 6)", "(0, 6)", "(3, 6)", "(1, 6)", "(5, 6)"], ["http://a"] * 6), labels=[1, 1, 0, -1, 0, 1]),
    KnownFile("ETPC", "text_pairs.xml", lambda: "<?xml version='1.0'?><etpc>" + "".join(f"<text_pair><pair_id>{at}</pair_id><sent1_raw>{a}</sent1_raw><sent2_raw>{b}</sent2_raw><mrpc_label>0</mrpc_label><etpc_label>{label}</etpc_label></text_pair>" for at, ((a, b), label) in enumerate(zip(SENTENCES, BINARY, strict=True))) + "</etpc>", labels=BINARY),
    KnownFile("APTY", "apty_base.csv", lambda: separated({"index": IDS, "apt": ["Addition/Deletion"] * 6, "original": ONE, "paraphrase_fixed": TWO, "paraphrase": BINARY}, ";", True), labels=BINARY),
    KnownFile("Twitter-Para (ParaScore)", "twitter-para.csv", lambda: separated({"source": ONE, "reference": TWO, "hypothesis": TWO[::-1], "human": [g / 5 for g in GRADES]}, ",", True), human=[g / 5 for g in GRADES]),
    KnownFile("BQ-Para (ParaScore)", "bq-para.csv", lambda: separated({"source": ONE, "reference": TWO, "hypothesis": TWO[::-1], "human": [g / 5 for g in GRADES]}, ",", True), human=[g / 5 for g in GRADES]),
    KnownFile("PARAPHRASUS", "stsbenchmark-test-sts.json", lambda: json.dumps({str(id): {"sentence1": a, "sentence2": b, "score": g} for id, (a, b), g in zip(IDS, SENTENCES, GRADES, strict=True)}), human=GRADES),
    KnownFile("TaPaCo", "train.jsonl", lambda: lines(paraphrase_set_id=[at // 2 for at in range(12)], sentence_id=range(12), paraphrase=[text for pair in SENTENCES for text in pair], lists=[[]] * 12, tags=[[]] * 12, language=["en"] * 12), labels=[1] * 6),
    KnownFile("WikiSplit", "test.tsv", lambda: bare(ONE, [f"{b} <::::> It is so ." for b in TWO])),
    KnownFile("Multilingual ParaDetox", "en.tsv", lambda: tsv(toxic_sentence=ONE, neutral_sentence=TWO)),
    KnownFile("SimCLUE", "train_rank.json", lambda: lines(query=ONE, title=TWO, neg_title=TWO[::-1]), pairs=12, labels=[1, 0] * 6),
    KnownFile("TurkCorpus", "test.8turkers.organized.tsv", lambda: bare(IDS, ONE, *([f"{mark} {a}" for a in ONE] for mark in "ABCDEFGH")), pairs=48),
    KnownFile("STSb-TR", "stsb_tr_dev.tsv", lambda: tsv(genre=["main-captions"] * 6, dataset=["MSRvid"] * 6, year=["2012test"] * 6, sid=IDS, score=GRADES, sentence1=ONE, sentence2=TWO), human=GRADES),
    KnownFile("myParaphrase", "closed-test.csv", lambda: bare(range(6), ONE, TWO, BINARY, mark=","), labels=BINARY),
    KnownFile("RUSSE-2022 Detoxification", "dev.tsv", lambda: tsv(toxic_comment=ONE, neutral_comment1=TWO, neutral_comment2=[f"So {b}" for b in TWO], neutral_comment3=[""] * 6), pairs=12),
]  # fmt: skip


@pytest.mark.parametrize("known", KNOWN, ids=[known.name for known in KNOWN])
def test_a_published_layout_is_read_without_a_question(known, write):
    corpus = read(write(known.file, known.text()))
    assert len(corpus) == known.pairs
    assert set(corpus.source) == set(ONE)
    assert labels_of(corpus) == known.labels
    assert (None if corpus.human is None or known.human is None else corpus.human.tolist()) == known.human
    assert len(corpus.annotators) == known.people


def labels_of(corpus: Corpus) -> list[int] | None:
    return None if corpus.label is None else corpus.label.tolist()


def test_the_manual_lists_these_files():
    page = (places.resources() / "manual" / "corpora.md").read_text(encoding="utf-8")
    section = page.partition("## Known files")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")][1:]
    assert all(len(row) == 5 and all(row) for row in rows), "name, file, what is read, publisher, licence"
    assert len({row[0] for row in rows}) >= 40
    listed = re.findall(r"^\| ([^|]+?) \| `([^`]+)`", section, re.MULTILINE)
    assert sorted(listed) == sorted((known.name, Path(known.file).name) for known in KNOWN)

"""Counts of the published corpora, as given in their README (shared/data) and papers."""

from __future__ import annotations

import pytest

from parapluie_gui.pairs import open_corpus, read

# file, layout, pairs, paraphrases (None: no labels), pairs with a label
COUNTS = [
    ("mrpc/msr_paraphrase_train.txt", "MRPC", 4076, 2753, 4076),
    ("mrpc/msr_paraphrase_test.txt", "MRPC", 1725, 1147, 1725),
    ("paws_wiki/test.tsv", "PAWS", 8000, 3536, 8000),
    ("stsb/sts-train.csv", "STS-B", 5749, None, 0),
    ("stsb/sts-dev.csv", "STS-B", 1500, None, 0),
    ("stsb/sts-test.csv", "STS-B", 1379, None, 0),
    ("parascore/twitter-para.csv", "ParaScore", 7159, None, 0),
    ("parascore/bq-para.csv", "ParaScore", 5590, None, 0),
    ("paraphrasus/ms-mrpc.json", "PARAPHRASUS", 1725, 1147, 1725),
    ("paraphrasus/amr_true_paraphrases.json", "PARAPHRASUS", 167, None, 0),
    ("paraphrasus/onestop_parallel_all_pairs.json", "PARAPHRASUS", 600, 600, 600),
    ("paraphrasus/stsbenchmark-test-sts.json", "PARAPHRASUS", 1379, 109, 338),
    ("paraphrasus/sickr-sts.json", "PARAPHRASUS", 9927, None, 0),
    ("paraphrasus/stannlp-snli-pre-hyp.json", "PARAPHRASUS", 6632, None, 0),
    ("paraphrasus/fb-anli-hyp-pre.json", "PARAPHRASUS", 798, None, 0),
    ("paraphrasus/published_predictions/ms-mrpc.tsv", "PARAPHRASUS", 1725, 1147, 1725),
    ("paraphrasus/published_predictions/stsbenchmark-test-sts.tsv", "PARAPHRASUS", 1379, 109, 338),
    ("paraphrasus/published_predictions/amr_true_paraphrases.tsv", "PARAPHRASUS", 167, None, 0),
    ("paraphrasus/published_predictions/onestop_parallel_all_pairs.tsv", "PARAPHRASUS", 600, 600, 600),
    ("parallel/tatoeba_en_fr/fra.txt", "custom", 167_130, None, 0),
]


@pytest.mark.parametrize(("file", "layout", "pairs", "paraphrases", "labelled"), COUNTS)
def test_a_published_corpus_has_the_published_counts(data, file, layout, pairs, paraphrases, labelled):
    corpus = read(data / file)
    assert (corpus.layout, len(corpus), corpus.skipped) == (layout, pairs, ())
    assert len(set(corpus.id)) == pairs
    if paraphrases is None:
        assert corpus.label is None
    else:
        assert int((corpus.label == 1).sum()) == paraphrases
        assert int((corpus.label >= 0).sum()) == labelled


def test_the_preview_agrees_with_the_reading(data):
    for file, layout, *_ in COUNTS[:-1]:
        preview = open_corpus(data / file).preview
        assert (preview.layout, preview.certain, len(preview.rows)) == (layout, True, 20)


def test_sts_scores_are_human_scores_and_paraphrasus_minimize_counts(data):
    sts = read(data / "paraphrasus/stsbenchmark-test-sts.json")
    assert int(((sts.human >= 0) & (sts.human < 3)).sum()) == 706  # shared/data/README.md, scoring rule
    sick = read(data / "paraphrasus/sickr-sts.json")
    assert int(((sick.human >= 1) & (sick.human < 3)).sum()) == 2305
    train = read(data / "stsb/sts-train.csv")
    assert (train.human.min(), train.human.max()) == (0.0, 5.0)
    assert {"main-captions", "main-news"} <= set(train.group)


def test_prediction_files_contain_the_sentences_of_their_json(data):
    folder = data / "paraphrasus"
    for name in ("ms-mrpc", "stsbenchmark-test-sts", "onestop_parallel_all_pairs", "amr_true_paraphrases"):
        table, records = read(folder / f"published_predictions/{name}.tsv"), read(folder / f"{name}.json")
        assert list(table.source) == list(records.source)
        assert list(table.hypothesis) == list(records.hypothesis)


def test_mrpc_keeps_its_quotation_marks_and_ids(data):
    corpus = read(data / "mrpc/msr_paraphrase_train.txt")
    assert corpus.id[0] == "702876-702977"
    assert '"the witness"' in corpus.source[0]
    assert open_corpus(data / "mrpc/msr_paraphrase_train.txt").preview.quoting == "none"


def test_parascore_has_the_published_sources(data):
    assert len(set(read(data / "parascore/twitter-para.csv").source)) == 761
    assert len(set(read(data / "parascore/bq-para.csv").source)) == 559

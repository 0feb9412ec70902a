from __future__ import annotations

import json

import numpy as np
import pytest

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs import LAYOUT_NAMES, open_corpus, read

MRPC = (
    "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n"
    '1\t10\t11\t"Yes," he said.\tHe said "yes".\r\n'
    '0\t12\t13\t"No way\tNobody "came\r\n'
    "1\t10\t11\tA third pair.\tPair number three.\r\n"
)
PAWS = "1\tThe cat saw the dog .\tThe dog saw the cat .\t0\n2\tHe came .\tHe did come .\t1\n"
STSB = (
    "main-captions\tMSRvid\t2012test\t0001\t5.000\tA man is dancing.\tA man dances.\n"
    'main-news\theadlines\t2016\t0001\t2.5\tRates "rise\tRates fall\tsrc one\tsrc two\n'
)
QQP = 'id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n0\t1\t2\t"What is ""x""?"\tWhat is x?\t1\n'


def test_mrpc_is_recognised(write):
    corpus = read(write("any.txt", MRPC))
    assert corpus.layout == "MRPC"
    assert list(corpus.id) == ["10-11", "12-13", "10-11#2"]
    assert corpus.source[:2] == ['"Yes," he said.', '"No way']
    assert corpus.hypothesis[0] == 'He said "yes".'
    assert corpus.label.tolist() == [1, 0, 1]
    assert corpus.label.dtype == np.int8


def test_paws_is_recognised_with_and_without_header(write):
    bare = read(write("test.tsv", PAWS))
    headed = read(write("train.tsv", "id\tsentence1\tsentence2\tlabel\n" + PAWS))
    for corpus in (bare, headed):
        assert (corpus.layout, len(corpus), list(corpus.id)) == ("PAWS", 2, ["1", "2"])
        assert corpus.label.tolist() == [0, 1]
    assert not open_corpus(write("test.tsv", PAWS)).preview.has_header


def test_a_header_of_the_same_shape_is_not_read_as_a_row(write):
    # the canonical columns id, source, hypothesis, label have the width of PAWS without header
    corpus = read(write("mine.tsv", "id\tsource\thypothesis\tlabel\n" + PAWS * 50))
    assert len(corpus) == 100
    assert corpus.layout == "custom"


@pytest.mark.parametrize("name", ["x-final/fr/test_2k.tsv", "pawsx_fr_dev.tsv", "fr/translated_train.tsv"])
def test_pawsx_takes_its_language_from_the_path(write, name):
    corpus = read(write(name, "id\tsentence1\tsentence2\tlabel\n1\tIl vient .\tIl est venu .\t0\n"))
    assert corpus.layout == "PAWS-X"
    assert corpus.group == ["fr"]


def test_stsb_is_recognised(write):
    corpus = read(write("sts.csv", STSB))
    assert corpus.layout == "STS-B"
    assert corpus.label is None
    assert corpus.human.tolist() == [5.0, 2.5]
    assert corpus.group == ["main-captions", "main-news"]
    assert corpus.source[1] == 'Rates "rise'
    assert list(corpus.id) == ["MSRvid-2012test-0001", "headlines-2016-0001"]
    assert corpus.extra["source1"] == [None, "src one"]


def test_qqp_is_recognised(write):
    corpus = read(write("q.tsv", QQP))
    assert corpus.layout == "QQP"
    assert corpus.source == ['What is "x"?']
    assert {name: column.cells() for name, column in corpus.extra.items()} == {"qid1": [1], "qid2": [2]}


def test_paraphrasus_objects_are_recognised(write):
    content = {
        "a/1": {"sentence1": "One.", "sentence2": "Uno.", "score": 2},
        "a/2": {"sentence1": "B", "sentence2": "C"},
    }
    content["a/2"]["label"] = True
    corpus = read(write("part.json", json.dumps(content)))
    assert corpus.layout == "PARAPHRASUS"
    assert list(corpus.id) == ["a/1", "a/2"]
    assert corpus.label.tolist() == [-1, 1]
    assert corpus.human[0] == 2
    assert np.isnan(corpus.human[1])


def test_paraphrasus_keeps_pairs_with_repeated_ids(write):
    text = '{"1": {"sentence1": "A", "sentence2": "B"},\n "1": {"sentence1": "C", "sentence2": "D"}}'
    corpus = read(write("part.json", text))
    assert list(corpus.id) == ["1", "1#2"]
    assert corpus.source == ["A", "C"]


def test_paraphrasus_predictions_are_recognised(write):
    text = 'sentence1\tsentence2\tLLama3 zero-shot (Paraph)\n"Say ""a"""\tSay b\t1\nC c\tD d\t-100\n'
    corpus = read(write("p.tsv", text))
    assert corpus.layout == "PARAPHRASUS"
    assert corpus.source[0] == 'Say "a"'
    assert corpus.extra["LLama3 zero-shot (Paraph)"].cells() == [1, -100]


def test_parascore_is_recognised(write):
    corpus = read(write("t.csv", 'source,reference,hypothesis,human\r\n"A, b",C,D,0.4\r\n'))
    assert (corpus.layout, corpus.source, corpus.reference) == ("ParaScore", ["A, b"], ["C"])
    assert corpus.human.tolist() == [0.4]


def test_a_layout_can_be_forced(write):
    assert read(write("m.txt", MRPC), layout="Mrpc").layout == "MRPC"
    headed = write("h.tsv", "id\tsentence1\tsentence2\tlabel\n" + PAWS)
    assert read(headed).layout == "PAWS"
    assert read(headed, layout="PAWS-X").layout == "PAWS-X"
    assert read(headed, layout="PAWS-X").group is None
    with pytest.raises(CorpusError, match="does not look like MRPC"):
        read(write("p.tsv", PAWS), layout="mrpc")
    with pytest.raises(CorpusError) as caught:
        read(write("m.txt", MRPC), layout="nonsense")
    assert all(name in str(caught.value) for name in LAYOUT_NAMES)

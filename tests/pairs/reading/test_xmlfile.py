"""XML read as records, and XML that is rejected."""

from __future__ import annotations

import pytest

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs import open_text, read
from parapluie_gui.pairs.reading.decisions import to_decisions

# ETPC_XML_v0.95.txt: the contents of each text_pair in text_pairs.xml
ETPC = """<?xml version="1.0" encoding="UTF-8"?>
<xml>
  <text_pair>
    <pair_id>1</pair_id><sent1_raw>A &amp; B left.</sent1_raw><sent2_raw>Both left.</sent2_raw>
    <mrpc_label>0</mrpc_label><etpc_label>1</etpc_label>
  </text_pair>
  <text_pair>
    <pair_id>2</pair_id><sent1_raw>It rains.</sent1_raw><sent2_raw>It snows.</sent2_raw>
    <mrpc_label>0</mrpc_label><etpc_label>0</etpc_label>
  </text_pair>
</xml>
"""


def test_etpc_is_read_as_described(write):
    corpus = read(write("text_pairs.xml", ETPC))
    assert (corpus.layout, corpus.id, corpus.label.tolist()) == ("ETPC", ["1", "2"], [1, 0])
    assert corpus.source == ["A & B left.", "It rains."]
    assert corpus.numbers("mrpc_label").tolist() == [0, 0]


def test_attributes_become_columns_too(write):
    text = '<?xml version="1.0"?>\n<r><p label="1"><source>A b</source><hypothesis>C d</hypothesis></p></r>'
    assert read(write("x.xml", text)).label.tolist() == [1]


@pytest.mark.parametrize(
    ("text", "words", "line"),
    [
        (ETPC.replace("</sent2_raw>", "</sent>", 1), "is invalid", 4),
        ('<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "b">]><r><p><source>&a;</source></p></r>', "entities", None),
        ('<?xml version="1.0"?><r>text</r>', "no record", None),
    ],
)
def test_malformed_xml_is_rejected(write, text, words, line):
    with pytest.raises(CorpusError, match=words) as caught:
        read(write("x.xml", text))
    assert caught.value.line == line


def test_columns_can_be_named_by_an_attribute_of_an_inner_element(write):
    value = '<value name="{}">{}</value>'
    fields = [("id", "7"), ("text_1", "Кот спит."), ("text_2", "Спит кот."), ("class", "1")]
    record = "<paraphrase>" + "".join(value.format(*field) for field in fields) + "</paraphrase>"
    path = write("x.xml", f"<?xml version='1.0' encoding='UTF8'?>\n<data><corpus>{record * 3}</corpus></data>")
    corpus = read(path)
    assert (len(corpus), corpus.source[0], list(corpus.extra)) == (3, "Кот спит.", ["class"])


def test_xml_without_a_declaration_is_read_or_its_fault_is_named():
    pairs = "".join(f"<pair><t>He sees {at}.</t><h>It is seen by {at}.</h></pair>" for at in range(5))
    table = f"<corpus>\n{pairs}\n</corpus>\n<!-- end -->"
    assert len(open_text(table, **to_decisions({"source": "t", "hypothesis": "h"})).read()) == 5
    with pytest.raises(CorpusError, match="the XML is invalid"):
        open_text("<q id='1'>\n<a>x\ty</a>\n</q>\n<q id='2'>\n<a>x\ty</a>\n</q>").read()

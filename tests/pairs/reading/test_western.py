"""Windows-1252 is recognised by its letters, and nothing else is mistaken for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from parapluie_gui.errors import EncodingError
from parapluie_gui.pairs import open_corpus
from parapluie_gui.pairs.reading.encoding import is_western

WESTERN = {
    "German": "Der Bär läuft über die Straße. Schöne Grüße aus Köln, sagte Jürgen.",
    "French": "L’été dernier, nous étions à la mer. « Où es-tu ? » demanda sa sœur. Ça coûte 5 €.",
    "Spanish": "¿Dónde está el niño? Mañana comeré más piñas en España.",
    "Portuguese": "A situação não é fácil, mas as crianças têm atenção e pão.",
    "Italian": "La città è più bella perché c’è il sole; non so cosa farò giovedì.",
    "Danish": "Børnene går på græsset, og æblerne er røde på øen.",
    "Swedish": "Älgen går över ån på våren, sade flickan på ön.",
    "quotation marks": "He said “no” – and that’s it…",
}
OTHERS = {
    "cp1250 Czech": ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy. Děti šly večer domů."),
    "cp1250 Polish": ("cp1250", "Zażółć gęślą jaźń. Być może źle się dzieje, że łąka śpi."),
    "cp1250 Hungarian": ("cp1250", "Az árvíztűrő tükörfúrógép. Először ő ült a fűbe, majd később fölállt."),
    "cp1251": ("cp1251", "Быстрая коричневая лиса прыгает через собаку."),
    "cp1254 Turkish": ("cp1254", "Şişe kırıldı; ağaçların altında çığlık attı."),
    "koi8-r": ("koi8-r", "Быстрая коричневая лиса прыгает."),
    "mac_roman": ("mac_roman", "L’été dernier, nous étions à la mer et ça coûte cher."),
    "cp850": ("cp850", "Schöne Grüße aus Köln über die Straße."),
    "gb18030": ("gb18030", "今天天气很好，我们去公园散步吧。"),
    "shift_jis": ("shift_jis", "今日はいい天気ですね。公園へ行きましょう。"),
    "euc_kr": ("euc_kr", "오늘은 날씨가 좋네요. 공원에 갑시다."),
}


@pytest.mark.parametrize("language", WESTERN)
def test_western_texts_are_recognised(language):
    text = WESTERN[language]
    assert is_western(text.encode("cp1252"))
    assert is_western(f"source,hypothesis\nplain words here,{text}\n".encode("cp1252"))


@pytest.mark.parametrize("name", OTHERS)
def test_other_encodings_are_not_mistaken_for_it(write, name):
    codec, text = OTHERS[name]
    data = f"source\thypothesis\n{text}\t{text}\n".encode(codec)
    assert not is_western(data)
    with pytest.raises(EncodingError):
        _ = open_corpus(write("x.tsv", data)).preview


def test_real_texts_of_each_language_are_recognised():
    path = Path(__file__).parents[4] / "shared/data/parallel/tatoeba_en_fr/fra.txt"
    if not path.exists():
        pytest.skip("the corpus is not here")
    french = "\n".join(line.split("\t")[1] for line in path.read_text("utf-8").splitlines()[:20000])
    assert is_western(french.encode("cp1252", "ignore"))
    assert not is_western(french.encode("mac_roman", "ignore"))

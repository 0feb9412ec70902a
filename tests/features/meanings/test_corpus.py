"""The corpus "Two meanings" as described in its README: complete families, distinct sentences, misleading overlap."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

import parapluie_gui as pp
from parapluie_gui import places
from parapluie_gui.pairs import read
from parapluie_gui.shipped import corpus_path

FOLDER = places.resources() / "meanings"
README = (FOLDER / "README.md").read_text("utf-8")
PLACES = ("a1", "a2", "a3", "b1", "b2")


@pytest.fixture(scope="module")
def families() -> list[dict[str, str]]:
    return list(map(json.loads, (FOLDER / "two_meanings.jsonl").read_text("utf-8").splitlines()))


@pytest.fixture(scope="module")
def corpus():
    return read(FOLDER / "two_meanings.jsonl")


def test_families_are_complete_and_sentences_are_distinct(families):
    assert len(families) == 642
    assert all(list(family) == ["id", *PLACES, "change"] and all(family.values()) for family in families)
    sentences = Counter(family[place] for family in families for place in PLACES)
    assert sentences.most_common(1)[0][1] == 1
    assert len({family["id"] for family in families}) == 642


def test_the_counts_in_the_readme_are_correct(families):
    for change, count in Counter(family["change"] for family in families).items():
        assert re.search(rf"\b{change} \({count}( families)?\)", README), change
    assert f"{(FOLDER / 'two_meanings.jsonl').stat().st_size:,} bytes" in README


def test_every_family_has_ten_labelled_pairs(corpus, families):
    assert (len(corpus), corpus.layout, corpus.guessed) == (6420, "Two meanings", "")
    same = {"a1-a2", "a1-a3", "a2-a3", "b1-b2"}
    relations = list(corpus.extra["relation"].cells())
    assert [relation in same for relation in relations] == (corpus.label == 1).tolist()
    for row in (0, 1, 4, 6419):
        pair, family = corpus.pair(row), families[row // 10]
        first, second = relations[row].split("-")
        assert (pair.source, pair.hypothesis) == (family[first], family[second])
        assert (pair.id, pair.group) == (f"{family['id']}.{relations[row]}", family["id"])
        assert pair.extra["change"] == family["change"]
    assert set(Counter(corpus.group).values()) == {10}


def test_word_overlap_matches_the_readme_and_misleads(corpus):
    shares = defaultdict(list)
    for source, hypothesis, relation in zip(
        corpus.source, corpus.hypothesis, corpus.extra["relation"].cells(), strict=True
    ):
        one, other = (set(re.findall(r"\w+", text.lower())) for text in (source, hypothesis))
        shares[relation].append(len(one & other) / len(one | other))
    means = {relation: f"{sum(each) / len(each):.2f}" for relation, each in shares.items()}
    near = ("a1-b1", "a3-b2", "a1-a2", "a2-b1")
    assert ", ".join(f"{relation} {means[relation]}" for relation in near) in README
    assert {mean for relation, mean in means.items() if relation not in near} == {"0.11"}


def test_the_corpus_name_is_its_path_unless_a_file_has_that_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert corpus_path("meanings") == FOLDER / "two_meanings.jsonl"
    assert len(pp.read("demo")) == 176
    Path("demo").write_text("source\thypothesis\na cat\tone cat\n", "utf-8")
    assert corpus_path("demo") == Path("demo") and len(pp.read("demo")) == 1
    assert corpus_path("other") == Path("other")


def test_unnamed_families_of_a_user_file_are_numbered_by_line(tmp_path):
    path = tmp_path / "own.jsonl"
    path.write_text("\n" + json.dumps({place.upper(): f"sentence {place} here" for place in PLACES}), "utf-8")
    corpus = read(path)
    assert len(corpus) == 10 and corpus.label.sum() == 4
    assert corpus.pair(1).id == "family 2.a1-a3" and corpus.pair(1).group == "family 2"

"""Files of talks: read correctly, or refused with one sentence that names the line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parapluie_gui import places
from parapluie_gui.features.talks.talk import STEPS, Talk, TalkError, TalkPair, parse_talk, talk_from_dict

WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)
PAIRS = st.builds(
    TalkPair,
    WORDS,
    WORDS,
    st.sets(st.sampled_from(STEPS), min_size=1).map(lambda chosen: tuple(step for step in STEPS if step in chosen)),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.sampled_from([None, True, False]),
)


@given(
    st.builds(
        Talk,
        st.text(st.characters(exclude_categories=["Cs"])),
        st.lists(PAIRS, min_size=1).map(tuple),
        minutes=st.integers(0, 600),
    )
)
def test_a_talk_is_unchanged_after_a_round_trip(talk):
    assert parse_talk(talk.toml()) == talk
    assert talk_from_dict(talk.as_dict()) == talk


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("title = x", "my.talk.toml, line 1: not valid TOML"),
        ('title = "x"', "my.talk.toml, line 1: it has no pairs. Add a [[pair]] with source and hypothesis."),
        ('[[pair]]\nsource = "a"', 'my.talk.toml, line 1: "hypothesis" is missing. Add hypothesis = "…".'),
        (
            '[[pair]]\nsource = "a"\nhypothesis = "b"\n[[pair]]\nsource = "c"\nhypothesis = "d"\nsteps = ["scores"]',
            'my.talk.toml, line 7: there is no step "scores"; the steps are sentences, guess, judge, baselines, words.',
        ),
        (
            '[[pair]]\nsource = "a"\nhypothesis = "b"\nexpected = "yes"',
            'my.talk.toml, line 4: expected is neither "paraphrase" nor "not a paraphrase".',
        ),
        ('[[pair]]\nsource = "a"\nhypothesis = "b"\nspeaker = 1', "my.talk.toml, line 4: unknown entry"),
        (
            'minutes = 601\n[[pair]]\nsource = "a"\nhypothesis = "b"',
            "my.talk.toml, line 1: minutes is not a whole number from 0 to 600.",
        ),
        (
            'baselines = "bleu"\n[[pair]]\nsource = "a"\nhypothesis = "b"',
            "my.talk.toml, line 1: baselines is not a list",
        ),
        ('pair = "a"', "my.talk.toml, line 1:"),
    ],
)
def test_errors_name_their_line(text, sentence):
    with pytest.raises(TalkError) as caught:
        parse_talk(text, "my.talk.toml")
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize("kept", [{}, {"pair": 3}, {"pair": [3]}, {"title": {"a": 1}, "pair": []}, {"nonsense": 1}])
def test_an_invalid_setting_is_refused(kept):
    with pytest.raises(TalkError):
        talk_from_dict(kept)


def test_the_example_is_a_talk_about_five_families():
    text = (places.resources() / "talks" / "five-families.talk.toml").read_text("utf-8")
    talk = parse_talk(text)
    meanings = (places.resources() / "meanings" / "two_meanings.jsonl").read_text("utf-8").splitlines()
    families = [
        next(at for at, family in enumerate(meanings) if pair.source in family and pair.hypothesis in family)
        for pair in talk.pairs
    ]
    assert len(set(families)) == 5 and all(pair.note and pair.expected is not None for pair in talk.pairs)

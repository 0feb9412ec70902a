"""Held-out pairs, which training never sees."""

from __future__ import annotations

from parapluie_gui.features.training.kept_back import choose_kept_back, mark_report_half

CORPORA = {
    "one": [(f"Sentence {number} is here.", f"Here is sentence {number}.") for number in range(200)],
    "two": [(f"sentence {number} is here", f"Another one, {number}.") for number in range(0, 200, 2)],
    "three": [("Alone.", "By itself.")],
}


def _sentences(held_out, back):
    return {
        text.lower().strip(".")
        for name, rows in CORPORA.items()
        for pair, is_back in zip(rows, held_out[name], strict=True)
        if is_back == back
        for text in pair
    }


def test_about_the_requested_share_is_held_out_and_nothing_by_default():
    held_out = choose_kept_back(CORPORA, {"one": 30})
    assert held_out["one"].sum() == 30
    assert not held_out["three"].any()


def test_no_sentence_is_on_both_sides_even_in_a_different_corpus_and_case():
    held_out = choose_kept_back(CORPORA, {"one": 30, "two": 30})
    assert held_out["two"].sum() >= 30
    assert not _sentences(held_out, True) & _sentences(held_out, False)


def test_the_order_of_pairs_and_corpora_changes_nothing():
    turned = {name: rows[::-1] for name, rows in reversed(CORPORA.items())}
    held_out, again = choose_kept_back(CORPORA, {"one": 30}), choose_kept_back(turned, {"one": 30})
    for name in CORPORA:
        assert held_out[name].tolist() == again[name][::-1].tolist()


def test_the_held_out_pairs_never_change():
    assert choose_kept_back(CORPORA, {"one": 3})["one"].nonzero()[0].tolist() == [13, 15, 76]


def test_the_half_for_figures_shares_no_sentence_with_the_half_for_selection():
    held_out, report = choose_kept_back(CORPORA, {"one": 100, "two": 50}), mark_report_half(CORPORA)
    choose = {name: held_out[name] & ~report[name] for name in CORPORA}
    report_half = {name: held_out[name] & report[name] for name in CORPORA}
    assert 30 < report_half["one"].sum() < 70
    assert not _sentences(choose, True) & _sentences(report_half, True)
    turned = mark_report_half({name: rows[::-1] for name, rows in reversed(CORPORA.items())})
    assert all(report[name].tolist() == turned[name][::-1].tolist() for name in CORPORA)

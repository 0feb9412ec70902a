"""A table with one row per marked error is read as one row per translation, without the marks."""

from __future__ import annotations

from parapluie_gui.pairs import open_text

HEAD = "system\tdoc\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"


def row(rater: str, target: str, category: str, severity: str, system: str = "A") -> str:
    return f"{system}\td1\t0\t{rater}\tDie Lampe steht hier.\t{target}\t{category}\t{severity}\n"


def test_errors_of_a_translation_are_counted_and_listed():
    text = HEAD + row("r1", "The <v>lamps</v> stand here.", "Accuracy", "Major")
    text += row("r1", "The lamps <v>stand</v> here.", "Style", "Minor") + row(
        "r1", "A lamp is here.", "no-error", "", "B"
    )
    corpus = open_text(text).read()
    assert corpus.hypothesis == ["The lamps stand here.", "A lamp is here."]
    assert corpus.extra["errors"].cells() == [2, 0]
    assert corpus.extra["marked errors"].cells()[0] == "Major Accuracy: lamps; Minor Style: stand"
    assert (corpus.group, corpus.extra["system"].cells()) == (None, ["A", "B"])
    assert corpus.plan.shape == "errors"
    assert len(open_text(text, shape="pairs").read()) == 3


def test_several_raters_have_a_column_each():
    text = HEAD + row("r1", "The <v>lamps</v> stand here.", "Accuracy", "Major")
    text += row("r2", "The lamps stand here.", "no-error", "") + row("r2", "A <v>lamp</v>.", "Accuracy", "Minor", "B")
    corpus = open_text(text).read()
    assert corpus.extra["errors.r1"].cells() == [1, None]
    assert corpus.extra["errors.r2"].cells() == [0, 1]

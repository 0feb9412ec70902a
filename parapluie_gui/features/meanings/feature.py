"""Two meanings: a corpus on which word overlap is no help, and what scores make of it."""

from __future__ import annotations

from parapluie_gui.feature import Action, AnalysisPart, Feature, ShippedCorpus
from parapluie_gui.places import resources

FEATURE = Feature(
    name="meanings",
    package=__package__,
    about="Two meanings: a corpus on which word overlap is no help, and what scores make of it",
    analyses=(AnalysisPart("families", "analysis:TwoMeanings", after="lengths"),),
    corpora=(
        ShippedCorpus(
            name="meanings",
            path=resources() / "meanings" / "two_meanings.jsonl",
            title="Two meanings",
            option="open Two meanings, the corpus on which word overlap is no help (--run scores it)",
            tip="Open 6,420 pairs that come with the program, on which word overlap is no help",
        ),
    ),
    window="actions:MeaningsActions",
    actions=(
        Action(
            slot="meanings.open",
            menu=("&File", "&Examples"),
            text="Open T&wo meanings",
            tip="Open 6,420 pairs that come with the program: 642 families, on which word overlap is no help",
            after="files.open_demo",
        ),
    ),
    manual=(
        "meanings",
        "case-study",
    ),
)

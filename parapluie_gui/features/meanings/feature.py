"""Two meanings: a corpus on which word overlap does not help, and its analysis."""

from __future__ import annotations

from parapluie_gui.feature import Action, AnalysisPart, Feature, ShippedCorpus
from parapluie_gui.places import resources

FEATURE = Feature(
    name="meanings",
    package=__package__,
    about="Two meanings: a corpus on which word overlap does not help, and its analysis",
    analyses=(AnalysisPart("families", "analysis:TwoMeanings", after="lengths"),),
    corpora=(
        ShippedCorpus(
            name="meanings",
            path=resources() / "meanings" / "two_meanings.jsonl",
            title="Two meanings",
            option="open Two meanings, a corpus on which word overlap does not help (--run also scores it)",
            tip="Open 6,420 pairs that come with the program, on which word overlap does not help",
        ),
    ),
    window="actions:MeaningsActions",
    actions=(
        Action(
            slot="meanings.open",
            menu=("&File", "&Examples"),
            text="Open T&wo meanings",
            tip="Open 6,420 pairs in 642 families that come with the program, on which word overlap does not help",
            after="files.open_demo",
        ),
    ),
    manual=(
        "meanings",
        "case-study",
    ),
)

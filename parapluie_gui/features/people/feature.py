"""What several people say of pairs: blind rounds, imported answers, agreement."""

from __future__ import annotations

from parapluie_gui.feature import AnalysisPart, Command, Feature

FEATURE = Feature(
    name="people",
    package=__package__,
    about="what several people say of pairs: blind rounds, imported answers, agreement",
    commands=(
        Command(
            name="judgements",
            place="",
            about="what people said: export, merge, import, agreement",
            group="People",
            examples=(
                "judgements export session.pluie -o answers.csv",
                "judgements merge session.pluie copy.pluie -o both.pluie",
                "judgements agreement session.pluie",
            ),
            description="What people said of pairs in the window.",
            actions=(
                Command(
                    "export",
                    "command:export",
                    about="write all answers as a table",
                    options="options:ExportJudgements",
                ),
                Command(
                    "merge",
                    "command:merge",
                    about="merge the answers in copies of a session",
                    options="options:MergeJudgements",
                ),
                Command(
                    "import",
                    "command:import_answers",
                    about="add answers of a table, by the pairs' ids",
                    options="options:ImportJudgements",
                ),
                Command(
                    "agreement",
                    "command:agree",
                    about="how far annotators, labels and scores agree",
                    options="command:Agreement",
                ),
            ),
        ),
    ),
    analyses=(AnalysisPart("agreement", "analysis:Raters", after="balanced errors families lengths"),),
    manual=("judgements",),
)

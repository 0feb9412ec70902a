"""The feature "people": judgements by several people in blind rounds and imported answers, and their agreement."""

from __future__ import annotations

from parapluie_gui.feature import Action, AnalysisPart, Command, Feature

FEATURE = Feature(
    name="people",
    package=__package__,
    about="judgements by several people: blind rounds, imported answers, agreement",
    commands=(
        Command(
            name="judgements",
            place="",
            about="export, merge, import and compare people's answers",
            group="People",
            examples=(
                "judgements export session.pluie -o answers.csv",
                "judgements merge session.pluie copy.pluie -o both.pluie",
                "judgements agreement session.pluie",
            ),
            description="Export, merge, import and compare people's answers.",
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
                    about="add the answers in a table, matched by the pairs' ids",
                    options="options:ImportJudgements",
                ),
                Command(
                    "agreement",
                    "command:agree",
                    about="compute the agreement of annotators, labels and scores",
                    options="command:AgreementCommandOptions",
                ),
            ),
        ),
    ),
    analyses=(AnalysisPart("agreement", "analysis:AgreementAnalysis", after="balanced errors families lengths"),),
    window="actions:PeopleActions",
    actions=(
        Action(
            slot="people.begin_round",
            menu=("&Pairs", "Peopl&e"),
            text="&Blind round…",
            keys=("Ctrl+J",),
            tip="Judge pairs one by one in random order, without seeing scores and labels",
            icon="eye-off",
            pairs=True,
            after="verdicts.write_note",
        ),
        Action(
            slot="people.merge",
            menu=("&Pairs", "Peopl&e"),
            text="Add another pe&rson's answers…",
            tip="Add the answers from a copy of this session",
            words="Merge judgements from",
            after="people.begin_round",
        ),
        Action(
            slot="people.import_answers",
            menu=("&Pairs", "Peopl&e"),
            text="&Import answers…",
            tip="Add the answers in a table to the pairs of this corpus, matched by the pairs' ids",
            pairs=True,
            after="people.merge",
        ),
        Action(
            slot="people.ask_for_labels",
            menu=("&Pairs", "Peopl&e"),
            text="&Use answers as labels…",
            tip="Use the majority, the mean or one annotator's answers as labels or human scores of the corpus",
            pairs=True,
            after="people.import_answers",
        ),
    ),
    manual=("judgements",),
)

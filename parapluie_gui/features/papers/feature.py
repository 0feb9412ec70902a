"""The evaluations of ParaPLUIE, PARAPHRASUS, ParaScore and PEM, and their printed tables."""

from __future__ import annotations

from parapluie_gui.feature import Action, AnalysisCommand, AnalysisPart, Command, ExtensionPart, Feature, FeaturePart

FEATURE = Feature(
    name="papers",
    package=__package__,
    about="the evaluations of ParaPLUIE, PARAPHRASUS, ParaScore and PEM, and their printed tables",
    commands=(
        AnalysisCommand(
            name="systems",
            about="compare systems that write paraphrases, by human scores and by other scores",
            group="Judge the scores",
            examples=(
                "systems scored.csv --system who --human grade",
                "systems scored.csv --system who --human grade --json",
                "systems scored.csv --system who --human grade --out results",
            ),
            analyses=("systems",),
            apart=True,
            after="sweep certify analyse",
        ),
        AnalysisCommand(
            name="meta",
            about="correlate scores with human scores, by ParaScore's protocol",
            group="Judge the scores",
            examples=(
                "meta scored.csv --human grade",
                "meta scored.csv --human grade --extend",
                "meta scored.csv --human grade --json",
            ),
            analyses=("human",),
            apart=True,
            draws=0,
            after="systems analyse",
        ),
        Command(
            name="paraphrasus",
            place="paraphrasus_command:run",
            options="paraphrasus_command:RunParaphrasus",
            about="print the PARAPHRASUS benchmark's table of errors",
            group="Judge the scores",
            examples=(
                "paraphrasus FOLDER --metric bleu@0.3",
                "paraphrasus FOLDER --judge pocket --limit 100",
                "paraphrasus FOLDER --prediction 'P1=LLama3 zero-shot (Paraph)'",
            ),
            offline=True,
            after="meta",
        ),
        Command(
            name="replicate",
            place="replicate_command:run",
            options="replicate_command:RunReplicate",
            about="compare a paper's printed tables with ours, cell by cell",
            group="Judge the scores",
            examples=(
                "replicate parapluie --data FOLDER",
                "replicate parapluie --judge smollm2-135m --limit 20",
                "replicate pem",
            ),
            offline=True,
            after="paraphrasus",
        ),
    ),
    analyses=(
        AnalysisPart(
            "balanced",
            "balanced_analysis:BalancedDraws",
            after="errors families lengths",
            words="Mixed balanced dataset MBD",
        ),
        AnalysisPart(
            "human",
            "human_analysis:HumanScores",
            after="agreement balanced errors families lengths",
            page_title="Human scores",
            words="Grades",
        ),
        AnalysisPart("systems", "systems_analysis:SystemsAnalysis", after="human"),
        AnalysisPart("grades", "grades_analysis:GradesAnalysis", after="systems", page_of="human"),
        AnalysisPart("paraphrasus", "paraphrasus_analysis:ParaphrasusAnalysis", after="grades"),
        AnalysisPart("replicate", "replication:PrintedTablesAnalysis", after="paraphrasus"),
    ),
    extensions=(
        ExtensionPart("controls", "options:ControlsExtension", command="score"),
        ExtensionPart("extend", "options:SourcesExtension", command="meta"),
    ),
    readers=(FeaturePart("mt-metrics-eval", "evaluation_set:READER"),),
    window="actions:PapersActions",
    actions=(
        Action(
            slot="papers.add_controls",
            menu=("&File", "This &corpus"),
            text="Add pairs with a &known answer",
            tip=(
                "Open the corpus with three control pairs for each source: the source itself, a random sentence, words "
                "in random order"
            ),
            words="Add control pairs",
            pairs=True,
            after="computed_columns.new files.add",
        ),
    ),
    manual=(
        "paraphrasus",
        "parascore",
        "systems",
        "papers",
    ),
)

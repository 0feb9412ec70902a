"""All commands of `parapluie` in display order: the core's and those of features."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from parapluie_gui.feature import AnalysisCommand, Command, arrange_entries, collect_parts, in_package

#: The headings of the list of commands, in order.
GROUPS = (
    "Open and score",
    "Look at pairs",
    "Judge the scores",
    "Share",
    "People",
    "Metrics and models",
    "Large corpora",
    "Help",
)

_CORE: tuple[Command, ...] = (
    Command(
        name="gui",
        place="gui:run",
        options="options:GuiOptions",
        about="open the window",
        group="Open and score",
        examples=("gui", "gui pairs.csv --run", "gui --demo --screenshot window.png"),
    ),
    Command(
        name="demo",
        place="demo:run",
        options="options:DemoOptions",
        about="write a sample corpus for trying the other commands",
        group="Open and score",
        examples=("demo", "demo pairs.csv", "demo judged.csv --judged", "demo - | parapluie describe -"),
    ),
    Command(
        name="score",
        place="score:run",
        options="options:ScoreOptions",
        about="score a corpus of sentence pairs into a table",
        group="Open and score",
        examples=(
            "score pairs.csv -o scored.csv --metric bleu --judge pocket",
            "score pairs.csv -o - --metric meteor",
            "score pairs.csv -o scored.csv --judge pocket --filter 'label == 0'",
        ),
        offline=True,
    ),
    AnalysisCommand(
        name="describe",
        place="analysis:run",
        options="options:AnalyseOptions",
        about="describe corpora: labels, lengths, wording, languages",
        group="Look at pairs",
        examples=("describe pairs.csv", "describe pairs.csv --json", "describe pairs.csv --latex"),
        analyses=("corpus", *(part.name for part in collect_parts("analyses") if part.page_of == "corpus")),
        without=("scores", "scoring"),
    ),
    AnalysisCommand(
        name="analyse",
        place="analysis:run",
        options="options:AnalyseOptions",
        about="evaluate scores: thresholds, curves, correlations, comparisons",
        group="Judge the scores",
        examples=(
            "analyse scored.csv",
            "analyse scored.csv --only thresholds --only curves --out results",
            "analyse scored.csv --filter 'edit_distance < 0.3' --json",
        ),
    ),
    Command(
        name="metrics",
        place="metrics:run",
        options="options:ListOptions",
        about="list the metrics, their requirements and whether they are ready",
        description="List the metrics, their requirements and whether they are ready.",
        group="Metrics and models",
        examples=("metrics", "metrics --json"),
    ),
    Command(
        name="models",
        place="models:list_models",
        options="options:ListOptions",
        about="list, fetch and describe judge models",
        description="List, fetch and describe judge models.",
        group="Metrics and models",
        examples=("models list", "models get smollm2-135m", "models recommend"),
        actions=(
            Command("list", "models:list_models", about="list the models", options="options:ListOptions"),
            Command("get", "models:get_model", about="fetch a model", options="options:GetModelOptions"),
            Command(
                "recommend",
                "models:recommend",
                about="list the judges that fit into this computer's memory",
                options="options:ListOptions",
            ),
            Command("info", "models:model_info", about="describe a model", options="options:ModelInfoOptions"),
        ),
    ),
    Command(
        name="help",
        place="help:run",
        options="options:HelpOptions",
        about="print a page of the manual",
        group="Help",
        examples=("help", "help templates", "help 'Kinds of change'"),
    ),
)


@cache
def commands() -> dict[str, Command]:
    """Return all commands by name, in display order."""
    own = (in_package(command, __package__) for command in _CORE)
    more = collect_parts("commands")
    ordered = arrange_entries(own, [command for command in more if not command.of])
    actions = [command for command in more if command.of]
    return {
        command.name: _add_actions(command, [action for action in actions if action.of == command.name])
        for command in sorted(ordered, key=lambda command: GROUPS.index(command.group))
    }


def _add_actions(command: Command, actions: list[Command]) -> Command:
    """Return a command with the actions that features add."""
    return replace(command, actions=tuple(arrange_entries(command.actions, actions))) if actions else command


def format_listing() -> str:
    """Return the list of commands by group, one line each."""
    width = max(map(len, commands())) + 2
    lines = []
    for group in GROUPS:
        lines += ["", f"{group}:"]
        lines += [
            f"  {command.name:<{width}}{command.about}" for command in commands().values() if command.group == group
        ]
    return "\n".join(lines[1:])

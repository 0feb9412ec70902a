"""Every command of `parapluie`, in the order of its list: the core's own, and those that features bring."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from parapluie_gui.feature import AnalysisCommand, Command, arranged, brought, in_package

#: The headings of the list of commands, in order.
GROUPS = (
    "Open and score",
    "Look at pairs",
    "Judge the scores",
    "Pass on",
    "People",
    "Metrics and models",
    "Large corpora",
    "Help",
)

_CORE: tuple[Command, ...] = (
    Command(
        name="gui",
        place="gui:run",
        options="options:Gui",
        about="open the window",
        group="Open and score",
        examples=("gui", "gui pairs.csv --run", "gui --demo --screenshot window.png"),
    ),
    Command(
        name="demo",
        place="demo:run",
        options="options:Demo",
        about="write a sample corpus, to try the other commands on",
        group="Open and score",
        examples=("demo", "demo pairs.csv", "demo - | parapluie describe -"),
    ),
    Command(
        name="score",
        place="score:run",
        options="options:Score",
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
        options="options:Analysing",
        about="what corpora are like: labels, lengths, wording, languages",
        group="Look at pairs",
        examples=("describe pairs.csv", "describe pairs.csv --json", "describe pairs.csv --latex"),
        analyses=("corpus",),
        without=("scores", "scoring"),
    ),
    AnalysisCommand(
        name="analyse",
        place="analysis:run",
        options="options:Analysing",
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
        options="options:ListModels",
        about="list the metrics, what each needs and whether it is ready",
        group="Metrics and models",
        examples=("metrics", "metrics --json"),
    ),
    Command(
        name="models",
        place="models:list_models",
        options="options:ListModels",
        about="list, fetch and describe judge models",
        group="Metrics and models",
        examples=("models list", "models get smollm2-135m", "models recommend"),
        actions=(
            Command("list", "models:list_models", about="list the models", options="options:ListModels"),
            Command("get", "models:get_model", about="fetch a model", options="options:GetModel"),
            Command(
                "recommend",
                "models:recommend",
                about="which judges fit into this computer's memory",
                options="options:ListModels",
            ),
            Command("info", "models:model_info", about="describe a model", options="options:ModelInfo"),
        ),
    ),
    Command(
        name="help",
        place="help:run",
        options="options:Help",
        about="print a page of the manual",
        group="Help",
        examples=("help", "help templates", "help 'Kinds of change'"),
    ),
)


@cache
def commands() -> dict[str, Command]:
    """Return every command by its name, in the order in which they are listed."""
    own = (in_package(command, __package__) for command in _CORE)
    more = brought("commands")
    ordered = arranged(own, [each for each in more if not each.of])
    actions = [each for each in more if each.of]
    return {
        each.name: _with_actions(each, [action for action in actions if action.of == each.name])
        for each in sorted(ordered, key=lambda command: GROUPS.index(command.group))
    }


def _with_actions(command: Command, actions: list[Command]) -> Command:
    """Return a command with the actions that features add to it."""
    return replace(command, actions=tuple(arranged(command.actions, actions))) if actions else command


def listing() -> str:
    """Return the commands in their groups, a line each."""
    width = max(map(len, commands())) + 2
    lines = []
    for group in GROUPS:
        lines += ["", f"{group}:"]
        lines += [f"  {each.name:<{width}}{each.about}" for each in commands().values() if each.group == group]
    return "\n".join(lines[1:])

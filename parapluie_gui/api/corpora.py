"""Converts files, lists and data frames to corpora, and filters their pairs."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, Unpack

import numpy as np

from parapluie_gui.analysis.columns import ColumnMaterial, columns_of, compile_column_filter, outcome_column
from parapluie_gui.analysis.filter.words import OUTCOME
from parapluie_gui.analysis.score_column import ScoreColumn, table_score_column
from parapluie_gui.analysis.statistics.comparison import default_threshold
from parapluie_gui.api.notices import Notice, count, warn
from parapluie_gui.arrays import Mask
from parapluie_gui.errors import CorpusError, ParapluieError
from parapluie_gui.judgements.columns import with_judgements
from parapluie_gui.pairs import ColumnMapping, Corpus, open_corpus, read_parallel
from parapluie_gui.pairs.corpus import name_references
from parapluie_gui.pairs.reading.decisions import rewrite_options, to_decisions
from parapluie_gui.pairs.reading.dispatch import ReadingChoices, assign_roles, find_named_columns, to_pairs
from parapluie_gui.pairs.reading.layouts import find_layout
from parapluie_gui.pairs.reading.raw_table import FileOrigin, RawTable, unique_names
from parapluie_gui.pairs.reading.reader import to_corpus
from parapluie_gui.pairs.reading.several_people import combine
from parapluie_gui.pairs.saved_plan import save_plan
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.shipped import shipped_corpus

if TYPE_CHECKING:
    import pandas

    #: Pairs as accepted by `score` and similar functions, which also accept two lists.
    PairsLike: TypeAlias = Corpus | pandas.DataFrame | str | PathLike[str] | Iterable[tuple[str, str]] | Iterable[str]


class ReadingOptions(TypedDict, total=False):
    """Options for reading a file or a data frame; omitted options are detected.

    Attributes:
        layout: The layout of a known corpus: "MRPC", "PAWS", "STS-B" ...
        source, hypothesis, label, human, reference, id, group: The column of each role. References can have several,
            as a list: scores against the reference then use all of them.
        annotator: The columns of annotators, "COL", or "COL=X" if a grade of X or more means a paraphrase.
        positive: The labels that mean a paraphrase; all others then mean the opposite.
        missing: The values that mean that a pair has no label or score.
        person, answer: The columns of the person and the answer in a table with a row for each judgement.
        role: Columns of any roles, among them the question of a judgement, as {"question": "aspect"} or
            ["question=aspect"].
        shape: The kind of the file's rows: "pairs", "judgements", "errors", "outputs", "candidates", "sets" or
            "families".
        encoding: The text's encoding, if it is neither UTF-8 nor has a byte order mark.
        delimiter: The separator of the columns; "TAB" for a tab.
        quoting: "minimal" if quotation marks enclose cells, "none" if they belong to the text.
        sheet: The sheet of a workbook.
        header: The line of the column names, 1 for the first; "none" if the file has none.
        plan: The name or file of a saved reading plan, whose decisions the other options complete; "none" ignores a
            plan that was saved beside the file.
        save_plan: The name under which the reading plan is saved, or "beside" to save it beside the file.

    A column is named by its name or its number, from 1; "none" leaves a role without a column.
    """

    layout: str | None
    source: str | None
    hypothesis: str | None
    label: str | None
    human: str | None
    reference: str | Sequence[str] | None
    id: str | None
    group: str | None
    annotator: Sequence[str]
    positive: Sequence[str]
    missing: Sequence[str]
    person: str | None
    answer: str | None
    role: Mapping[str, str] | Sequence[str]
    shape: str | None
    encoding: str | None
    delimiter: str | None
    quoting: str | None
    sheet: str | None
    header: int | str | None
    plan: str | None
    save_plan: str | None


def read(
    *paths: str | PathLike[str] | pandas.DataFrame, parallel: bool = False, **reading: Unpack[ReadingOptions]
) -> Corpus:
    """Read sentence pairs from a file or a data frame; several files are pooled, with the column "corpus".

    Files with different people's answers about the same pairs become one corpus with a column for each person.

    The formats are CSV, TSV, JSON, JSON Lines, Parquet, Excel and OpenDocument. Rows without a usable pair are left out
    with a `ParapluieWarning`, and listed in the corpus's `skipped`.

    Args:
        *paths: The files, or names of corpora that ship with the program, such as "demo"; or one data frame.
        parallel: Whether they are two text files, sources and hypotheses, that correspond line by line.
        **reading: See `ReadingOptions`.

    Raises:
        ParapluieError: A file cannot be read, or an argument is neither a path nor the only data frame.
    """
    if len(paths) == 1 and _is_frame(paths[0]):
        return from_frame(paths[0], **reading)
    files: list[Path] = []
    for path in paths:
        if not isinstance(path, (str, PathLike)):
            raise ParapluieError(
                f"Pairs are read from files or from one data frame, not from {type(path).__name__}. Pass a path; lists "
                "of sentences can be passed to score."
            )
        files.append(shipped_corpus(Path(path)))
    with _python_advice():
        return read_files(files, reading, parallel=parallel)


@contextmanager
def _python_advice() -> Iterator[None]:
    """Name arguments of Python instead of the command line's options in the advice of errors."""
    try:
        yield
    except CorpusError as error:
        todo = options_to_arguments(error.todo)
        if todo == error.todo:
            raise
        raise type(error)(error.what, todo, error.path, error.line) from error.__cause__


def options_to_arguments(advice: str) -> str:
    """Write the options in a piece of advice as arguments of Python: `--label none` as `label="none"`."""

    def write(name: str, value: str) -> str:
        if not value:
            return f"{name}=True" if name in _SWITCHES else name
        text = value if value.startswith('"') else f'"{value}"'
        return f"{name}=[{text}]" if name in _LISTS else f"{name}={text}"

    return rewrite_options(advice, write)


#: Arguments that are True or False.
_SWITCHES = ("no_formulas", "for_excel")
#: Arguments that are a list.
_LISTS = ("positive", "missing", "annotator", "role")


def read_files(
    paths: Sequence[Path], reading: ReadingOptions, *, parallel: bool = False, notice: Notice = warn
) -> Corpus:
    """Read files as `read` does, and report guesses and skipped rows.

    Raises:
        ParapluieError: A file cannot be read.
    """
    if not paths:
        raise ParapluieError("There is no file to read. Name at least one file.")
    if parallel:
        if len(paths) != 2:
            raise CorpusError(
                f"a parallel text consists of two files, but {count(len(paths), 'was', 'were')} named",
                "name the file of sources, then the file of hypotheses",
                paths[0],
            )
        corpus = read_parallel(*paths, encoding=reading.get("encoding"))
        report_skipped(corpus, notice)
        return corpus
    corpora = [read_file(path, reading, notice=notice) for path in paths]
    return combine_files(corpora, notice)


def combine_files(corpora: Sequence[Corpus], notice: Notice) -> Corpus:
    """Combine the corpora of several files into one, and report how their rows belong together."""
    combined = combine(corpora)
    for description in combined.descriptions:
        notice(f"{description}.")
    return combined.corpus


def read_file(path: Path, reading: ReadingOptions, scores: Collection[str] = (), *, notice: Notice = warn) -> Corpus:
    """Read one file, and report guesses and skipped rows.

    A role without a column in `reading` keeps the detected one. Columns of `scores` are not detected as roles.

    Raises:
        CorpusError: The file cannot be read.
    """
    corpus = open_corpus(path, **to_decisions(reading, scores)).read()
    report_skipped(corpus, notice)
    if (name := reading.get("save_plan")) and corpus.plan is not None:
        notice(f"{corpus.name}: the reading plan was saved as {save_plan(corpus.plan, name)}.")
    return corpus


def report_skipped(corpus: Corpus, notice: Notice) -> None:
    """Report how a corpus was read, guesses about it, skipped rows, and columns that are almost numeric.

    How it was read is reported on the command line unless nothing was guessed, and in Python if the sentences were
    recognised by their content or a saved plan was applied; otherwise the corpus's `plan` has it.
    """
    plan = corpus.plan
    if plan is not None and not plan.is_plain and (notice is not warn or plan.by_content or plan.saved):
        notice(f"{corpus.name}: {corpus.plan}.")
    for remark in corpus.plan.remarks if corpus.plan is not None else ():
        notice(f"{corpus.name}: {remark if notice is not warn else options_to_arguments(remark)}.")
    if corpus.guessed:
        notice(f"{corpus.name}: detected {corpus.guessed}.")
    if corpus.skipped:
        first, rows = corpus.skipped[0], count(len(corpus.skipped), "row was", "rows were")
        notice(f"{corpus.name}: {rows} skipped (line {first.line}: {first.reason}).")
    for mixed in corpus.mixed:
        notice(f"{corpus.name}: {mixed}")


def make_corpus(
    pairs: PairsLike,
    hypotheses: Iterable[str] | None = None,
    references: Iterable[str | Sequence[str] | None] | None = None,
    reading: ReadingOptions | None = None,
) -> Corpus:
    """Convert a path, a data frame, a list of pairs or two lists to a corpus; return a corpus unchanged.

    Raises:
        ParapluieError: The input does not consist of sentence pairs.
    """
    reading = reading or {}
    if hypotheses is None and references is not None:
        raise ParapluieError(
            "References need two lists of sentences. Pass the sources, the hypotheses and the references."
        )
    if hypotheses is None and isinstance(pairs, Corpus):
        return _without_reading(pairs, reading)
    if hypotheses is None and isinstance(pairs, (str, PathLike)):
        return read(pairs, **reading)
    if hypotheses is None and _is_frame(pairs):
        return from_frame(pairs, **reading)
    if hypotheses is not None:
        return _without_reading(_corpus_from_lists(pairs, hypotheses, references), reading)
    return _without_reading(_corpus_from_pairs(pairs), reading)


def _without_reading(corpus: Corpus, reading: ReadingOptions) -> Corpus:
    if reading:
        raise ParapluieError(f"{', '.join(reading)} can be used only with a file or a data frame. Leave it out.")
    return corpus


def from_frame(frame: pandas.DataFrame, **reading: Unpack[ReadingOptions]) -> Corpus:
    """Convert a data frame to a corpus, recognising its columns like those of a file.

    Raises:
        ParapluieError: Its columns are not recognised, or a row is invalid.
    """
    with _python_advice():
        return _from_frame(frame, reading)


def _from_frame(frame: pandas.DataFrame, reading: ReadingOptions) -> Corpus:
    names, repeated = unique_names(frame.columns)
    columns = [frame.iloc[:, place].astype(object) for place in range(len(names))]
    cells: list[list[object]] = [list(column.where(column.notna(), None)) for column in columns]
    table = RawTable(names, cells, range(1, len(frame) + 1), FileOrigin(kind="parquet"), repeated=repeated)
    if not len(frame):
        raise ParapluieError("The data frame has no rows. Pass one with sentence pairs.")
    choices = find_named_columns(table, ReadingChoices(**to_decisions(reading)))
    if missing := [name for name in choices.wanted_columns if name not in names]:
        has = ", ".join(f'"{name}"' for name in names[:30])
        raise ParapluieError(f'The data frame has no column "{missing[0]}". Choose among {has}.')
    layout = None if choices.layout is None else find_layout(choices.layout)
    corpus = to_corpus(to_pairs(table, layout, choices), "data frame", choices)
    report_skipped(corpus, warn)
    return corpus


def _is_frame(pairs: object) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(pairs, pandas.DataFrame)


def _corpus_from_pairs(pairs: Any) -> Corpus:
    rows = _check_list(pairs, "pairs")
    for number, row in enumerate(rows):
        if isinstance(row, str) or not isinstance(row, Sequence) or len(row) != 2:
            raise ParapluieError(
                f"Item {number} of the list is not a pair of sentences. Pass a list of (source, hypothesis), or "
                "two lists."
            )
    return _corpus_from_lists([row[0] for row in rows], [row[1] for row in rows], None)


def _corpus_from_lists(sources: Any, hypotheses: Any, references: Any) -> Corpus:
    texts = _check_sentences(sources, "source"), _check_sentences(hypotheses, "hypothesis")
    if len(texts[0]) != len(texts[1]):
        raise ParapluieError(
            f"There are {count(len(texts[0]), 'source', 'sources')} and "
            f"{count(len(texts[1]), 'hypothesis', 'hypotheses')}. Each source needs one hypothesis."
        )
    if not texts[0]:
        raise ParapluieError("There are no pairs in the list. Pass at least one.")
    others = None if references is None else _check_list(references, "references")
    if others is not None:
        if len(others) != len(texts[0]):
            raise ParapluieError(
                f"There are {len(others):,} references for {len(texts[0]):,} pairs. Pass one for each, or None "
                "if it is missing."
            )
        others = [list(item) if isinstance(item, (list, tuple)) else [item] for item in others]
        wrong = next((at for at, item in enumerate(others) if not all(isinstance(x, str | None) for x in item)), None)
        if wrong is not None:
            raise ParapluieError(
                f"Reference {wrong} is not a text, a list of texts or None. Pass the texts of each pair."
            )
    references = name_references(max(map(len, others), default=1)) if others is not None else ()
    columns: list[list[object]] = [list(texts[0]), list(texts[1])]
    columns += [[item[at] if at < len(item) else None for item in others or ()] for at in range(len(references))]
    table = RawTable(
        ["source", "hypothesis", *references], columns, range(1, len(texts[0]) + 1), FileOrigin(kind="parallel")
    )
    mapping = ColumnMapping(source="source", hypothesis="hypothesis", reference=references or None)
    return to_corpus(assign_roles(table, None, ReadingChoices(mapping=mapping)), "pairs")


def _check_sentences(values: Any, role: str) -> list[str]:
    texts = _check_list(values, f"the {role} side")
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise ParapluieError(f"Item {number} of the {role} side is not a text but {type(text).__name__}.")
        if not text.strip():
            raise ParapluieError(f"Item {number} of the {role} side is empty. Leave the pair out, or fill it in.")
    return texts


def _check_list(values: Any, what: str) -> list[Any]:
    if isinstance(values, (str, bytes, PathLike)) or not isinstance(values, Iterable):
        raise ParapluieError(f"{what.capitalize()} must be a list, not {type(values).__name__}. Pass a list of texts.")
    return list(values)


# Filtering


def score_for_outcomes(columns: Sequence[ScoreColumn]) -> ScoreColumn | None:
    """Return the score that `outcome` means in a filter: the first judge's or, without one, the first score."""
    return next((column for column in columns if column.is_from_judge), columns[0] if columns else None)


def filter_mask(
    corpus: Corpus, table: ScoreTable, text: str, judged: ScoreColumn | None = None, threshold: float | None = None
) -> Mask:
    """Return the mask of the pairs that satisfy a filter.

    Args:
        corpus: The pairs.
        table: Their scores.
        text: The filter.
        judged: The score whose outcomes `outcome` compares with the labels; by default that of
            `score_for_outcomes`.
        threshold: The threshold of that score; by default its natural one or the best one on all labelled pairs.

    Raises:
        ParapluieError: The filter is invalid, or no pair satisfies it.
    """
    columns = columns_of(ColumnMaterial(with_judgements(corpus, (), ()), table))
    if judged is None:
        scored = (name for name in table.scores if not np.isnan(table[name]).all())
        judged = score_for_outcomes([table_score_column(table, name) for name in scored])
    if OUTCOME not in columns and corpus.has_labels and judged is not None:
        threshold = default_threshold(judged, corpus.labels) if threshold is None else threshold
        columns[OUTCOME] = outcome_column(judged, corpus.labels, threshold)
    mask = compile_column_filter(text, columns).mask(lambda name: columns[name].values())
    if not mask.any():
        raise ParapluieError(f"No pair matches {text}. Choose a different filter.")
    return mask


def filter_pairs(
    corpus: Corpus, table: ScoreTable, text: str, judged: ScoreColumn | None = None, threshold: float | None = None
) -> tuple[Corpus, ScoreTable]:
    """Return the pairs that satisfy a filter, with their scores; arguments and errors as in `filter_mask`."""
    rows = np.flatnonzero(filter_mask(corpus, table, text, judged, threshold))
    return corpus.take(rows), table.take(rows)

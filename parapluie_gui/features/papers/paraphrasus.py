"""Computes the share of pairs that a method gets wrong in each part of PARAPHRASUS, and the paper's averages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.analysis.statistics.shared_errors import SharedErrors, shared_errors, wrong_by
from parapluie_gui.arrays import Floats, Labels, Mask, Rows
from parapluie_gui.errors import ParapluieError
from parapluie_gui.pairs.column import NumberColumn
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus

#: Groups of the benchmark (Michail et al., COLING 2025, section 3.1), and the titles of their averages in table 2.
GROUPS: Mapping[str, str] = {"classify": "Classify!", "minimize": "Minimize!", "maximize": "Maximize!"}

#: Columns that can name the part of a pair; "corpus" is written when corpora are pooled.
_TAGS = ("part", "corpus", "dataset")


@dataclass(frozen=True)
class BenchmarkPart:
    """One part of the benchmark.

    Attributes:
        key: Name in the paper's table 2.
        group: "classify" (the label is right), "minimize" (no pair is a paraphrase) or "maximize" (every pair is).
        expects: The right verdict, in words.
        names: Pattern for the names of its files and corpora.
        low, high: Range of human scores s of its pairs, low <= s < high; None for all pairs.
    """

    key: str
    group: str
    expects: str
    names: str
    low: float | None = None
    high: float | None = None


def _part(
    key: str, group: str, expects: str, names: str, low: float | None = None, high: float | None = None
) -> BenchmarkPart:
    # A name may be one of several words ("scored-ms-mrpc"), but not part of a word.
    return BenchmarkPart(key, group, expects, rf"(?i)(?<![a-z0-9])(?:{names})(?![a-z0-9])", low, high)


_LABEL, _NONE, _ALL = "the label", "not a paraphrase", "a paraphrase"

#: The ten parts in the order of the paper's table 2.
PARTS: tuple[BenchmarkPart, ...] = (
    _part("PAWSX", "classify", _LABEL, "paws-?_?x"),
    _part("STS-H", "classify", _LABEL, "sts-?_?h|stsbenchmark"),
    _part("MRPC", "classify", _LABEL, "mrpc|msr-paraphrase-test"),
    _part("SNLI", "minimize", _NONE, "snli"),
    _part("ANLI", "minimize", _NONE, "anli"),
    _part("XNLI", "minimize", _NONE, "xnli"),
    _part("STS", "minimize", _NONE, r"^sts$|stsbenchmark", 0, 3),
    _part("SICK", "minimize", _NONE, "sickr?", 1, 3),
    _part("TRUE", "maximize", _ALL, "true"),
    _part("SIMP", "maximize", _ALL, "simp|onestop"),
)

PART_KEYS = tuple(part.key for part in PARTS)


def own_part(key: str, group: str) -> BenchmarkPart:
    """Return a part that the paper does not have; no file is recognised as such a part by its name."""
    expects = {"classify": _LABEL, "minimize": _NONE, "maximize": _ALL}[group]
    return BenchmarkPart(key, group, expects, names="(?!)")


def own_task(part: BenchmarkPart, corpus: Corpus) -> BenchmarkTask:
    """Return the task of a corpus whose pairs all belong to a part; without labels, "classify" has no rows."""
    rows = _rows(part, corpus, np.ones(len(corpus), dtype=bool))
    return BenchmarkTask(part, rows, _expected_labels(part, corpus, rows))


def order_parts(keys: Iterable[str]) -> list[str]:
    """Return the keys of parts, the paper's in its order and then the others in theirs."""
    unique = list(dict.fromkeys(keys))
    return [*(key for key in PART_KEYS if key in unique), *(key for key in unique if key not in PART_KEYS)]


def recognise_parts(name: str) -> tuple[BenchmarkPart, ...]:
    """Return the parts that a file or corpus of this name holds, for example both STS-H and STS for "stsbenchmark…"."""
    plain = re.sub(r"[_\s./]+", "-", name)
    return tuple(part for part in PARTS if re.search(part.names, plain))


@dataclass(frozen=True, eq=False)
class BenchmarkTask:
    """The rows of a corpus that belong to a part, (m,), and the right verdict on each (1 paraphrase, 0 not)."""

    part: BenchmarkPart
    rows: Rows
    expected: Labels


def find_tasks(corpus: Corpus, where: Mask | None = None) -> tuple[BenchmarkTask, ...]:
    """Return the benchmark's parts that a corpus, one file or several pooled, holds within `where` (None: all).

    The part of each pair is named by the first of the columns "part", "corpus", "dataset" and the group whose values
    are names of parts; without such a column, by the name of the corpus.
    """
    chosen = np.ones(len(corpus), dtype=bool) if where is None else where
    masks = {part.key: np.zeros(len(corpus), dtype=bool) for part in PARTS}
    tags = _tags(corpus)
    if tags is None:
        for part in recognise_parts(corpus.name):
            masks[part.key][:] = True
    else:
        holds = {tag: {part.key for part in recognise_parts(tag)} for tag in set(tags)}
        for key, mask in masks.items():
            mask[:] = [key in holds[tag] for tag in tags]
    parts = ((part, _rows(part, corpus, masks[part.key] & chosen)) for part in PARTS)
    return tuple(BenchmarkTask(part, rows, _expected_labels(part, corpus, rows)) for part, rows in parts if len(rows))


def _tags(corpus: Corpus) -> list[str] | None:
    columns: list[Sequence[object]] = [corpus.extra[name].cells() for name in _TAGS if name in corpus.extra]
    if corpus.group is not None:
        columns.append(corpus.group)
    for values in columns:
        texts = ["" if value is None else str(value) for value in values]
        if any(recognise_parts(text) for text in set(texts)):
            return texts
    return None


def _rows(part: BenchmarkPart, corpus: Corpus, mask: Mask) -> Rows:
    if part.low is not None and part.high is not None:
        if corpus.human is None:
            return np.empty(0, dtype=np.int64)
        mask = mask & (corpus.human >= part.low) & (corpus.human < part.high)
    if part.group == "classify":
        if corpus.label is None:
            return np.empty(0, dtype=np.int64)
        mask = mask & (corpus.label != UNLABELLED)
    return np.flatnonzero(mask)


def _expected_labels(part: BenchmarkPart, corpus: Corpus, rows: Rows) -> Labels:
    if part.group == "classify" and corpus.label is not None:
        return np.asarray(corpus.label[rows])
    return np.full(len(rows), int(part.group == "maximize"), dtype=np.int8)


@dataclass(frozen=True, eq=False)
class BenchmarkMethod:
    """The verdicts of a method on n pairs: 1 for a paraphrase, 0 for none, NaN if missing; (n, runs).

    Several runs (of a model trained with different seeds) are pooled.
    """

    name: str
    verdicts: Floats


def score_method(score_column: ScoreColumn, threshold: float | None = None) -> BenchmarkMethod:
    """Return a score as a method: paraphrase at or beyond the threshold, by default the natural threshold.

    Raises:
        ParapluieError: The threshold is None, and the score has no natural one.
    """
    threshold = score_column.threshold if threshold is None else threshold
    if threshold is None:
        raise ParapluieError(
            f'"{score_column.name}" has no natural threshold. Choose one, such as {score_column.name}=0.5.'
        )
    verdicts = np.where(np.isnan(score_column.values), np.nan, score_column.predicted_positive(threshold))
    return BenchmarkMethod(score_column.name, verdicts[:, None])


def prediction_method(name: str, corpus: Corpus, columns: Iterable[str]) -> BenchmarkMethod:
    """Return a method from columns of 0/1 predictions, one per run; empty cells and -100 count as missing.

    Raises:
        ParapluieError: A column does not exist, or holds other values.
    """
    runs = []
    for column in columns:
        if column not in corpus.extra:
            raise ParapluieError(f'{corpus.name} has no column "{column}"; {_offer(corpus)}')
        verdicts = _verdicts(corpus, column)
        if verdicts is None:
            raise ParapluieError(
                f'The column "{column}" of {corpus.name} is not a prediction. It may contain 1, 0 and -100 (no answer).'
            )
        runs.append(verdicts)
    verdicts = np.column_stack(runs) if runs else np.full((len(corpus), 1), np.nan)
    return BenchmarkMethod(name, verdicts)


def prediction_columns(corpus: Corpus) -> list[str]:
    """Return the corpus's columns that hold only predictions: 1, 0, and -100 or an empty cell if missing.

    Columns of annotators ("Human …"), labels and row numbers are left out.
    """
    names = [name for name in corpus.extra if not re.match(r"(?i)human|unnamed|label", name)]
    return [name for name in names if _verdicts(corpus, name) is not None]


def _verdicts(corpus: Corpus, name: str) -> Floats | None:
    column = corpus.extra[name]
    if not isinstance(column, NumberColumn) or np.isnan(column.written).all():
        return None
    return column.values if np.isin(column.values[~np.isnan(column.values)], (0.0, 1.0)).all() else None


def _offer(corpus: Corpus) -> str:
    names = prediction_columns(corpus)
    if not names:
        return "it has no columns of predictions."
    shown = ", ".join(f'"{name}"' for name in names[:12])
    return f"its predictions are {shown}{' and more' if len(names) > 12 else ''}."


@dataclass(frozen=True)
class PartError:
    """Counts of a method's verdicts in one part, over runs and files: wrong, all, and missing verdicts."""

    wrong: int = 0
    scored: int = 0
    unscored: int = 0

    @property
    def error(self) -> float | None:
        """Wrong verdicts per hundred, rounded to one decimal as in the paper; None without verdicts."""
        return round(100 * self.wrong / self.scored, 1) if self.scored else None

    def __add__(self, other: PartError) -> PartError:
        return PartError(self.wrong + other.wrong, self.scored + other.scored, self.unscored + other.unscored)


@dataclass(frozen=True)
class GroupAverage:
    """The error of a group: the unweighted mean of its parts' rounded errors, rounded to one decimal.

    Attributes:
        error: Percentage; None without any part.
        over: The parts in the mean.
        missing: Parts of the group that are not in the mean.
    """

    error: float | None
    over: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True)
class MethodErrors:
    """The errors of one method, a row of the error table.

    Attributes:
        name: The method.
        parts: Errors by part, for the parts with verdicts.
        averages: Averages by group ("classify", "minimize", "maximize").
        total: Mean of the three rounded averages, rounded to one decimal; None if one of them is missing.
    """

    name: str
    parts: Mapping[str, PartError]
    averages: Mapping[str, GroupAverage]
    total: float | None


@dataclass(frozen=True)
class ErrorTable:
    """Errors of methods by part (the paper's table 2).

    Attributes:
        methods: Rows of the table.
        present: Parts with pairs, in the order of the paper.
        missing: Parts without pairs, which the averages lack.
    """

    methods: tuple[MethodErrors, ...]
    present: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether all ten parts are present, so that averages and totals are comparable with the paper's."""
        return not self.missing


def paraphrasus(corpus: Corpus, methods: Sequence[BenchmarkMethod], *, where: Mask | None = None) -> ErrorTable:
    """Return the error table of methods on one corpus, possibly pooled from several files; see `find_tasks`."""
    corpus_tasks = find_tasks(corpus, where)
    return error_table(
        {method.name: tally_errors(corpus_tasks, method) for method in methods},
        [task.part.key for task in corpus_tasks],
    )


def tally_errors(corpus_tasks: Iterable[BenchmarkTask], method: BenchmarkMethod) -> dict[str, PartError]:
    """Return how often a method is wrong in each part of a corpus; see `add_tallies` for several files."""
    result: dict[str, PartError] = {}
    for task in corpus_tasks:
        verdicts = method.verdicts[task.rows]
        missing = np.isnan(verdicts)
        wrong = ~missing & (verdicts != task.expected[:, None])
        result[task.part.key] = PartError(int(wrong.sum()), int((~missing).sum()), int(missing.sum()))
    return result


def add_tallies(first: Mapping[str, PartError], second: Mapping[str, PartError]) -> dict[str, PartError]:
    """Return the sum of the tallies of two files."""
    return {key: first.get(key, PartError()) + second.get(key, PartError()) for key in {**first, **second}}


def error_table(tallies: Mapping[str, Mapping[str, PartError]], present: Iterable[str]) -> ErrorTable:
    """Return the error table of methods from their tallies by part; `present` are the parts that have pairs.

    Averages and totals are those of the paper's parts; parts that it does not have are only listed.
    """
    there = order_parts(present)
    return ErrorTable(
        methods=tuple(_errors(name, by_part) for name, by_part in tallies.items()),
        present=tuple(there),
        missing=tuple(key for key in PART_KEYS if key not in there),
    )


def _errors(name: str, by_part: Mapping[str, PartError]) -> MethodErrors:
    errors = {key: by_part[key] for key in order_parts(by_part) if by_part[key].scored}
    averages = {}
    for group in GROUPS:
        keys = [part.key for part in PARTS if part.group == group]
        over = tuple(key for key in keys if key in errors)
        values = [error for key in over if (error := errors[key].error) is not None]
        averages[group] = GroupAverage(_mean(values), over, tuple(key for key in keys if key not in over))
    groups = [average.error for average in averages.values() if average.error is not None]
    return MethodErrors(name, errors, averages, _mean(groups) if len(groups) == len(GROUPS) else None)


def _mean(errors: Sequence[float]) -> float | None:
    # Averaged as in the paper: because of binary rounding, 9.0 and 14.7 give 11.8, as in its table.
    return round(sum(errors) / len(errors), 1) if errors else None


def wrong_mask(task: BenchmarkTask, method: BenchmarkMethod) -> Mask:
    """Return the pairs of a part that a method (any of its runs) gets wrong."""
    verdicts = method.verdicts[task.rows]
    wrong = (~np.isnan(verdicts) & (verdicts != task.expected[:, None])).any(axis=1)
    mask = np.zeros(len(method.verdicts), dtype=bool)
    mask[task.rows[wrong]] = True
    return mask


def tally_shared_errors(
    corpus_tasks: Iterable[BenchmarkTask], methods: Sequence[BenchmarkMethod]
) -> dict[str, SharedErrors]:
    """Count, for each part of a corpus, the pairs that all methods get wrong, and that any method does (table 5).

    Each run counts as a method. The results of several files can be added.
    """
    return {task.part.key: shared_errors(_side_by_side(task, methods), task.expected) for task in corpus_tasks}


def shared_mask(task: BenchmarkTask, methods: Sequence[BenchmarkMethod], *, every: bool) -> Mask:
    """Return a mask of the corpus: pairs of a part that all methods get wrong (`every`), or at least one does."""
    _, by_all, by_any = wrong_by(_side_by_side(task, methods), task.expected)
    mask = np.zeros(len(methods[0].verdicts), dtype=bool)
    mask[task.rows[by_all if every else by_any]] = True
    return mask


def tally_by_language(
    corpus_tasks: Iterable[BenchmarkTask], method: BenchmarkMethod, languages: Sequence[str | None]
) -> Mapping[str, dict[str, PartError]]:
    """Return a method's errors by language and part; pairs without a language are left out."""
    codes = np.array(["" if code is None else code for code in languages], dtype=object)
    tasks = list(corpus_tasks)
    result: dict[str, dict[str, PartError]] = {}
    for language in dict.fromkeys(codes):
        if not language:
            continue
        limited = [_limited_to(task, np.asarray(codes[task.rows] == language)) for task in tasks]
        result[language] = tally_errors([task for task in limited if len(task.rows)], method)
    return result


def _limited_to(task: BenchmarkTask, chosen: Mask) -> BenchmarkTask:
    return replace(task, rows=task.rows[chosen], expected=task.expected[chosen])


def _side_by_side(task: BenchmarkTask, methods: Sequence[BenchmarkMethod]) -> Floats:
    return np.column_stack([method.verdicts[task.rows] for method in methods])

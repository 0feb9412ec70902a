"""`parapluie score`: a corpus in, a table of scores out, with the same job that the window runs."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from parapluie_gui.analysis.columns import with_kinds
from parapluie_gui.analysis.own_scores import own_scores, put_own_scores
from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.statistics.summary import by_label
from parapluie_gui.api.corpora import filter_mask, read_files
from parapluie_gui.api.judges import choose_metrics
from parapluie_gui.api.material import check_expressions, put_expressions
from parapluie_gui.api.notices import count
from parapluie_gui.api.scoring import check_plan, try_compute
from parapluie_gui.arrays import Rows
from parapluie_gui.commands.analysis import json_text
from parapluie_gui.commands.corpora import choices
from parapluie_gui.commands.extension import Extension
from parapluie_gui.commands.judge import judges_of
from parapluie_gui.commands.options import Score
from parapluie_gui.commands.saying import say
from parapluie_gui.errors import BAD_INPUT, INTERRUPTED, MetricError, ParapluieError, one_line
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs import Corpus
from parapluie_gui.pairs.reading.sidecar import sidecar_of
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.report.table import EXCEL_ROWS, check_target, write_table
from parapluie_gui.scores.identity import identify, rename_column
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work.scoring_plan import ScoringPlan


def run(options: Score) -> int:
    """Score the corpus, write the table and print a summary; returns the exit status.

    Everything that can be checked is checked before the work begins. The status is 2 if a score that was asked for is
    not among those written.

    Raises:
        ParapluieError: Something asked for is not there, or no score can be computed.
    """
    for each in options.more:
        if (status := each.take_over(options)) is not None:
            return status
    try:
        check_output(options.output, options.corpus)
        metrics = choose_metrics(options.scoring.metric or catalogue.defaults())
        judges = judges_of(options.scoring)
        missing = {spec: ready.missing for spec in metrics if not (ready := catalogue.ready(spec))}
        if len(missing) == len(metrics) and not judges:
            raise MetricError(missing[metrics[0]])
        corpus = _read(options)
        check_expressions(options.defining.column)
        ready_metrics = tuple(spec for spec in metrics if spec not in missing)
        plan = ScoringPlan(ready_metrics, judges, options.scoring.device)
        check_plan(corpus, plan)
        for sentence in missing.values():
            say(sentence)
        rows = _rows(corpus, options.filter)
        found, errors = try_compute(corpus, plan, rows=rows)
        corpus, table = found.corpus, found.table
        if errors and not any(table.scored(name) for name in table.scores):
            raise errors[0]
        try:
            put_expressions(corpus, table, options.defining.column)
        except ParapluieError as wrong:  # what was scored is written all the same
            errors.append(wrong)
        written = with_kinds(corpus, table) if options.types else corpus
        whole = _with_signed(written, table, options)
        for warning in write_table(options.output, written, whole, mark_formulas=options.no_formulas).warnings:
            say(warning)
        asked, its = (corpus, table) if rows is None else (corpus.take(rows), table.take(rows))
        if options.json:
            print(json_text(_record(asked, its, options)), end="")
        else:
            _print_summary(asked, its, options.more)
            some = "" if rows is None else f"{len(rows):,} of "
            pairs, scores = count(len(corpus), "pair", "pairs"), count(len(table.scores), "score", "scores")
            print(f"{some}{pairs}, {scores} → {options.output}")
        for error in errors:
            say(str(error))
        return BAD_INPUT if errors or missing else 0
    except KeyboardInterrupt:
        say("stopped; what was scored is kept and need not be scored again.")
        return INTERRUPTED


def check_output(output: Path, corpora: Sequence[Path]) -> None:
    """Refuse, before hours of scoring, a file that cannot be written or that would overwrite a corpus.

    Raises:
        ParapluieError: The ending is unknown, the folder cannot be written, or it is one of the corpora.
    """
    check_target(output)
    if output.is_dir():
        raise ParapluieError(f"{output} is a folder. Add the name of the table to it.")
    for path in (output, sidecar_of(output)):
        if any(path.exists() and corpus.exists() and path.samefile(corpus) for corpus in corpora):
            raise ParapluieError(f"{path} is a corpus to be scored and would be overwritten. Choose another name.")
    try:
        with tempfile.TemporaryFile(dir=output.parent):
            pass
    except OSError as error:
        raise ParapluieError(
            f"Nothing can be written into the folder {output.parent} ({error.strerror}). Choose another."
        ) from error


def _read(options: Score) -> Corpus:
    """Read the corpora, pooled.

    Raises:
        ParapluieError: One cannot be read as asked, or there are too many pairs for the output.
    """
    corpus = read_files(options.corpus, choices(options.reading), parallel=options.parallel, notice=say)
    if options.limit is not None and options.limit < len(corpus):
        corpus = corpus.take(range(options.limit))
    for each in options.more:
        corpus = each.change_corpus(corpus)
    if options.output.suffix.lower() == ".xlsx" and len(corpus) >= EXCEL_ROWS:
        raise ParapluieError(
            f"An Excel sheet holds {EXCEL_ROWS - 1:,} pairs, and there are {len(corpus):,}. Write .csv or .parquet."
        )
    return corpus


def _with_signed(corpus: Corpus, table: ScoreTable, options: Score) -> ScoreTable:
    """Return the scores with those that the file already had, so that its signatures are written along with them.

    The file's score of another judge under the same template keeps its name, and the new one says whose it is.
    """
    if len(options.corpus) != 1:
        return table
    path = options.corpus[0]
    signatures = read_signatures(path)
    signed = [name for name in own_scores(corpus, signatures) if name in signatures]
    makers = {name: identify(name, signatures[name]).maker for name in signed}
    names = [name for name in signed if name not in table or makers[name] != table.identity(name).maker]
    if not names:
        return table
    whole = put_own_scores(ScoreTable(table.rows), corpus, names, signatures)
    for name in table.scores:
        called, its = whole.declare(name, table.signatures.get(name)), (name, *identify(name).evidence)
        if called != name:
            say(f"{name} of {path.name} is another judge's and stays; the new scores are written as {called}.")
        whole.put(
            np.arange(table.rows), {rename_column(each, name, called): table[each] for each in its if each in table}
        )
    whole.own.update(table.own)
    return whole


def _rows(corpus: Corpus, text: str | None) -> Rows | None:
    """Return the pairs that are to be scored, None for all: those of a filter, which knows the scores of the file.

    Raises:
        ParapluieError: It cannot be understood, or no pair satisfies it.
    """
    if text is None:
        return None
    known = put_own_scores(ScoreTable(len(corpus)), corpus, own_scores(corpus), {})
    return np.flatnonzero(filter_mask(corpus, known, text))


def _record(corpus: Corpus, table: ScoreTable, options: Score) -> dict[str, object]:
    """Return the summary for programs: of each score its mean, spread and range, by label where there are labels."""
    scores = {name: plain(by_label(table[name], corpus.label)) for name in table.scores}
    signatures = {name: str(signature) for name, signature in table.signatures.items()}
    return {"pairs": len(corpus), "output": str(options.output), "scores": scores, "signatures": signatures}


def _print_summary(corpus: Corpus, table: ScoreTable, more: Sequence[Extension]) -> None:
    """Print mean ± standard deviation of each score, per label if there are labels, with the lines of extensions."""
    width = max((len(name) for name in table.scores), default=0)
    for score in [*table.scores, *table.gaps]:
        name = one_line(score)
        parts = by_label(table[score], corpus.label)
        missing = f", {parts.all.missing} without a score" if parts.all.missing else ""
        least, most = table.bound_counts(score)
        missing += f", {least + most} bounds (≥ {least}, ≤ {most})" if least + most else ""
        if corpus.labelled:
            print(f"{name:<{width}}  paraphrases {parts.paraphrase}  not paraphrases {parts.other}{missing}")
        else:
            print(f"{name:<{width}}  {parts.all}{missing}")
        for each in more:
            for line in each.summary(corpus, table[score]):
                print(line)

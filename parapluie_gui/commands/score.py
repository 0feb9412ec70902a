"""The command `parapluie score`: score a corpus into a table, with the same request as the window."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from parapluie_gui.analysis.columns import with_kinds
from parapluie_gui.analysis.one_sided import describe_one_sided
from parapluie_gui.analysis.own_scores import own_scores, put_own_scores
from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.score_column import table_score_column
from parapluie_gui.analysis.statistics.summary import by_label
from parapluie_gui.api.corpora import filter_mask, read_files
from parapluie_gui.api.judges import choose_metrics
from parapluie_gui.api.material import check_expressions, put_expressions
from parapluie_gui.api.notices import count
from parapluie_gui.api.scoring import check_plan, try_compute
from parapluie_gui.arrays import Rows
from parapluie_gui.commands.analysis import to_json
from parapluie_gui.commands.corpora import to_reading_options
from parapluie_gui.commands.extension import CommandExtension
from parapluie_gui.commands.judge import choose_named_judges
from parapluie_gui.commands.options import ScoreOptions
from parapluie_gui.commands.saying import say, say_error
from parapluie_gui.errors import BAD_INPUT, INTERRUPTED, MetricError, ParapluieError, one_line
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs import Corpus
from parapluie_gui.pairs.reading.sidecar import sidecar_of
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.report.table import EXCEL_ROWS, check_target, write_table
from parapluie_gui.scores.identity import identify, rename_column
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work.scoring_plan import ScoringPlan


def run(options: ScoreOptions) -> int:
    """Score the corpus, write the table and print a summary; return the exit status.

    Options are checked before scoring begins. The status is 2 if a requested score is not in the table.

    Raises:
        ParapluieError: A requested column, model or metric does not exist, or no score can be computed.
    """
    for extension in options.more:
        if (status := extension.take_over(options)) is not None:
            return status
    try:
        check_output(options.output, options.corpus)
        metrics = choose_metrics(options.scoring.metric or catalogue.defaults())
        judges = choose_named_judges(options.scoring)
        missing = {spec: ready.missing for spec in metrics if not (ready := catalogue.ready(spec))}
        if len(missing) == len(metrics) and not judges:
            raise MetricError(missing[metrics[0]])
        corpus = _read_pairs(options)
        check_expressions(options.defining.column)
        ready_metrics = tuple(spec for spec in metrics if spec not in missing)
        plan = ScoringPlan(ready_metrics, judges, options.scoring.device)
        check_plan(corpus, plan)
        for sentence in missing.values():
            say_error(sentence)
        rows = _filter_rows(corpus, options.filter)
        result, errors = try_compute(corpus, plan, rows=rows)
        corpus, table = result.corpus, result.table
        if errors and not any(table.count_scores(name) for name in table.scores):
            raise errors[0]
        try:
            put_expressions(corpus, table, options.defining.column)
        except ParapluieError as wrong:  # scores that were computed are written nevertheless
            errors.append(wrong)
        written = with_kinds(corpus, table) if options.types else corpus
        full_table = _add_signed_scores(written, table, options)
        plain, excel = options.no_formulas, options.for_excel
        for warning in write_table(options.output, written, full_table, mark_formulas=plain, for_excel=excel).warnings:
            say(warning)
        asked, its = (corpus, table) if rows is None else (corpus.take(rows), table.take(rows))
        if options.json:
            print(to_json(_summary_record(asked, its, options)), end="")
        else:
            _print_summary(asked, its, options.more)
            some = "" if rows is None else f"{len(rows):,} of "
            pairs, scores = count(len(corpus), "pair", "pairs"), count(len(table.scores), "score", "scores")
            print(f"{some}{pairs}, {scores} → {options.output}")
        columns = [table_score_column(its, name) for name in its.scores]
        if one_sided := describe_one_sided(columns, asked.labels):
            say(one_sided)
        for error in errors:
            say_error(str(error))
        return BAD_INPUT if errors or missing else 0
    except KeyboardInterrupt:
        say("stopped; scores computed so far are kept and are not computed again.")
        return INTERRUPTED


def check_output(output: Path, corpora: Sequence[Path]) -> None:
    """Refuse an output file, before hours of scoring, that cannot be written or would overwrite a corpus.

    Raises:
        ParapluieError: The ending is unknown, the folder is not writable, or the file is one of the corpora.
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
            f"Nothing can be written to the folder {output.parent} ({error.strerror}). Choose a different folder."
        ) from error


def _read_pairs(options: ScoreOptions) -> Corpus:
    """Read the corpora and pool them.

    Raises:
        ParapluieError: A corpus cannot be read with these options, or has too many pairs for the output.
    """
    corpus = read_files(options.corpus, to_reading_options(options.reading), parallel=options.parallel, notice=say)
    if options.limit is not None and options.limit < len(corpus):
        corpus = corpus.take(range(options.limit))
    for extension in options.more:
        corpus = extension.change_corpus(corpus)
    if options.output.suffix.lower() == ".xlsx" and len(corpus) >= EXCEL_ROWS:
        raise ParapluieError(
            f"An Excel sheet can hold {EXCEL_ROWS - 1:,} pairs, but there are {len(corpus):,}. Write .csv or .parquet."
        )
    return corpus


def _add_signed_scores(corpus: Corpus, table: ScoreTable, options: ScoreOptions) -> ScoreTable:
    """Return the scores together with the scores already in the file, so that the signatures of these are written too.

    A score in the file by a different judge with the same template keeps its name; the new score's name adds the judge.
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
    full_table = put_own_scores(ScoreTable(table.rows), corpus, names, signatures)
    for name in table.scores:
        called, its = full_table.declare(name, table.signatures.get(name)), (name, *identify(name).evidence)
        if called != name:
            say(
                f"{name} in {path.name} comes from a different judge and is kept; the new scores are written as "
                f"{called}."
            )
        full_table.put(
            np.arange(table.rows), {rename_column(part, name, called): table[part] for part in its if part in table}
        )
    full_table.own.update(table.own)
    return full_table


def _filter_rows(corpus: Corpus, text: str | None) -> Rows | None:
    """Return the rows to score, None for all; the filter may use scores in the file.

    Raises:
        ParapluieError: The filter is invalid, or no pair satisfies it.
    """
    if text is None:
        return None
    known = put_own_scores(ScoreTable(len(corpus)), corpus, own_scores(corpus), {})
    return np.flatnonzero(filter_mask(corpus, known, text))


def _summary_record(corpus: Corpus, table: ScoreTable, options: ScoreOptions) -> dict[str, object]:
    """Return the summary as data: mean, spread and range of each score, by label if the pairs have labels."""
    scores = {name: plain(by_label(table[name], corpus.label)) for name in table.scores}
    signatures = {name: str(signature) for name, signature in table.signatures.items()}
    return {"pairs": len(corpus), "output": str(options.output), "scores": scores, "signatures": signatures}


def _why(corpus: Corpus, table: ScoreTable, score: str) -> str:
    """Return in brackets why the first pair without a score has none; "" if the reason is unknown."""
    row = int(np.flatnonzero(np.isnan(table[score]))[0])
    why = catalogue.why_missing(score, corpus.source[row], corpus.hypothesis[row], *corpus.references(row)[:1])
    return f" (the first: {why})" if why else ""


def _print_summary(corpus: Corpus, table: ScoreTable, more: Sequence[CommandExtension]) -> None:
    """Print mean ± standard deviation of each score, by label if the pairs have labels, and the extensions' lines."""
    width = max((len(name) for name in table.scores), default=0)
    for score in [*table.scores, *table.gaps]:
        name = one_line(score)
        parts = by_label(table[score], corpus.label)
        missing = f", {parts.all.missing} without a score{_why(corpus, table, score)}" if parts.all.missing else ""
        least, most = table.bound_counts(score)
        missing += f", {least + most} bounds (≥ {least}, ≤ {most})" if least + most else ""
        if corpus.has_labels:
            print(f"{name:<{width}}  paraphrases {parts.paraphrase}  not paraphrases {parts.other}{missing}")
        else:
            print(f"{name:<{width}}  {parts.all}{missing}")
        for extension in more:
            for line in extension.summary(corpus, table[score]):
                print(line)

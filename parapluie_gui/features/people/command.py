"""`parapluie judgements`: export, merge, import and compare people's answers."""

# Each call describes one argument of the command.
# ruff: noqa: RUF009

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from parapluie_gui import places
from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.own_scores import own_scores
from parapluie_gui.api.corpora import filter_mask
from parapluie_gui.api.material import build_material, no_column, parse_score_thresholds
from parapluie_gui.api.notices import count, progress
from parapluie_gui.commands.analysis import check_folders, print_analyses, write_files
from parapluie_gui.commands.arguments import argument, integer, option, option_group, repeatable, seed
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.options import OutputOptions, ReadingArguments
from parapluie_gui.commands.saying import say
from parapluie_gui.errors import ParapluieError, SessionError
from parapluie_gui.features.people.analysis import AgreementAnalysis, AgreementOptions
from parapluie_gui.features.people.imported import (
    ImportedAnswer,
    describe_import,
    find_best_corpus,
    match_answers,
    read_answers,
)
from parapluie_gui.features.people.options import ExportJudgements, ImportJudgements, MergeJudgements
from parapluie_gui.files import atomic_write
from parapluie_gui.judgements.answers import AnnotatorAnswers
from parapluie_gui.judgements.columns import CorpusJudgements, shown_name
from parapluie_gui.judgements.record import Judgement
from parapluie_gui.judgements.scheme import AnswerOption, find_scheme, load_schemes
from parapluie_gui.pairs.column import Column, TextColumn, to_column
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus
from parapluie_gui.report.table import check_target, write_table
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.shipped import corpus_path
from parapluie_gui.storage.corpora import CorpusEntry
from parapluie_gui.storage.document import ENDING
from parapluie_gui.storage.merge import ANNOTATOR, import_judgements, merge_judgements
from parapluie_gui.storage.session import Session

#: Maximum number of conflicts listed individually.
_MOST = 20


@dataclass(frozen=True, kw_only=True)
class AgreementCommandOptions:
    """Print the agreement of annotators, labels and scores at their thresholds."""

    session: Path = argument("session, or file of pairs with annotators' columns", "FILE", type=corpus_path)
    corpus: str | None = option("name of the corpus in the session (default: the only one that was judged)", "NAME")
    raters: AgreementOptions = option_group(AgreementOptions, without=("part",))
    score: tuple[str, ...] = repeatable(
        "score to use as a rater (default: all); pairs with X or better are paraphrases", "COL[=X]"
    )
    filter: str | None = option("only pairs that match a filter, as in the window's filter box", "EXPR")
    draws: int = integer("number of bootstrap resamples; 0 for none", least=0, default=1000)
    seed: int = seed("random seed for the resamples")
    writing: OutputOptions = option_group(OutputOptions)
    reading: ReadingArguments = option_group(ReadingArguments, "options for reading a file")


def export(options: ExportJudgements) -> int:
    """Write every answer in a session as a row of a table; return the exit status.

    Raises:
        ParapluieError: The session or the table cannot be used, or the session has no answers.
    """
    check_target(options.output)
    with Session.open(options.session, reading=True) as session:
        table = answers_table(session, options.history)
    if not len(table):
        raise ParapluieError(f"Nobody has judged a pair in {options.session.name} yet. Judge some in the window.")
    plain, excel = options.no_formulas, options.for_excel
    written = write_table(options.output, table, ScoreTable(len(table)), mark_formulas=plain, for_excel=excel)
    for sentence in written.warnings:
        say(sentence)
    say(f"{count(written.rows, 'answer', 'answers')} written to {written.path}.")
    return 0


def merge(options: MergeJudgements) -> int:
    """Write the first session with the answers in the others; return the exit status.

    Raises:
        ParapluieError: A session cannot be read, or the output is one of them.
    """
    first, *others = options.session
    if not others:
        raise ParapluieError("There is nothing to merge. Name at least two session files.")
    target = _target(options.output, options.session, "merged")
    for path in options.session:
        Session.open(path, reading=True).close()
    with atomic_write(target) as part:
        shutil.copyfile(first, part)
        with Session.open(part) as session:
            for sentence in session.notices:
                raise SessionError(sentence)
            for path in others:
                with Session.open(path, reading=True) as other:
                    result = merge_judgements(session, other, path.stem)
                say(f"{path.name}: {count(result.added, 'record was', 'records were')} added.")
                for name in result.corpora:
                    say(f"{path.name}: the corpus {name} was added, because {first.name} does not have its pairs.")
                if result.renamed:
                    say(f"{path.name}: its annotator without a name is now called {result.renamed}.")
                for conflict in result.conflicts[:_MOST]:
                    say(f"{path.name}: {conflict}")
                if (more := len(result.conflicts) - _MOST) > 0:
                    say(f"{path.name}: {count(more, 'more pair was', 'more pairs were')} answered differently.")
        part.with_name(f"{part.name}~").unlink(missing_ok=True)
    return 0


def import_answers(options: ImportJudgements) -> int:
    """Write a session with the answers in a table added; return the exit status.

    Raises:
        ParapluieError: The session or the table cannot be read, or no pair of the table is in the session.
    """
    target = _target(options.output, [options.session], "read")
    answers, blank = read_answers(options.answers)
    Session.open(options.session, reading=True).close()
    with atomic_write(target) as part:
        shutil.copyfile(options.session, part)
        with Session.open(part) as session:
            for sentence in session.notices:
                raise SessionError(sentence)
            entry = _find_corpus(session, options, answers)
            corpus = session.corpus(entry.id)
            matches = match_answers(answers, corpus, load_schemes(places.user_schemes())[0], options.question, blank)
            if not matches.records:
                raise ParapluieError(f"No answer of {options.answers.name} can be used. {matches.left_out}")
            result = import_judgements(session, entry.id, matches.records)
        part.with_name(f"{part.name}~").unlink(missing_ok=True)
    for sentence in describe_import(entry.name, matches, result):
        say(sentence)
    return 0


def _target(output: Path, sessions: Sequence[Path], to_be: str) -> Path:
    """Return the session file to write; raises an error if it is one of the sessions read."""
    target = output if output.suffix.lower() == ENDING else Path(f"{output}{ENDING}")
    if any(target.exists() and path.exists() and target.samefile(path) for path in sessions):
        raise ParapluieError(f"{target.name} is one of the sessions to be {to_be}. Write to a different file.")
    return target


def _find_corpus(session: Session, options: ImportJudgements, answers: Sequence[ImportedAnswer]) -> CorpusEntry:
    """Return the corpus named in the options, or the one with most of the answered pairs."""
    if options.corpus is not None:
        return _corpus(session, options.corpus, options.session)
    entries = {entry.id: entry for entry in session.corpora()}
    best = find_best_corpus(answers, {number: session.corpus(number) for number in entries})
    if best is None:
        first = f" (the first is “{answers[0].pair}”)" if answers else ""
        here = next((session.corpus(number).id[0] for number in entries), "")
        raise ParapluieError(
            f"No pair of {options.answers.name} is in {options.session.name}{first}. Pairs are matched by their ids, "
            f"such as “{here}”: export the corpus to see them."
        )
    return entries[best]


def agree(options: AgreementCommandOptions) -> int:
    """Print the agreement of raters; return the exit status.

    Raises:
        ParapluieError: The session cannot be read, or lacks the corpus or the question named in the options.
    """
    check_folders(options.writing)
    if options.session.suffix.lower() == ENDING or not options.session.exists():
        with Session.open(options.session, reading=True) as session:
            entry = _corpus(session, options.corpus, options.session)
            corpus, table = session.corpus(entry.id), session.score_table(entry.id)
            records = session.judgements(entry.id)
    else:
        named = [text for score in options.score for text in (score, score.rpartition("=")[0]) if text]
        corpus, records = read_corpus(options.session, options.reading, named), []
        table = ScoreTable(len(corpus))
    people = CorpusJudgements.from_records(corpus, records, load_schemes(places.user_schemes())[0])
    question = _question(people.questions, options)
    material = replace(_material(options, corpus, table), people=people)
    analysis = AgreementAnalysis()
    with progress() as tick:
        run = analyse(analysis, material, replace(options.raters, question=question.question.id), tick)
    write_files(print_analyses([(analysis, run)], options.writing))
    return 0


def _corpus(session: Session, name: str | None, path: Path) -> CorpusEntry:
    """Return the corpus of a name, or the only one with answers, in the session or in its file."""
    entries = session.corpora()
    if name is not None:
        for entry in entries:
            if entry.name == name:
                return entry
        names = ", ".join(entry.name for entry in entries)
        raise ParapluieError(f'There is no corpus "{name}" in {path.name}. It has {names}.')
    judged = [entry for entry in entries if session.judgements(entry.id) or session.corpus(entry.id).annotators]
    if not judged:
        raise ParapluieError(f"Nobody has judged a pair in {path.name} yet. Judge some in the window.")
    if len(judged) > 1:
        names = ", ".join(entry.name for entry in judged)
        raise ParapluieError(f"Several corpora were judged. Choose one with --corpus: {names}.")
    return judged[0]


def _question(answers: Sequence[AnnotatorAnswers], options: AgreementCommandOptions) -> AnnotatorAnswers:
    if not answers:
        raise ParapluieError(
            f"There are no answers in {options.session.name}. Name the annotators' columns with --annotator, or "
            "judge some pairs in the window."
        )
    wanted = options.raters.question
    if not wanted:
        return max(answers, key=lambda entry: entry.count)
    for entry in answers:
        if entry.question.id == wanted:
            return entry
    names = ", ".join(entry.question.id for entry in answers)
    raise ParapluieError(f'There are no answers to a question "{wanted}". Choose one of: {names}.')


def _material(options: AgreementCommandOptions, corpus: Corpus, table: ScoreTable) -> AnalysisMaterial:
    """Return the pairs with the scores that are raters and their chosen thresholds."""
    named = parse_score_thresholds(options.score, {*table, *corpus.extra})
    for name in named:
        if name not in table and corpus.numbers(name) is None:
            raise no_column(name, [*table.scores, *corpus.extra])
    thresholds = {name: x for name, x in named.items() if x is not None}
    names = dict.fromkeys(named or [*table.scores, *own_scores(corpus)])
    material = build_material(corpus, table, scores=list(names), draws=options.draws, seed=options.seed)
    columns = tuple(material.score_column(name) for name in names if name in material.names)
    if options.filter is not None:
        chosen = filter_mask(corpus, table, options.filter)
        parts = {name: mask & chosen for name, mask in material.parts.items()}
        material = replace(material, parts=parts, where=chosen)
    return replace(material, score_columns=columns, given=thresholds)


def answers_table(session: Session, history: bool = False) -> Corpus:
    """Return the answers and notes of a session, one row each, with the sentences, annotator, question and time.

    `label` is the label that the answer stands for, `value` its value on its scale, `assessment` the annotator's
    self-assessment.

    Args:
        session: The session.
        history: Whether to include answers that were changed later, or deleted (with an empty answer).
    """
    schemes = load_schemes(places.user_schemes())[0]
    assessments = _assessments(session.settings())
    rows: list[tuple[Corpus, str, Judgement, AnswerOption | None]] = []
    for entry in session.corpora():
        if records := session.judgements(entry.id, history=history):
            corpus = session.corpus(entry.id)
            for record in sorted(records, key=lambda record: (record.row, record.annotator, record.changed)):
                scheme = find_scheme(record.scheme, schemes)
                question = None if scheme is None else scheme.question(record.question)
                answer = None if question is None else question.answer(record.answer or "")
                if record.row < len(corpus):
                    rows.append((corpus, entry.name, record, answer))
    texts: dict[str, list[str | None]] = {
        "corpus": [name for _, name, _, _ in rows],
        "pair": [corpus.id[record.row] for corpus, _, record, _ in rows],
        "annotator": [shown_name(record.annotator) for _, _, record, _ in rows],
        "assessment": [assessments.get((record.annotator, record.scheme)) for _, _, record, _ in rows],
        "scheme": [record.scheme or None for _, _, record, _ in rows],
        "question": [record.question for _, _, record, _ in rows],
        "answer": [answer.word if answer is not None else record.answer for _, _, record, answer in rows],
        "time": [record.changed.isoformat(timespec="seconds") for _, _, record, _ in rows],
    }
    extra: dict[str, Column] = {name: TextColumn(cells) for name, cells in texts.items()}
    extra["value"] = to_column([None if answer is None else answer.value for *_, answer in rows])
    labels = [UNLABELLED if answer is None or answer.label is None else answer.label for *_, answer in rows]
    return Corpus(
        name="judgements",
        id=[str(number + 1) for number in range(len(rows))],
        source=[corpus.source[record.row] for corpus, _, record, _ in rows],
        hypothesis=[corpus.hypothesis[record.row] for corpus, _, record, _ in rows],
        label=np.array(labels, dtype=np.int8),
        extra=extra,
    )


def _assessments(settings: Mapping[str, object]) -> dict[tuple[str, str], str]:
    """Return the annotators' self-assessments, by name and scheme."""
    assessments = {}
    for key, value in settings.items():
        if key.startswith(ANNOTATOR) and isinstance(value, dict):
            for scheme, answer in value.items():
                assessments[key.removeprefix(ANNOTATOR), str(scheme)] = str(answer)
    return assessments

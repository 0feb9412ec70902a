"""`parapluie share`: write pairs and scores as one page for readers with only a browser."""

# Each call describes one argument of the command.
# ruff: noqa: RUF009

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from parapluie_gui import places
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.api.material import build_material, parse_thresholds
from parapluie_gui.api.notices import count, progress
from parapluie_gui.api.sessions import find_entry
from parapluie_gui.commands.arguments import corpus_file, file, option, option_group, output_file, repeatable, switch
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.options import AnalysedScores, ReadingArguments
from parapluie_gui.commands.saying import say
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.share.api import check_page
from parapluie_gui.features.share.page import LINK, PageContents, filter_note, link_to, write_supplement
from parapluie_gui.features.talks.talk import read_talk
from parapluie_gui.judgements.columns import CorpusJudgements
from parapluie_gui.judgements.scheme import load_schemes
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.report.edits import known_edits
from parapluie_gui.report.html import compute_report, pair_columns, write_report
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.storage.document import ENDING
from parapluie_gui.storage.session import Session


@dataclass(frozen=True, kw_only=True)
class ShareOptions:
    """Write pairs and scores as one page that readers open in a browser, without network or installation."""

    path: Path = corpus_file("session, or table of scored pairs", "FILE")
    output: Path = output_file("page to write", "PAGE.html", short="-o", required=True)
    licence: str | None = option("include the sentences under this licence, which the page names", "TEXT")
    without_sentences: bool = switch("include only scores and ids, without sentences")
    people: bool = switch("include people's answers and notes, with their names")
    analyses: bool = switch("include the tables and figures of `parapluie analyse`")
    talk: Path | None = file("include the steps of a talk on these pairs", "FILE.talk.toml")
    report: Path | None = output_file("also write the report; page and report link to each other", "REPORT.html")
    title: str | None = option("title of the page (default: the corpus's name)", "TEXT")
    corpus: str | None = option("name or number of the corpus in the session (default: its only corpus)", "NAME")
    column: tuple[str, ...] = repeatable("additional column of the corpus to show; may be repeated", "COL")
    filter: str | None = option("only pairs that match a filter, as in the window's filter box", "EXPR")
    scores: AnalysedScores = option_group(AnalysedScores)
    reading: ReadingArguments = option_group(ReadingArguments, "reading")


def run(options: ShareOptions) -> int:
    """Write the page, and the report with --report. Return the exit status.

    Raises:
        ParapluieError: Not exactly one of --licence and --without-sentences is set, or a file cannot be used.
    """
    licence = (options.licence or "").strip()
    if bool(licence) == options.without_sentences:
        raise ParapluieError(
            "May these sentences be shared? If so, name their licence, such as --licence 'CC BY 4.0'. Otherwise use "
            "--without-sentences to share only scores and ids."
        )
    for path in filter(None, (options.output, options.report)):
        check_page(path, options.path)
    material = _material(options)
    page = PageContents(
        material,
        licence,
        title=options.title or "",
        columns=tuple(dict.fromkeys(options.column)),
        people=options.people,
        edits=partial(known_edits, places.score_cache()),
        talk=None if options.talk is None else read_talk(options.talk),
        note=filter_note(options.filter, material, has_sentences=bool(licence)),
    )
    if options.analyses or options.report is not None:
        with progress() as tick:
            columns = pair_columns(places.score_cache())
            report = compute_report(material, tick, date="", note=page.note, pair_columns=columns)
            if not licence:
                report = replace(report, worst_pairs=0)
        page = replace(page, done=report.done if options.analyses else ())
        if options.report is not None:
            link = (LINK, link_to(options.output, options.report))
            write_report(options.report, replace(report, links=[link]))
            page = replace(page, report=link_to(options.report, options.output))
    write_supplement(options.output, page)
    size = options.output.stat().st_size / 1e6
    shared = len(material.corpus) if material.where is None else int(material.where.sum())
    pairs, scores = count(shared, "pair", "pairs"), count(len(material.names), "score", "scores")
    print(f"{pairs}, {scores} → {options.output} ({size:.2f} MB)", file=sys.stderr)
    if page.licence:
        say(f"The page contains the sentences of {material.corpus.name}. Licence: {page.licence}.")
    return 0


def _material(options: ShareOptions) -> AnalysisMaterial:
    """Read the material to share: a corpus of a session with people's answers, or a table with its scores.

    Raises:
        ParapluieError: The file cannot be read, has no score, or no pair matches the filter.
    """
    choice = options.scores
    corpus, table, signatures, people = _session(options) if options.path.suffix.lower() == ENDING else _table(options)
    material = build_material(
        corpus,
        table,
        signatures,
        scores=choice.named_columns,
        distances=choice.distance,
        draws=choice.draws,
        seed=choice.seed,
        path=options.path,
    )
    where = None
    if options.filter is not None:
        where = build_material(corpus, table, signatures, scores=choice.named_columns, select=options.filter).selected
    judged = [column.name for column in material.score_columns if column.is_from_judge]
    parts = material.parts if where is None else {name: mask & where for name, mask in material.parts.items()}
    return replace(
        material,
        parts={name: mask for name, mask in parts.items() if mask.any()},
        where=where,
        people=people,
        y=[*judged, *material.names, ""][0],
        given=parse_thresholds(choice.threshold, material.names),
    )


_Source = tuple[Corpus, ScoreTable, dict[str, Signature], CorpusJudgements]


def _session(options: ShareOptions) -> _Source:
    with Session.open(options.path, reading=True) as session:
        entry = find_entry(session, options.corpus)
        corpus, table = session.corpus(entry.id), session.score_table(entry.id)
        people = CorpusJudgements.from_records(
            corpus, session.judgements(entry.id), load_schemes(places.user_schemes())[0]
        )
    return corpus, table, {}, people


def _table(options: ShareOptions) -> _Source:
    if options.corpus is not None:
        raise ParapluieError("--corpus chooses among the corpora of a session. Leave it out for a table.")
    corpus = read_corpus(options.path, options.reading, options.scores.named_columns)
    return corpus, ScoreTable(len(corpus)), read_signatures(options.path), CorpusJudgements()

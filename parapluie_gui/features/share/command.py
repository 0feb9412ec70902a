"""`parapluie share`: pairs and scores as one page for readers who have a browser and nothing else."""

# Each call describes one argument of the command.
# ruff: noqa: RUF009

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from parapluie_gui import places
from parapluie_gui.analysis.material import Material
from parapluie_gui.api.material import given_thresholds, material_of
from parapluie_gui.api.notices import count, progress
from parapluie_gui.api.sessions import entry_of
from parapluie_gui.commands.arguments import corpus_file, file, many, option, shared, switch
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.options import ReadingArguments, ScoreChoice
from parapluie_gui.commands.saying import say
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.share.api import check_page
from parapluie_gui.features.share.page import LINK, Supplement, link_to, write_supplement
from parapluie_gui.features.talks.talk import read_talk
from parapluie_gui.judgements.columns import People
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
class Share:
    """Write pairs and scores as one page that readers open in a browser: no network, nothing to install."""

    path: Path = corpus_file("session, or table of scored pairs", "FILE")
    output: Path = file("page to write", "PAGE.html", short="-o", required=True)
    licence: str | None = option("put the sentences into the page, and this: the licence that allows it", "TEXT")
    without_sentences: bool = switch("put scores and ids into the page, and no sentences")
    people: bool = switch("also what people answered and noted, with their names")
    analyses: bool = switch("also the tables and figures of `parapluie analyse`")
    talk: Path | None = file("also the steps of a talk, whose pairs are among these", "FILE.talk.toml")
    report: Path | None = file("also write the report; page and report link to each other", "REPORT.html")
    title: str | None = option("title of the page (default: the corpus's name)", "TEXT")
    corpus: str | None = option("name or number of the corpus in the session (default: the only one)", "NAME")
    column: tuple[str, ...] = many("further column of the corpus to show; may be repeated", "COL")
    filter: str | None = option("only pairs that satisfy it, as in the window's filter box", "EXPR")
    scores: ScoreChoice = shared(ScoreChoice)
    reading: ReadingArguments = shared(ReadingArguments, "reading")


def run(options: Share) -> int:
    """Write the page, and the report if it is asked for. Returns the exit status.

    Raises:
        ParapluieError: It is not said whether the sentences may be passed on, or something cannot be read or written.
    """
    licence = (options.licence or "").strip()
    if bool(licence) == options.without_sentences:
        raise ParapluieError(
            "May these sentences be passed on? Name their licence, such as --licence 'CC BY 4.0', and they are in the "
            "page; with --without-sentences scores and ids are, and nothing else."
        )
    for path in filter(None, (options.output, options.report)):
        check_page(path, options.path)
    material = _material(options)
    page = Supplement(
        material,
        licence,
        title=options.title or "",
        columns=tuple(dict.fromkeys(options.column)),
        people=options.people,
        edits=partial(known_edits, places.score_cache()),
        talk=None if options.talk is None else read_talk(options.talk),
        note="" if options.filter is None else f"only pairs that satisfy {options.filter}",
    )
    if options.analyses or options.report is not None:
        with progress() as tick:
            columns = pair_columns(places.score_cache())
            report = compute_report(material, tick, made="", note=page.note, pair_columns=columns)
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
        say(f"The page has the sentences of {material.corpus.name}. Licence: {page.licence}.")
    return 0


def _material(options: Share) -> Material:
    """Read what is to be shared: a corpus of a session with what people said, or a table with its scores.

    Raises:
        ParapluieError: It cannot be read, has no score, or no pair satisfies the filter.
    """
    choosing = options.scores
    corpus, table, signatures, people = _session(options) if options.path.suffix.lower() == ENDING else _table(options)
    material = material_of(
        corpus,
        table,
        signatures,
        scores=choosing.named,
        distances=choosing.distance,
        draws=choosing.draws,
        seed=choosing.seed,
        path=options.path,
    )
    where = None
    if options.filter is not None:
        where = material_of(corpus, table, signatures, scores=choosing.named, select=options.filter).selected
    judged = [each.name for each in material.score_columns if each.judged]
    parts = material.parts if where is None else {name: mask & where for name, mask in material.parts.items()}
    return replace(
        material,
        parts={name: mask for name, mask in parts.items() if mask.any()},
        where=where,
        people=people,
        y=[*judged, *material.names, ""][0],
        given=given_thresholds(choosing.threshold, material.names),
    )


_Read = tuple[Corpus, ScoreTable, dict[str, Signature], People]


def _session(options: Share) -> _Read:
    with Session.open(options.path, reading=True) as session:
        entry = entry_of(session, options.corpus)
        corpus, table = session.corpus(entry.id), session.score_table(entry.id)
        said = People.of(corpus, session.judgements(entry.id), load_schemes(places.user_schemes())[0])
    return corpus, table, {}, said


def _table(options: Share) -> _Read:
    if options.corpus is not None:
        raise ParapluieError("--corpus chooses among the corpora of a session. Leave it out for a table.")
    corpus = read_corpus(options.path, options.reading, options.scores.named)
    return corpus, ScoreTable(len(corpus)), read_signatures(options.path), People()

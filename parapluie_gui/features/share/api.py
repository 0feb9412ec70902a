"""Pairs and scores given away as one page, the supplement, as a function."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from os import PathLike, fspath
from pathlib import Path

from parapluie_gui import places
from parapluie_gui.api.analysing import material_to_analyse
from parapluie_gui.api.judges import names_of
from parapluie_gui.api.scores import Scores
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.share.page import Supplement, write_supplement
from parapluie_gui.features.talks.talk import read_talk
from parapluie_gui.pairs import Corpus
from parapluie_gui.report.edits import known_edits


def share(
    scores: Scores | Corpus,
    path: str | PathLike[str],
    *,
    licence: str = "",
    without_sentences: bool = False,
    title: str = "",
    columns: str | Iterable[str] = (),
    thresholds: Mapping[str, float] | None = None,
    filter: str | None = None,
    talk: str | PathLike[str] | None = None,
) -> Path:
    """Write pairs and scores as one page that any browser opens, and return its path.

    Args:
        scores: What `score` returned, or a corpus whose file has columns of scores.
        path: The page, a name in .html.
        licence: The licence under which the sentences may be passed on; they are in the page.
        without_sentences: In its place: only scores and ids go in.
        title: The page's; the corpus's name where none is given.
        columns: Further columns of the corpus that are shown.
        thresholds: Where paraphrases begin, by score, instead of the natural or the best threshold.
        filter: Only the pairs that satisfy it, as in the window's filter box.
        talk: A file of a talk of pairs among them, which is given with the page.

    Raises:
        ParapluieError: It is not said whether the sentences may be passed on, there is no score, or something cannot
            be read or written.
    """
    licence, target = licence.strip(), Path(fspath(path))
    if bool(licence) == without_sentences:
        raise ParapluieError(
            'May these sentences be passed on? Name their licence, licence="CC BY 4.0", and they are in the page; with '
            "without_sentences=True scores and ids are, and nothing else."
        )
    given = dict(thresholds or {})
    material = replace(material_to_analyse(scores, (), (), given, filter), given=given)
    check_page(target, material.corpus.path)
    page = Supplement(
        material,
        licence,
        title=title,
        columns=names_of(columns),
        edits=partial(known_edits, places.score_cache()),
        talk=None if talk is None else read_talk(Path(fspath(talk))),
        note="" if filter is None else f"only pairs that satisfy {filter}",
    )
    return write_supplement(target, page)


def check_page(target: Path, source: Path | None) -> None:
    """Refuse, before anything is computed, a name that no page can be written to.

    Raises:
        ParapluieError: It is no name of a page, its folder is missing, or it is the file that is shared.
    """
    if target.suffix.lower() not in (".html", ".htm"):
        raise ParapluieError(f"{target.name} is no name of a web page. End it in .html.")
    if not target.parent.is_dir():
        raise ParapluieError(f"There is no folder {target.parent}. Make it first, or choose another.")
    if source is not None and target.exists() and source.exists() and target.samefile(source):
        raise ParapluieError(f"{target} is the file to be shared and would be overwritten. Choose another name.")

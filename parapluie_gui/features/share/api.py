"""The Python function that shares pairs and scores as one HTML page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from os import PathLike, fspath
from pathlib import Path

from parapluie_gui import places
from parapluie_gui.api.analysing import material_to_analyse
from parapluie_gui.api.judges import as_names
from parapluie_gui.api.material import check_thresholds
from parapluie_gui.api.scores import Scores
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.share.page import PageContents, filter_note, write_supplement
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
    """Write pairs and scores as one page that any browser can open, and return its path.

    Args:
        scores: The result of `score`, or a corpus whose file has columns of scores.
        path: The file to write, with a name in .html.
        licence: The licence under which the sentences may be passed on; the page then contains them.
        without_sentences: Whether to write only scores and ids instead.
        title: The title of the page; by default the name of the corpus.
        columns: Further columns of the corpus to show.
        thresholds: Thresholds by score, used instead of the natural or best ones.
        filter: A filter as in the window's filter box; only matching pairs are shared.
        talk: A talk file to include; its pairs must be among those shared.

    Raises:
        ParapluieError: Not exactly one of `licence` and `without_sentences` is set, there is no score, or a file cannot
            be read or written.
    """
    licence, target = licence.strip(), Path(fspath(path))
    if bool(licence) == without_sentences:
        raise ParapluieError(
            'May these sentences be shared? If so, name their licence: licence="CC BY 4.0". Otherwise set '
            "without_sentences=True to share only scores and ids."
        )
    thresholds_by_score = check_thresholds(thresholds)
    material = replace(material_to_analyse(scores, (), (), thresholds_by_score, filter), given=thresholds_by_score)
    check_page(target, material.corpus.path)
    page = PageContents(
        material,
        licence,
        title=title,
        columns=as_names(columns),
        edits=partial(known_edits, places.score_cache()),
        talk=None if talk is None else read_talk(Path(fspath(talk))),
        note=filter_note(filter, material, has_sentences=bool(licence)),
    )
    return write_supplement(target, page)


def check_page(target: Path, source: Path | None) -> None:
    """Check that a page can be written to a file, before anything is computed.

    Raises:
        ParapluieError: The name does not end in .html, its folder is missing, or it is the file to share.
    """
    if target.suffix.lower() not in (".html", ".htm"):
        raise ParapluieError(f"{target.name} is not the name of a web page. Use a name that ends in .html.")
    if not target.parent.is_dir():
        raise ParapluieError(f"There is no folder {target.parent}. Create it, or choose a different folder.")
    if source is not None and target.exists() and source.exists() and target.samefile(source):
        raise ParapluieError(f"{target} is the file to share and would be overwritten. Choose another name.")

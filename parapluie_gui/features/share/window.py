"""Sharing in the window: a dialog for the contents, one for the file, and a thread that writes the page."""

from __future__ import annotations

import contextlib
from functools import partial
from pathlib import Path

import numpy as np

from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.features.share.dialog import ShareChoice, ShareDialog
from parapluie_gui.features.share.page import LINK, PageContents, link_to, write_supplement
from parapluie_gui.features.talks.talk import Talk, TalkError, session_talk
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.places import score_cache
from parapluie_gui.report.edits import known_edits
from parapluie_gui.report.html import compute_report
from parapluie_gui.ui.widgets.file_dialog import ask_where_to_save
from parapluie_gui.ui.widgets.text import pairs_words
from parapluie_gui.ui.window.context import WindowContext, WindowController


class SharingWindow(WindowController):
    """Writes pages for readers. A later report of the same pairs gets a link to the last page."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._tab, self._reports = context.analysis, context.reports
        self._page: tuple[Corpus, Path] | None = None
        self._reports.links.append(self._links)

    def ask(self) -> None:
        """Ask for the contents and for a file, and write the page."""
        self._tab.when_ready(self._open_dialog)

    def _open_dialog(self) -> None:
        inputs = self._reports.material()
        if inputs is None:
            return
        count = len(inputs.corpus) if inputs.where is None else int(np.count_nonzero(inputs.where))
        scores = ", ".join(column.title for column in inputs.score_columns)
        about = self.tr("{0} of {1}: {2}").format(pairs_words(count), inputs.corpus.name, scores)
        if left_out := inputs.describe_left_out():
            about += f" ({left_out})"
        talk = self._talk()
        title = (talk.title or self.tr("without a title")) if talk.pairs else ""
        dialog = ShareDialog(about, bool(inputs.people.columns), title, self._window)
        dialog.chosen.connect(lambda choice: self._ask_for_file(choice, inputs.corpus.name))
        dialog.open()

    def _talk(self) -> Talk:
        with contextlib.suppress(TalkError):
            return session_talk(self._state.settings.values)
        return Talk()

    def _ask_for_file(self, choice: ShareChoice, name: str) -> None:
        ask_where_to_save(
            self._window,
            self.tr("Share as a page"),
            [self.tr("Web page (*.html)")],
            lambda path, _: self.write(path, choice),
            name=name,
            page="share",
        )

    def write(self, path: Path, choice: ShareChoice) -> None:
        """Write the page in a thread."""
        inputs = self._reports.material()
        if inputs is None:
            return
        note = self._tab.set_words() if choice.licence else ""  # a selection's name may contain words of a sentence
        talk = self._talk() if choice.talk else None

        def work(tick: Tick) -> Path:
            done = compute_report(inputs, tick, date="", note="").done if choice.analyses else ()
            edits = partial(known_edits, score_cache())
            page = PageContents(
                inputs, choice.licence, people=choice.people, done=done, edits=edits, note=note, talk=talk
            )
            return write_supplement(path, page)

        def announce(path: Path) -> None:
            self._page = (inputs.corpus, path)
            self.written.emit(self.tr("Page written to {0}.").format(path), path)

        self._reports.begin(work, announce, self.tr("Writing the page …"))

    def _links(self, material: AnalysisMaterial, report: Path) -> list[tuple[str, str]]:
        """Return the link from a report to the page with the same pairs, or [] if there is none."""
        if self._page is None or self._page[0] is not material.corpus or not self._page[1].exists():
            return []
        return [(LINK, link_to(self._page[1], report))]

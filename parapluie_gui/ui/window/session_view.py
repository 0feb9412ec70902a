"""Display of the session: its name, its corpora, the Bench's history and problems with its file."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from parapluie_gui.errors import one_line
from parapluie_gui.ui.bench.entry import read_history
from parapluie_gui.ui.widgets.text import pairs_words
from parapluie_gui.ui.window.context import WindowContext, WindowController
from parapluie_gui.ui.window.file_actions import FileActions


class SessionView(WindowController):
    """Shows the session in the window.

    Args:
        context: The window's parts.
        files: Opens other versions of the session's file.
    """

    def __init__(self, context: WindowContext, files: FileActions) -> None:
        super().__init__(context)
        self._files, self._banner, self._status = files, context.banner, context.status
        state = self._state
        state.queue.working.connect(self._show_queue)
        for part in (state.queue, state.session, state.corpora):
            part.failed.connect(self._banner.complain)
        for warning in (state.settings.skipped, state.session.message, state.corpora.warned):
            warning.connect(self._banner.warn)
        state.session.stuck.connect(self._banner.show_or_clear)
        state.session.damaged.connect(self._offer_previous_version)
        state.session.in_use.connect(self._offer_copy)
        state.session.renamed.connect(self.show_name)
        state.history.message.connect(self._banner.tell)
        state.corpora.news.connect(self._banner.tell)
        state.corpora.corpora_changed.connect(self.list_corpora)
        state.settings.opened.connect(self._show_history)

    def show_name(self) -> None:
        """Show the session's name in the window's title."""
        path = self._state.session.path
        name = self.tr("Unsaved session") if path is None else one_line(path.stem)
        self._window.setWindowTitle(self.tr("{0} – ParaPLUIE Inspector").format(name))

    def list_corpora(self) -> None:
        """List the session's corpora in Setup."""
        corpora = self._state.corpora
        names, shown = corpora.names()
        pairs = (pairs_words(entry.pairs) for entry in corpora.entries)
        titles = [self.tr("{0} · {1}").format(name, count) for name, count in zip(names, pairs, strict=True)]
        self._setup.corpus.set_corpora(titles, shown)
        self._setup.corpus.show_extent(corpora.extent)

    def _show_queue(self, text: str) -> None:
        self._status.show_work(text, self._state.queue.cancel if self._state.queue.can_stop else None)

    def _offer_previous_version(self, sentence: str, path: Path) -> None:
        act = partial(self._files.open_previous_version, path)
        self._banner.warn(sentence, self.tr("Open the previous version"), act)

    def _offer_copy(self, sentence: str, path: Path) -> None:
        self._banner.complain(sentence, self.tr("Open a copy"), partial(self._files.open_copy, path))

    def _show_history(self) -> None:
        settings = self._state.settings
        entries, bad = read_history(settings.bench)
        self._bench.set_history(entries)
        for place in bad:
            settings.values.skip(f"bench {place + 1}")
        settings.check()

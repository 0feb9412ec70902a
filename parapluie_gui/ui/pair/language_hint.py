"""A hint for a pair in a language that its scores do not support, or with characters that the judge cannot read.

The language is detected while the user stays with the pair.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtWidgets import QWidget

from parapluie_gui import places
from parapluie_gui.analysis.names import judge_title
from parapluie_gui.errors import ParapluieError, join_words
from parapluie_gui.models.catalogue import POCKET
from parapluie_gui.models.unread import find_unread_signs
from parapluie_gui.pairs.language import (
    ENGLISH,
    OTHER,
    is_detector_loaded,
    load_detector,
    plainly_english,
    sure_languages,
)
from parapluie_gui.pairs.language_names import language_names
from parapluie_gui.ui.state.task import BackgroundTask, stop_tasks
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: Delay before the language of a pair is detected, in milliseconds.
REST_MS = 700

#: Maximum number of characters that are named.
_NAMED = 8


class LanguageHint(WrappedText):
    """A hint about the language of a pair, hidden unless the language is certain."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, muted=True)
        self._pair = "", ""
        self._scores: Mapping[str, str] = {}
        self._asking = ""
        self._task: BackgroundTask[object] | None = None
        self._looking = CallThrottle(self._look, REST_MS, self, rest=True)
        self.say("")

    def set_pair(self, source: str, hypothesis: str) -> None:
        if (source, hypothesis) != self._pair:
            self._pair = source, hypothesis
            self._follow()

    def set_scores(self, scores: Mapping[str, str]) -> None:
        """Set the scores and judges that support few languages, by title, with the codes of these languages."""
        if scores != self._scores:
            self._scores = dict(scores)
            self._follow()

    def set_asking(self, sentence: str) -> None:
        """Set the hint about templates in a language other than the corpus's."""
        if sentence != self._asking:
            self._asking = sentence
            self._follow()

    def stop(self) -> None:
        """Stop, and wait for the loader."""
        self._looking.stop()
        stop_tasks(self._task)

    def _follow(self) -> None:
        self._say()
        plain = all(map(plainly_english, self._pair))
        known = all(ENGLISH in codes.split() for codes in self._scores.values())
        self._looking.stop()
        if self._scores and any(self._pair) and not (plain and known):
            self._looking.ask()

    def _look(self) -> None:
        above = self.parentWidget()
        if is_detector_loaded():
            self._say(self._language())
        elif self._task is None and above is not None and above.isVisible():
            self._task = BackgroundTask(lambda tell: load_detector(), self)
            self._task.begin(self._take, self._fail, self._forget)

    def _take(self, _: object) -> None:
        self._say(self._language())

    def _forget(self) -> None:
        self._task = None

    def _fail(self, error: ParapluieError) -> None:
        """Ignore the error, because the scores do not depend on this hint."""

    def _describe_unknown_signs(self) -> str:
        """Return a sentence about characters of the pair that the pocket judge cannot distinguish, or ""."""
        judge = judge_title(POCKET.name)
        signs = find_unread_signs(places.pocket(), " ".join(self._pair)) if judge in self._scores else []
        if not signs:
            return ""
        words = self.tr("{judge} cannot tell {signs} from other characters that are not in its vocabulary.")
        return words.format(judge=judge, signs=" ".join([*signs[:_NAMED], *("…" for _ in signs[_NAMED : _NAMED + 1])]))

    def _say(self, language: str = "") -> None:
        self.say(" ".join(filter(None, (language, self._describe_unknown_signs(), self._asking))))

    def _language(self) -> str:
        spoken = sure_languages(*self._pair)
        strange = {code for code in spoken if any(code not in codes.split() for codes in self._scores.values())}
        if not strange:
            return ""
        fail = [title for title, codes in self._scores.items() if not spoken <= set(codes.split())]
        known = sorted({code for title in fail for code in self._scores[title].split()})
        names = spoken if len(spoken) > 1 else strange
        if names == {OTHER}:
            text = self.tr("This pair is in a language that {scores} does not support. It was made for {known}.")
            several = self.tr("This pair is in a language that {scores} do not support. They were made for {known}.")
        else:
            text = self.tr("This pair is in {language}. {scores} was made for {known}.")
            several = self.tr("This pair is in {language}. {scores} were made for {known}.")
        language = language_names(sorted(names - {OTHER}))
        if OTHER in names:
            language = self.tr("{0} and one other language").format(language)
        return (text if len(fail) == 1 else several).format(
            language=language, scores=join_words(fail), known=language_names(known)
        )

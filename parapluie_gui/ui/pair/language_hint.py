"""A line where a pair is in another language than its scores know, or has signs that the judge cannot see.

The language is looked at while nobody waits.
"""

from __future__ import annotations

from collections.abc import Mapping

import regex
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from parapluie_gui.analysis.names import judge_title
from parapluie_gui.errors import ParapluieError, listed
from parapluie_gui.models.catalogue import POCKET
from parapluie_gui.pairs.language import (
    ENGLISH,
    OTHER,
    is_detector_loaded,
    load_detector,
    plainly_english,
    sure_languages,
)
from parapluie_gui.pairs.language_names import language_names
from parapluie_gui.ui.state.task import Task
from parapluie_gui.ui.state.throttle import Throttle
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: A pair is looked at once the user stays with it for so long.
REST_MS = 700

#: Signs that the pocket judge's vocabulary has none of: to it they are all the same.
_EMOJI = regex.compile(r"\p{Emoji_Presentation}")


class LanguageHint(WrappedText):
    """Says nothing where nothing is sure."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, muted=True)
        self._pair = "", ""
        self._scores: Mapping[str, str] = {}
        self._asking = ""
        self._task: Task[object] | None = None
        self._looking = Throttle(self._look, REST_MS, self, rest=True)
        self.say("")

    def set_pair(self, source: str, hypothesis: str) -> None:
        if (source, hypothesis) != self._pair:
            self._pair = source, hypothesis
            self._follow()

    def set_scores(self, scores: Mapping[str, str]) -> None:
        """Set the scores and judges that know few languages, by their titles, with the codes of the languages."""
        if scores != self._scores:
            self._scores = dict(scores)
            self._follow()

    def set_asking(self, sentence: str) -> None:
        """Set the hint for templates in another language than the corpus."""
        if sentence != self._asking:
            self._asking = sentence
            self._follow()

    def stop(self) -> None:
        """Look at nothing any more, and wait for what is being loaded."""
        self._looking.stop()
        if self._task is not None:
            self._task.stop()
            self._task.wait()

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
            # The program's own: a thread that runs must outlive whoever asked for it.
            self._task = Task(lambda tell: load_detector(), QCoreApplication.instance())
            self._task.begin(self._take, self._fail, self._forget)

    def _take(self, _: object) -> None:
        self._say(self._language())

    def _forget(self) -> None:
        self._task = None

    def _fail(self, error: ParapluieError) -> None:
        """Say nothing: the scores are what they are without this line."""

    def _unseen(self) -> str:
        """Return which signs of the pair the pocket judge cannot tell apart, "" for none."""
        signs, judge = dict.fromkeys(_EMOJI.findall(" ".join(self._pair))), judge_title(POCKET.name)
        if not signs or judge not in self._scores:
            return ""
        words = self.tr("{judge} cannot see {signs}: its vocabulary has no emoji, to it they are all the same.")
        return words.format(judge=judge, signs=" ".join(signs))

    def _say(self, language: str = "") -> None:
        self.say(" ".join(filter(None, (self._unseen(), language, self._asking))))

    def _language(self) -> str:
        spoken = sure_languages(*self._pair)
        strange = {code for code in spoken if any(code not in codes.split() for codes in self._scores.values())}
        if not strange:
            return ""
        fail = [title for title, codes in self._scores.items() if not spoken <= set(codes.split())]
        known = sorted({code for title in fail for code in self._scores[title].split()})
        names = spoken if len(spoken) > 1 else strange
        if names == {OTHER}:
            text = self.tr("This pair is in a language that {scores} was not made for: it knows {known}.")
            several = self.tr("This pair is in a language that {scores} were not made for: they know {known}.")
        else:
            text = self.tr("This pair is in {language}. {scores} was made for {known}.")
            several = self.tr("This pair is in {language}. {scores} were made for {known}.")
        language = language_names(sorted(names - {OTHER}))
        if OTHER in names:
            language = self.tr("{0} and another language").format(language)
        return (text if len(fail) == 1 else several).format(
            language=language, scores=listed(fail), known=language_names(known)
        )

"""Reads sessions that the window saved: their corpora, scores and judgements."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike, fspath
from types import TracebackType

from parapluie_gui import places
from parapluie_gui.analysis.columns import ColumnMaterial, add_derived_columns, read_column_settings
from parapluie_gui.analysis.own_scores import own_scores, put_own_scores
from parapluie_gui.api.scores import Scores
from parapluie_gui.errors import SessionError
from parapluie_gui.judgements.columns import with_judgements
from parapluie_gui.judgements.record import Judgement
from parapluie_gui.judgements.scheme import load_schemes
from parapluie_gui.storage.corpora import CorpusEntry
from parapluie_gui.storage.session import Session


class SavedSession:
    """A session file opened for reading, even while the window has it open. Close it, or use `with`."""

    def __init__(self, path: str | PathLike[str]) -> None:
        """Open the file.

        Raises:
            ParapluieError: It is missing, damaged, not a session, or written by a newer version.
        """
        self._session = Session.open(fspath(path), reading=True)

    @property
    def corpora(self) -> tuple[str, ...]:
        """The names of its corpora, in the user's order."""
        return tuple(entry.name for entry in self._session.corpora())

    def scores(self, corpus: str | int | None = None) -> Scores:
        """Return a corpus with its scores, including computed columns, and with judgements as extra columns.

        Args:
            corpus: Its name, or its number in the session; None if the session has only one corpus.

        Raises:
            ParapluieError: There is no such corpus, or there are several.
        """
        number = find_entry(self._session, corpus).id
        schemes, _ = load_schemes(places.user_schemes())
        pairs = with_judgements(self._session.corpus(number), self._session.judgements(number), schemes)
        table = self._session.score_table(number)
        table = put_own_scores(table, pairs, own_scores(pairs), {})
        add_derived_columns(
            ColumnMaterial(pairs, table, feature_material=read_column_settings(self._session.settings())), table
        )
        return Scores(pairs, table.with_full_names())

    def judgements(self, corpus: str | int | None = None) -> list[Judgement]:
        """Return all judgements, each with pair, annotator and time; errors as in `scores`."""
        return self._session.judgements(find_entry(self._session, corpus).id)

    def close(self) -> None:
        """Close the file."""
        self._session.close()

    def __iter__(self) -> Iterator[Scores]:
        """Yield each corpus with its scores."""
        return (self.scores(entry.id) for entry in self._session.corpora())

    def __enter__(self) -> SavedSession:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def find_entry(session: Session, corpus: str | int | None = None) -> CorpusEntry:
    """Find a corpus of a session by its name or number; without either, return the only one.

    Raises:
        ParapluieError: There is no such corpus, or there are several.
    """
    entries = session.corpora()
    names = ", ".join(f'"{entry.name}"' for entry in entries)
    if not entries:
        raise SessionError("The session has no corpus. Open one in the window and save.")
    fitting = [entry for entry in entries if corpus is None or str(corpus) in (entry.name, str(entry.id))]
    if not fitting:
        raise SessionError(f'The session has no corpus "{corpus}". Choose among {names}.')
    if len(fitting) > 1:
        numbers = ", ".join(f"{entry.id} ({entry.name})" for entry in fitting)
        raise SessionError(f"The session has several corpora. Choose one by its number: {numbers}.")
    return fitting[0]


def open_session(path: str | PathLike[str]) -> SavedSession:
    """Open a session file that the window saved, for reading.

    Raises:
        ParapluieError: It is missing, damaged, not a session, or written by a newer version.
    """
    return SavedSession(path)

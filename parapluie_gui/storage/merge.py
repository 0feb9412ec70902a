"""Merges judgements from copies of a session: no answer is lost, and conflicting answers are reported."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from parapluie_gui.judgements.record import NOTE, UNNAMED, Judgement, latest_records
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.storage.session import Session

#: Prefix of the settings with annotators' answers about themselves.
ANNOTATOR = "annotator."


@dataclass(frozen=True)
class AnswerConflict:
    """Two different answers of one annotator to one question; the later one counts, the earlier stays in the history.

    Attributes:
        corpus, pair: The corpus's name and the pair's id.
        counts, other: The later and the earlier answer; None for a retracted answer.
    """

    corpus: str
    pair: str
    annotator: str
    question: str
    counts: str | None
    other: str | None

    def __str__(self) -> str:
        pair, annotator = f"{self.corpus}, pair {self.pair}", self.annotator or "unnamed"
        later, earlier = self.counts or "nothing", self.other or "nothing"
        return f"{pair}, {self.question} by {annotator}: {later} counts, {earlier} was answered earlier."


@dataclass
class MergedJudgements:
    """The result of a merge.

    Attributes:
        added: The number of new records.
        corpora: Names of the corpora that were added with all their pairs, because no corpus here has these pairs.
        renamed: The new name of the other session's unnamed annotator; "" if no name was needed.
        conflicts: The questions that an annotator answered differently in the two sessions.
    """

    added: int = 0
    corpora: list[str] = field(default_factory=list)
    renamed: str = ""
    conflicts: list[AnswerConflict] = field(default_factory=list)


def merge_judgements(into: Session, other: Session, name: str) -> MergedJudgements:
    """Add all judgements of another session, entirely or not at all.

    Args:
        into: The session that receives the records.
        other: The other session, which is only read.
        name: The new name of the other session's unnamed annotator, if both sessions have one and they disagree.
    """
    result = MergedJudgements()
    with into.transaction():
        for number, corpus, records in _judged_corpora(other):
            target = _same_pairs(into, corpus, {record.row for record in records})
            if target is None:
                result.corpora.append(corpus.name)
                added = into.add_corpus(other.corpus(number))
                result.added += into.add_judgements(added, records)
                continue
            here, rows = target
            moved = [replace(record, row=rows[record.row]) for record in records]
            mine = into.judgements(here, history=True)
            moved = _name_unnamed(mine, moved, name, result)
            result.conflicts += _conflicts(corpus, rows, mine, moved)
            result.added += into.add_judgements(here, moved)
        known = into.settings()
        for key, value in other.settings().items():
            if key.startswith(ANNOTATOR) and key not in known:
                into.set_setting(key, value)
    return result


def import_judgements(into: Session, number: int, records: Sequence[Judgement]) -> MergedJudgements:
    """Add answers from a file to a corpus, entirely or not at all; the later of two answers counts."""
    result = MergedJudgements()
    with into.transaction():
        corpus, mine = into.corpus(number), into.judgements(number, history=True)
        here = {row: row for row in range(len(corpus))}
        result.conflicts += _conflicts(corpus, here, mine, list(records))
        latest_here, latest_there = latest_records(mine), latest_records(records)
        known = {key for key, record in latest_here.items() if _same_answer(record, latest_there.get(key))}
        result.added = into.add_judgements(number, [record for record in records if record.key not in known])
    return result


def _same_answer(here: Judgement, there: Judgement | None) -> bool:
    return there is not None and here.answer == there.answer


def _judged_corpora(session: Session) -> Iterable[tuple[int, Corpus, list[Judgement]]]:
    for entry in session.corpora():
        if records := session.judgements(entry.id, history=True):
            yield entry.id, session.corpus(entry.id), records


def _same_pairs(into: Session, corpus: Corpus, wanted: set[int]) -> tuple[int, dict[int, int]] | None:
    """Return the number of a corpus with all wanted pairs, and their rows there; None if there is no such corpus."""
    for entry in into.corpora():
        known = into.corpus(entry.id)
        places = {_pair(known, row): row for row in range(len(known))}
        rows = {row: places[_pair(corpus, row)] for row in wanted if _pair(corpus, row) in places}
        if len(rows) == len(wanted):
            return entry.id, rows
    return None


def _pair(corpus: Corpus, row: int) -> tuple[str, str, str]:
    return corpus.id[row], corpus.source[row], corpus.hypothesis[row]


def _name_unnamed(
    mine: list[Judgement], theirs: list[Judgement], name: str, result: MergedJudgements
) -> list[Judgement]:
    """Name the unnamed annotator of the other session if the one here gave different answers."""
    here = {key: record.answer for key, record in latest_records(mine).items() if record.annotator == UNNAMED}
    there = {key: record.answer for key, record in latest_records(theirs).items() if record.annotator == UNNAMED}
    if not here or not there or all(here.get(key, answer) == answer for key, answer in there.items()):
        return theirs
    result.renamed = name
    return [replace(record, annotator=name) if record.annotator == UNNAMED else record for record in theirs]


def _conflicts(
    corpus: Corpus, rows: dict[int, int], mine: list[Judgement], theirs: list[Judgement]
) -> Iterable[AnswerConflict]:
    """Yield a conflict for each question whose last answers differ, unless one session also has the other's answer."""
    ids = {there: corpus.id[row] for row, there in rows.items()}
    here, there = latest_records(mine), latest_records(theirs)
    known_here, known_there = set(mine), set(theirs)
    for key in here.keys() & there.keys():
        ours, other = here[key], there[key]
        # If the other session also has this answer, it was changed there on purpose.
        if ours.answer == other.answer or ours in known_there or other in known_here:
            continue
        later, earlier = (ours, other) if ours.changed > other.changed else (other, ours)
        question = "note" if (ours.scheme, ours.question) == NOTE else ours.question
        yield AnswerConflict(corpus.name, ids[ours.row], ours.annotator, question, later.answer, earlier.answer)

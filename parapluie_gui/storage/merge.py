"""Merging judgements from copies of a session: no answer is lost, and pairs answered twice are reported."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from parapluie_gui.judgements.record import NOTE, UNNAMED, Judgement, latest_records
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.storage.session import Session

#: Beginning of the settings that say what annotators answered about themselves.
ANNOTATOR = "annotator."


@dataclass(frozen=True)
class Conflict:
    """Two different answers of one annotator to one question; the later one counts, the other stays in the history.

    Attributes:
        corpus, pair: The corpus's name and the pair's id.
        counts, other: The answer that counts and the other one; None where it was taken back.
    """

    corpus: str
    pair: str
    annotator: str
    question: str
    counts: str | None
    other: str | None

    def __str__(self) -> str:
        who, kept, lost = (text or "nothing" for text in (self.annotator or "unnamed", self.counts, self.other))
        return f"{self.corpus}, pair {self.pair}, {self.question} by {who}: {kept} counts, {lost} was answered before."


@dataclass
class MergedJudgements:
    """What a merge did.

    Attributes:
        added: Records that were not there already.
        corpora: Names of corpora that were added whole, because nothing here has their pairs.
        renamed: The name that the other session's nameless annotator has now, "" where that was not needed.
        conflicts: What was answered twice.
    """

    added: int = 0
    corpora: list[str] = field(default_factory=list)
    renamed: str = ""
    conflicts: list[Conflict] = field(default_factory=list)


def merge_judgements(into: Session, other: Session, name: str) -> MergedJudgements:
    """Add everything that people said in another session; all of it or nothing.

    Args:
        into: Gets the records.
        other: Is only read.
        name: What the other session's nameless annotator is called if both sessions have one and they differ.
    """
    result = MergedJudgements()
    with into.transaction():
        for number, corpus, records in _judged(other):
            target = _same_pairs(into, corpus, {record.row for record in records})
            if target is None:
                result.corpora.append(corpus.name)
                added = into.add_corpus(other.corpus(number))
                result.added += into.add_judgements(added, records)
                continue
            here, rows = target
            moved = [replace(record, row=rows[record.row]) for record in records]
            mine = into.judgements(here, history=True)
            moved = _apart(mine, moved, name, result)
            result.conflicts += _conflicts(corpus, rows, mine, moved)
            result.added += into.add_judgements(here, moved)
        known = into.settings()
        for key, value in other.settings().items():
            if key.startswith(ANNOTATOR) and key not in known:
                into.set_setting(key, value)
    return result


def import_judgements(into: Session, number: int, records: Sequence[Judgement]) -> MergedJudgements:
    """Add answers out of a file to a corpus of a session; all of them or nothing, and of two the later one counts."""
    result = MergedJudgements()
    with into.transaction():
        corpus, mine = into.corpus(number), into.judgements(number, history=True)
        here = {row: row for row in range(len(corpus))}
        result.conflicts += _conflicts(corpus, here, mine, list(records))
        latest_here = latest_records(mine)
        new = [each for each in records if (old := latest_here.get(each.key)) is None or old.answer != each.answer]
        result.added = into.add_judgements(number, new)
    return result


def _judged(session: Session) -> Iterable[tuple[int, Corpus, list[Judgement]]]:
    for entry in session.corpora():
        if records := session.judgements(entry.id, history=True):
            yield entry.id, session.corpus(entry.id), records


def _same_pairs(into: Session, corpus: Corpus, wanted: set[int]) -> tuple[int, dict[int, int]] | None:
    """Return the corpus that has the wanted pairs of another one, and their rows there; None if none has all."""
    for entry in into.corpora():
        known = into.corpus(entry.id)
        places = {_pair(known, row): row for row in range(len(known))}
        rows = {row: places[_pair(corpus, row)] for row in wanted if _pair(corpus, row) in places}
        if len(rows) == len(wanted):
            return entry.id, rows
    return None


def _pair(corpus: Corpus, row: int) -> tuple[str, str, str]:
    return corpus.id[row], corpus.source[row], corpus.hypothesis[row]


def _apart(mine: list[Judgement], theirs: list[Judgement], name: str, result: MergedJudgements) -> list[Judgement]:
    """Name the unnamed annotator of the other session where that is another person than the one here."""
    here = {key: record.answer for key, record in latest_records(mine).items() if record.annotator == UNNAMED}
    there = {key: record.answer for key, record in latest_records(theirs).items() if record.annotator == UNNAMED}
    if not here or not there or all(here.get(key, answer) == answer for key, answer in there.items()):
        return theirs
    result.renamed = name
    return [replace(record, annotator=name) if record.annotator == UNNAMED else record for record in theirs]


def _conflicts(
    corpus: Corpus, rows: dict[int, int], mine: list[Judgement], theirs: list[Judgement]
) -> Iterable[Conflict]:
    """Yield the questions whose last answers differ though neither session knows the other's."""
    ids = {there: corpus.id[row] for row, there in rows.items()}
    here, there = latest_records(mine), latest_records(theirs)
    known_here, known_there = set(mine), set(theirs)
    for key in here.keys() & there.keys():
        ours, other = here[key], there[key]
        # An answer that the other session knows too was changed there on purpose.
        if ours.answer == other.answer or ours in known_there or other in known_here:
            continue
        counts, lost = (ours, other) if ours.changed > other.changed else (other, ours)
        what = "note" if (ours.scheme, ours.question) == NOTE else ours.question
        yield Conflict(corpus.name, ids[ours.row], ours.annotator, what, counts.answer, lost.answer)

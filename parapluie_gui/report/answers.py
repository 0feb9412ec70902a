"""All answers of a session as a table with a row for each, for `parapluie judgements export`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from parapluie_gui import places
from parapluie_gui.judgements.columns import shown_name
from parapluie_gui.judgements.record import Judgement
from parapluie_gui.judgements.scheme import Answer, find_scheme, load_schemes
from parapluie_gui.pairs.column import Column, TextColumn, typed
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus
from parapluie_gui.storage.merge import ANNOTATOR
from parapluie_gui.storage.session import Session


def answers_table(session: Session, history: bool = False) -> Corpus:
    """Return the answers and notes as rows: the pair's sentences, who was asked what, the answer, and when.

    `label` is what the answer says of being a paraphrase, `value` its place on its scale, `assessment` what the
    annotator answered about themselves.

    Args:
        session: The session.
        history: Also answers that were changed later or taken back, which have an empty answer.
    """
    schemes = load_schemes(places.user_schemes())[0]
    assessments = _assessments(session.settings())
    rows: list[tuple[Corpus, str, Judgement, Answer | None]] = []
    for entry in session.corpora():
        if records := session.judgements(entry.id, history=history):
            corpus = session.corpus(entry.id)
            for record in sorted(records, key=lambda record: (record.row, record.annotator, record.changed)):
                scheme = find_scheme(record.scheme, schemes)
                question = None if scheme is None else scheme.question(record.question)
                answer = None if question is None else question.answer(record.answer or "")
                if record.row < len(corpus):
                    rows.append((corpus, entry.name, record, answer))
    texts: dict[str, list[str | None]] = {
        "corpus": [name for _, name, _, _ in rows],
        "pair": [corpus.id[record.row] for corpus, _, record, _ in rows],
        "annotator": [shown_name(record.annotator) for _, _, record, _ in rows],
        "assessment": [assessments.get((record.annotator, record.scheme)) for _, _, record, _ in rows],
        "scheme": [record.scheme or None for _, _, record, _ in rows],
        "question": [record.question for _, _, record, _ in rows],
        "answer": [answer.word if answer is not None else record.answer for _, _, record, answer in rows],
        "time": [record.changed.isoformat(timespec="seconds") for _, _, record, _ in rows],
    }
    extra: dict[str, Column] = {name: TextColumn(cells) for name, cells in texts.items()}
    extra["value"] = typed([None if answer is None else answer.value for *_, answer in rows])
    labels = [UNLABELLED if answer is None or answer.label is None else answer.label for *_, answer in rows]
    return Corpus(
        name="judgements",
        id=[str(number + 1) for number in range(len(rows))],
        source=[corpus.source[record.row] for corpus, _, record, _ in rows],
        hypothesis=[corpus.hypothesis[record.row] for corpus, _, record, _ in rows],
        label=np.array(labels, dtype=np.int8),
        extra=extra,
    )


def _assessments(settings: Mapping[str, object]) -> dict[tuple[str, str], str]:
    """Return what annotators answered about themselves, by their name and the scheme."""
    found = {}
    for key, value in settings.items():
        if key.startswith(ANNOTATOR) and isinstance(value, dict):
            for scheme, answer in value.items():
                found[key.removeprefix(ANNOTATOR), str(scheme)] = str(answer)
    return found

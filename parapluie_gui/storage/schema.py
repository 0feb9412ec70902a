"""The tables of the two kinds of file that hold scores: the user's score store and session files."""

from __future__ import annotations

from parapluie_gui.storage.checksum import NAME, checksum_columns
from parapluie_gui.storage.database import FileFormat

#: By table, its checksum columns and the columns each covers. They precede the large columns, so that a checksum can be
#: read without reading those.
SUMS = {
    "signature": {"sum": "id, key, json, latest, frame"},
    "batch": {
        "keys_sum": "id, signature, pairs, keys",
        "numbers_sum": "id, signature, pairs, numbers",
        "evidence_sum": "id, signature, pairs, evidence",
    },
    "corpus": {
        "sum": "id, name, path, layout, position, pairs, columns, extra, aside",
        "keys_sum": "id, keys, reference_keys",
        "label_sum": "id, label",
        "human_sum": "id, human",
    },
    "piece": {"sum": "corpus, name, place, texts"},
    "judgement": {"sum": "corpus, row, annotator, scheme, question, changed, answer"},
    "selection": {"sum": "corpus, name, rows"},
    "setting": {"sum": "key, value"},
    "bench": {"sum": "place, entry"},
}


def intact(table: str, sum: str = "sum") -> str:
    """Return the SQL condition for the columns of a checksum being unchanged since they were written."""
    return f"{table}.{sum} IS {NAME}({', '.join(f'{table}.{column}' for column in SUMS[table][sum].split(', '))})"


#: By table, an SQL condition that every record written by this program meets; files from elsewhere may violate it.
VALID = {
    "signature": "typeof(json) = 'text' AND typeof(frame) IN ('text', 'null')",
    "batch": """typeof(pairs) = 'integer' AND typeof(keys) = 'blob' AND length(keys) = 16 * pairs
        AND typeof(numbers) = 'blob' AND length(numbers) IN (8 * pairs, 24 * pairs)""",
    "corpus": """typeof(pairs) = 'integer' AND typeof(position) = 'integer' AND typeof(name) IN ('text', 'blob')
        AND typeof(path) IN ('text', 'blob', 'null') AND typeof(layout) = 'text'
        AND typeof(keys) = 'blob' AND length(keys) = 16 * pairs
        AND (reference_keys IS NULL OR typeof(reference_keys) = 'blob' AND length(reference_keys) = 16 * pairs)
        AND (label IS NULL OR typeof(label) = 'blob' AND length(label) = pairs)
        AND (human IS NULL OR typeof(human) = 'blob' AND length(human) = 8 * pairs)""",
    "piece": "typeof(texts) = 'blob'",
    "judgement": """typeof(row) = 'integer' AND row >= 0 AND typeof(changed) = 'text'
        AND row < (SELECT pairs FROM corpus WHERE corpus.id = judgement.corpus)
        AND typeof(annotator) IN ('text', 'blob') AND typeof(scheme) IN ('text', 'blob')
        AND typeof(question) IN ('text', 'blob') AND typeof(answer) IN ('text', 'blob', 'null')""",
    "selection": "typeof(name) = 'text' AND typeof(rows) = 'blob' AND length(rows) % 8 = 0",
    "setting": "typeof(key) = 'text' AND typeof(value) = 'text'",
    "bench": "typeof(entry) = 'text'",
}

#: `latest` orders the signatures by their last use; `frame` is the prompt around the sentences, if there is a prompt. A
#: `batch` has the scores of `pairs` pairs: `keys` are their concatenated `pair_key` values, `numbers` the scores as
#: little-endian float64, followed by all p(yes) and all p(no) if there are any, and `evidence` a JSON list. The scores
#: of a pair in a later batch replace those in earlier ones.
SCORE_TABLES = f"""
CREATE TABLE signature (
    id INTEGER PRIMARY KEY,
    {checksum_columns(SUMS["signature"])},
    key TEXT NOT NULL UNIQUE,
    json TEXT NOT NULL,
    latest INTEGER NOT NULL,
    frame TEXT
);
CREATE TABLE batch (
    id INTEGER PRIMARY KEY,
    {checksum_columns(SUMS["batch"])},
    signature INTEGER NOT NULL REFERENCES signature (id),
    pairs INTEGER NOT NULL,
    keys BLOB NOT NULL,
    numbers BLOB NOT NULL,
    evidence TEXT
);
CREATE INDEX batch_of_signature ON batch (signature)
"""

#: A closed corpus has `~position` as its `position`, which is below 0: it may be opened again. In a `corpus`, `columns`
#: names its optional columns of text and its annotators' columns (see `corpora.py`), `extra` its other columns; `keys`
#: and `reference_keys` are the pairs' `pair_key` values without and with the reference (zeros without a reference),
#: `label` is int8 and `human` float64. Columns of text are stored in pieces (see `corpora.py`) under the `name` of the
#: column, or "extra" and its number. A `judgement` never changes: a later one on the same question replaces it (see
#: `judgements.py`).
SESSION_TABLES = f"""
CREATE TABLE corpus (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    {checksum_columns(SUMS["corpus"])},
    name TEXT NOT NULL,
    path TEXT,
    layout TEXT NOT NULL,
    position INTEGER NOT NULL,
    pairs INTEGER NOT NULL,
    columns TEXT NOT NULL,
    extra TEXT NOT NULL,
    aside TEXT NOT NULL,
    keys BLOB NOT NULL,
    reference_keys BLOB,
    label BLOB,
    human BLOB
);
CREATE TABLE piece (
    corpus INTEGER NOT NULL REFERENCES corpus (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    place INTEGER NOT NULL,
    {checksum_columns(SUMS["piece"])},
    texts BLOB NOT NULL,
    PRIMARY KEY (corpus, name, place)
);
CREATE TABLE judgement (
    corpus INTEGER NOT NULL REFERENCES corpus (id) ON DELETE CASCADE,
    row INTEGER NOT NULL,
    annotator TEXT NOT NULL,
    scheme TEXT NOT NULL,
    question TEXT NOT NULL,
    changed TEXT NOT NULL,
    {checksum_columns(SUMS["judgement"])},
    answer TEXT,
    PRIMARY KEY (corpus, row, annotator, scheme, question, changed)
) WITHOUT ROWID;
CREATE TABLE selection (
    corpus INTEGER NOT NULL REFERENCES corpus (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    {checksum_columns(SUMS["selection"])},
    rows BLOB NOT NULL,
    PRIMARY KEY (corpus, name)
) WITHOUT ROWID;
CREATE TABLE setting (
    key TEXT PRIMARY KEY,
    {checksum_columns(SUMS["setting"])},
    value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE bench (
    place INTEGER PRIMARY KEY,
    {checksum_columns(SUMS["bench"])},
    entry TEXT NOT NULL
)
"""


def _rules(*tables: str) -> dict[str, tuple[str, str]]:
    return {table: (VALID[table], " AND ".join(intact(table, sum) for sum in SUMS[table])) for table in tables}


STORE = FileFormat(
    application_id=0x504C5343,  # "PLSC"
    version=3000,
    schema=SCORE_TABLES,
    noun="score store",
    rules=_rules("signature", "batch"),
)

#: Includes the tables of scores, so that a worker can write into a session as into a store.
SESSION = FileFormat(
    application_id=0x504C5549,  # "PLUI"
    version=4000,
    schema=f"{SCORE_TABLES};{SESSION_TABLES}",
    noun="session file",
    rules=_rules(*SUMS),
)

"""Files that version 0.1.0 wrote (`written/`) open with everything in them; those of other versions are refused."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from damage import BLEU, content, fill

from parapluie_gui.errors import SessionError
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.storage.database import FileFormat
from parapluie_gui.storage.schema import SESSION, STORE
from parapluie_gui.storage.session import Session
from parapluie_gui.storage.store import ScoreStore

WRITTEN = Path(__file__).with_name("written")
PLUIE = Signature.from_fields("pluie.direct", {"name": "pluie", "template": "direct"})


@pytest.fixture
def folder(tmp_path) -> Path:
    return Path(shutil.copytree(WRITTEN, tmp_path / "written"))


def test_a_session_of_version_0_1_0_opens(folder, tmp_path):
    with Session.open(tmp_path / "new.pluie", create=True) as session:
        fill(session)
        expected = content(session)
    for _ in range(2):
        with Session.open(folder / "session.pluie") as session:
            assert list(session.notices) == [] and session.document == folder / "session.pluie"
            result = content(session)
            assert result["bench"] == expected["bench"]
            assert result["settings"] == {"view.1": {"x": "bleu"}, "talk": {"title": "A talk"}}
            assert result["mine"][:4] == expected["mine"][:4] and result["mine"][5:] == expected["mine"][5:]
            assert {row: (note.text, note.verdict) for row, note in session.notes(1).items()} == {
                1: ("Träume", "same_meaning")
            }
            second = session.corpus(2)
            assert second.source == ["nul\0 and half \ud83d", "Ça va ?"] and second.path == Path("/data/second.tsv")
            assert list(second.reference) == ["r", None] and list(second.group) == ["g", None]
            np.testing.assert_array_equal(second.human, [0.5, np.nan])
            assert second.extra["genre"] == ["news", None] and second.numbers("rank").tolist() == [1, 2.5]
            (answer,) = session.judgements(2)
            assert (answer.row, answer.annotator, answer.answer) == (0, "Ada", "same_meaning")
            session.set_setting("opened", None)
            session.drop_setting("opened")


def test_a_store_of_version_0_1_0_opens(folder):
    keys = [pair_key(f"source {row}", f"hypothesis {row}") for row in range(4)]
    with ScoreStore(folder / "scores.sqlite") as store:
        store._database.check()
        np.testing.assert_array_equal(store.known(BLEU, keys).value, [0.0, 0.5, np.nan, np.nan])
        assert store.known(BLEU, keys).known.tolist() == [True, True, True, False]
        known = store.known(PLUIE, keys[:2])
        assert (known.value.tolist(), known.p_yes.tolist(), known.p_no.tolist()) == (
            [1.5, -2.25],
            [0.9, 0.1],
            [0.05, 0.8],
        )
        assert store.evidence(PLUIE, keys[:2]) == ["Because.", None] and store.frame(PLUIE) == "Question: {}"
        assert store.signatures() == [BLEU, PLUIE]


def test_tables_of_version_0_1_0_open(folder):
    first = read_signatures(folder / "scored.csv")
    assert dict(first["bleu"].fields)["name"] == "bleu" and read_signatures(folder / "scored.parquet") == first


@pytest.mark.parametrize(("name", "form"), [("session.pluie", SESSION), ("scores.sqlite", STORE)])
@pytest.mark.parametrize(("step", "words"), [(1, "newer version of ParaPLUIE Inspector. Update"), (-1, "before 0.1.0")])
def test_files_of_other_versions_are_refused_and_unchanged(
    tmp_path, name: str, form: FileFormat, step: int, words: str
):
    path = tmp_path / name
    with Session.connect(path, create=True) if form is SESSION else ScoreStore(path):
        pass
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version={form.version + step}")
    before = path.read_bytes()
    with pytest.raises(SessionError, match=rf"^{name} was written by .*{words}") as refused:
        Session.connect(path) if form is SESSION else ScoreStore(path)
    assert "Export what you need" in str(refused.value) or step == 1
    assert path.read_bytes() == before

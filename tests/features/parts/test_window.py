"""A folder of parts in the window: Reload appends new parts and keeps notes and verdicts."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pandas
import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent

from parapluie_gui.features.parts import listing
from parapluie_gui.features.parts import reading as parts_reading
from parapluie_gui.features.parts.shard import PartsJob, score_shard
from parapluie_gui.pairs.reading.large import read_sample
from parapluie_gui.ui.window.main import MainWindow
from parapluie_gui.work.scoring_plan import ScoringPlan

PART = 10


@pytest.fixture(scope="module")
def scored(tmp_path_factory) -> list[Path]:
    """The manifest and the six parts of a corpus, the second of which contains no pair."""
    folder = tmp_path_factory.mktemp("scored")
    rows = range(6 * PART)
    frame = pandas.DataFrame(
        {
            "source": [f"The cat number {row} sleeps on mat {row * 7 % 13}." for row in rows],
            "hypothesis": ["" if PART <= row < 2 * PART else f"Cat {row} is asleep." for row in rows],
            "label": [row % 2 for row in rows],
            "year": [str(2000 + row) if row < 4 * PART else "unknown" for row in rows],
        }
    )
    frame.to_parquet(folder / "pairs.parquet")
    score_shard(PartsJob(folder / "pairs.parquet", folder / "parts", ScoringPlan(("edit_distance",)), PART), 1, 1)
    return sorted((folder / "parts").iterdir(), key=lambda path: (path.suffix != ".json", path.name))


def put(folder: Path, *files: Path) -> None:
    """Make files appear as the writer does: under a temporary name, then renamed."""
    folder.mkdir(exist_ok=True)
    for file in files:
        shutil.copy(file, folder / f".{file.name}")
        (folder / f".{file.name}").rename(folder / file.name)


def drop(window: MainWindow, folder: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(folder))])
    some = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    window.dropEvent(QDropEvent(QPoint(5, 5), *some))


def pairs(window: MainWindow) -> int:
    return 0 if window.workspace.corpus is None else len(window.workspace.corpus)


def reload(window: MainWindow, qtbot) -> None:
    window.actions_by_name["files.reload"].trigger()
    qtbot.waitUntil(lambda: not window.state.queue.busy, timeout=20_000)


def test_reload_adds_new_parts(open_window, qtbot, scored, tmp_path):
    manifest, first, empty, third, fourth, fifth, last = scored
    folder = tmp_path / "parts"
    put(folder, manifest)
    window = open_window()
    drop(window, folder)
    qtbot.waitUntil(lambda: "its parts have no pairs yet. Open it again" in window.banner.text, timeout=20_000)
    put(folder, first, empty)
    window.files.open_paths([folder])
    qtbot.waitUntil(lambda: pairs(window) == PART, timeout=20_000)
    assert "2 of 6 parts. Reload to add new parts." in window.setup.corpus.text()
    workspace = window.workspace
    assert workspace.table.count_scores("edit_distance") == PART and workspace.table.signatures["edit_distance"]
    workspace.selection.set_primary(7)
    window.pair.verdict._note.setPlainText("half a no")
    put(folder, fourth, third)
    reload(window, qtbot)
    assert pairs(window) == 3 * PART and workspace.table.count_scores("edit_distance") == 3 * PART
    assert workspace.corpus.id[PART::PART] == ["21", "31"], "loaded parts are in corpus order"
    assert "4 of 6 parts" in window.setup.corpus.text()
    workspace.selection.set_primary(7)
    assert window.pair.verdict.text == "half a no", "the note is kept"

    # A numeric column becomes text if a later part has text in it.
    assert workspace.values("year") is not None
    put(folder, last)
    reload(window, qtbot)
    assert pairs(window) == 4 * PART and workspace.corpus.extra["year"].cells()[:: 4 * PART - 1] == ["2000", "unknown"]

    # A second window continues where this one is closed; the last part arrives in between.
    window.close()
    put(folder, fifth)
    later = open_window()
    later.state.corpora.show_last()
    qtbot.waitUntil(lambda: pairs(later) == 4 * PART, timeout=20_000)
    assert "5 of 6 parts" in later.setup.corpus.text()
    reload(later, qtbot)
    assert pairs(later) == 5 * PART and "All 6 parts" in later.setup.corpus.text()
    # Opening the folder again does not add a corpus.
    later.files.open_paths([folder])
    qtbot.waitUntil(lambda: not later.state.queue.busy, timeout=20_000)
    assert pairs(later) == 5 * PART and len(later.state.corpora.entries) == 1
    later.state.corpora.open_demo()
    qtbot.waitUntil(lambda: later.state.corpora.names()[1] == 1, timeout=20_000)
    assert "parts" not in later.setup.corpus.text()
    reload(later, qtbot)
    assert "Only folders of parts and large files can be read again." in later.banner.text


def test_damaged_and_foreign_files_are_reported_and_skipped(open_window, qtbot, scored, tmp_path):
    manifest, first, _, third, *_ = scored
    folder = tmp_path / "parts"
    put(folder, manifest, first)
    (folder / third.name).write_bytes(third.read_bytes()[:-90])
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    window = open_window()
    said: list[str] = []
    window.state.corpora.warned.connect(said.append)
    window.files.open_paths([folder])
    qtbot.waitUntil(lambda: len(said) == 2, timeout=20_000)
    assert third.name in said[0] and "is damaged" in said[0] and said[1].startswith("notes.txt in the folder of parts")
    assert pairs(window) == PART and "1 of 6 parts" in window.setup.corpus.text()
    put(folder, third)  # its shard ran again
    reload(window, qtbot)
    assert pairs(window) == 2 * PART and len(said) == 3 and said[2] == said[1]
    (folder / manifest.name).unlink()
    reload(window, qtbot)
    assert pairs(window) == 2 * PART and folder.name in window.banner.text


def test_undoing_added_pairs_keeps_loaded_parts(open_window, qtbot, scored, tmp_path):
    manifest, first, _, third, *_ = scored
    folder = tmp_path / "parts"
    put(folder, manifest, first)
    window = open_window()
    window.files.open_paths([folder])
    qtbot.waitUntil(lambda: pairs(window) == PART, timeout=20_000)
    corpora = window.state.corpora
    corpora.collect(corpora.number, window.workspace.corpus.take([0], "Bench"), lambda first: ())
    qtbot.waitUntil(lambda: pairs(window) == PART + 1, timeout=20_000)
    put(folder, third)
    reload(window, qtbot)
    assert pairs(window) == 2 * PART + 1
    window.state.history.undo()
    qtbot.waitUntil(lambda: pairs(window) == PART, timeout=20_000)
    reload(window, qtbot)
    assert pairs(window) == 2 * PART


def test_a_large_folder_shows_a_sample(open_window, qtbot, scored, tmp_path, monkeypatch):
    monkeypatch.setattr(parts_reading, "MOST_PAIRS", 3 * PART)
    monkeypatch.setattr(listing, "read_sample", partial(read_sample, size=20))
    folder = tmp_path / "parts"
    put(folder, *scored)
    window = open_window()
    window.files.open_paths([folder])
    qtbot.waitUntil(lambda: pairs(window) > 0, timeout=20_000)
    workspace = window.workspace
    assert 0 < pairs(window) <= 20 and workspace.sample_origin.pairs == 5 * PART
    assert "A uniform sample of 50 pairs (seed 0)" in window.setup.corpus.text()
    assert workspace.table.signatures["edit_distance"] and workspace.table.count_scores("edit_distance") == pairs(
        window
    )

    scatter = window.scatter
    scatter.canvas.points._limit = 5
    workspace.set_axes(x="label", y="edit_distance")
    qtbot.waitUntil(lambda: scatter.cloud.density is not None, timeout=20_000)
    density = scatter.cloud.density
    assert density.pairs == 5 * PART and density.counts.sum(axis=(1, 2)).tolist() == [25, 25, 0]
    scatter.canvas.points._refill()
    assert scatter.canvas.points.dense and scatter.canvas.points.largest == density.counts.sum(axis=0).max()
    assert "density of 50 pairs" in scatter.whole.note(scatter.cloud, True)
    workspace.selection.set_rows("some", np.array([0, 1]))
    scatter._rebuild()
    assert "a uniform sample of" in scatter.whole.note(scatter.cloud, True), "a selection shows the sample's density"

    # Computed columns have no density of the complete folder; the session restores the sample.
    workspace.selection.set_rule(None)
    workspace.set_axes(x="length")
    qtbot.waitUntil(lambda: scatter.whole._task is None, timeout=20_000)
    assert scatter.cloud.density is None and "being counted" not in scatter.whole.note(scatter.cloud, True)
    before = pairs(window)
    window.close()
    later = open_window()
    later.state.corpora.show_last()
    qtbot.waitUntil(lambda: pairs(later) == before, timeout=20_000)
    assert later.workspace.sample_origin == workspace.sample_origin
    reload(later, qtbot)
    assert pairs(later) == before and len(later.state.corpora.entries) == 1, "no new parts, so the sample is unchanged"


def test_damaged_parts_of_a_large_folder_are_reported_and_skipped(open_window, qtbot, scored, tmp_path, monkeypatch):
    """One truncated, one under a wrong name, and one with a flipped bit in its sentences."""
    monkeypatch.setattr(parts_reading, "MOST_PAIRS", 2 * PART)
    _, first, _, third, fourth, fifth, _ = scored
    folder = tmp_path / "parts"
    put(folder, *scored)
    (folder / first.name).write_bytes(first.read_bytes()[:-90])
    (folder / third.name).unlink()
    exchanged = folder / f"part-00002-{fourth.name[11:]}"
    shutil.copy(fourth, exchanged)
    flipped = bytearray(fifth.read_bytes())
    flipped[flipped.index(b"The cat number 4") + 4] ^= 1
    (folder / fifth.name).write_bytes(flipped)
    window = open_window()
    said: list[str] = []
    window.state.corpora.warned.connect(said.append)
    window.files.open_paths([folder])
    qtbot.waitUntil(lambda: len(said) == 3, timeout=20_000)
    for words in ((first.name, "is damaged"), (exchanged.name, "under another name"), (fifth.name, "is damaged")):
        assert any(all(word in sentence for word in words) for sentence in said), words
    assert pairs(window) == 2 * PART and all("fat" not in text.split() for text in window.workspace.corpus.source)

"""Column names come from untrusted files: no command reads a metric file that such a name mentions."""

from __future__ import annotations

import contextlib
import csv

import pytest

from parapluie_gui.commands.catalogue import commands
from parapluie_gui.commands.main import main
from parapluie_gui.metrics import catalogue, user

SENTENCES = [f"the {word} sleeps in the sun" for word in ("cat", "dog", "bird", "fish", "cow")]


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """A table with a score column named like a metric file that fails the test when opened."""
    evil = tmp_path / "evil.py"
    evil.write_text("raise SystemExit('ran')\n")
    monkeypatch.setattr(user.UserMetric, "__init__", lambda self, argument: pytest.fail(f"{argument} was opened"))
    path = tmp_path / "pairs.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("id", "source", "hypothesis", "label", "human", f"user:{evil}", "bleu"))
        for row in range(20):
            texts = (SENTENCES[row % 5], SENTENCES[row % 4].replace("sun", "rain"))
            writer.writerow((row, *texts, row % 2, row % 5, row / 20, row % 7 / 7))
    return path


def test_a_column_becomes_a_metric_only_where_metrics_may_run(hostile):
    assert catalogue.metric_of_column(f"user:{hostile.with_name('evil.py')}") is None
    assert catalogue.metric_of_column("user:") is None and catalogue.metric_of_column("nothing") is None
    assert catalogue.metric_of_column("external:bleu") is None
    bleu = catalogue.metric_of_column("bleu")
    assert bleu is not None and bleu.info.id == "bleu"


@pytest.mark.parametrize("command", sorted(commands().keys() - {"gui", "doctor", "train-judge", "pem"}))
def test_no_command_opens_the_named_file(command, hostile, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    column = f"user:{hostile.with_name('evil.py')}"
    arguments = {
        "analyse": ["--score", column, "--out", str(tmp_path / "out")],
        "share": ["-o", str(tmp_path / "page.html"), "--licence", "x", "--score", column],
        "errors": ["--score", column],
        "meta": ["--score", column],
        "paraphrasus": ["--score", f"{column}=0.5"],
        "replicate": ["--data", str(tmp_path)],
    }
    with contextlib.suppress(SystemExit):  # a command with different arguments
        main([command, str(hostile), *arguments.get(command, [])])
    assert "Internal error" not in capsys.readouterr().err

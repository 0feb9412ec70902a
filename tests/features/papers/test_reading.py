"""The papers' commands read corpora like the other commands, and count skipped rows."""

from __future__ import annotations

import pytest

from parapluie_gui.commands.main import main


@pytest.mark.parametrize(("more", "rows"), [("", "1 row was"), (",d,\n", "2 rows were")])
@pytest.mark.parametrize("command", [["meta", "TRUE.csv"], ["paraphrasus", "TRUE.csv", "--score", "bleu=0.5"]])
def test_skipped_rows_are_counted(tmp_path, monkeypatch, capsys, command, more, rows):
    monkeypatch.chdir(tmp_path)
    lines = f"source,hypothesis,human,bleu\na,b,1,0.5\nc,,2,0.5\nd,e,3,0.25\n{more}"
    (tmp_path / "TRUE.csv").write_text(lines, encoding="utf-8")
    assert main(command) == 0
    assert capsys.readouterr().err == f"parapluie: TRUE: {rows} skipped (line 3: no hypothesis).\n"

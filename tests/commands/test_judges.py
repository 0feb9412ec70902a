"""Several judges in one command: each has a column, in files and in analyses."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from masked_models import save_masked

import parapluie_gui as pp
from parapluie_gui.api.judges import choose_judges
from parapluie_gui.commands.main import main
from parapluie_gui.errors import ParapluieError

PAIRS = "source,hypothesis,label\nThe cat sat.,The cat sat on the mat.,1\nThe cat sat.,Is the weather fine?,0\n"


@pytest.fixture(scope="module")
def judges(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("judges")
    return str(save_masked(folder / "One")), str(save_masked(folder / "Two-7B", family="distilbert"))


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    path.write_text(PAIRS)
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = main(list(map(str, arguments)))
    out, err = capsys.readouterr()
    return status, out, err


def columns(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return [name for name in next(csv.reader(file)) if name.startswith("pluie.") and ".p_" not in name]


def test_each_judge_has_a_column_that_every_command_reads(capsys, pairs, judges, tmp_path):
    one, two = judges
    scored = tmp_path / "scored.csv"
    status, out, err = run(
        capsys, "score", pairs, "-o", scored, "--judge", f"{one}=CLOZE,reverse,CLOZE", "--judge", two
    )
    assert status == 0, err
    named = ["pluie.cloze@one.reverse", "pluie.cloze@one", "pluie.cloze@two-7b"]
    assert columns(scored) == [*named, "pluie.cloze@one.gap"] and "2 pairs, 5 scores" in out

    _, alone, _ = run(capsys, "score", pairs, "-o", tmp_path / "alone.csv", "--judge", two)
    assert columns(tmp_path / "alone.csv") == ["pluie.cloze"] and "pluie.cloze " in alone

    status, out, err = run(capsys, "analyse", scored, "--only", "compare", "--score", named[1], "--score", named[2])
    assert status == 0 and "CLOZE · One" in out and "CLOZE · Two-7B" in out, err
    status, _, err = run(capsys, "analyse", scored, "--score", "pluie.cloze")
    assert status == 2
    assert "pluie.cloze is the score of 2 judges, pluie.cloze@one and pluie.cloze@two-7b. Write one of these" in err

    # A score in an earlier file still means the judge that made it, even next to a second judge.
    status, _, err = run(capsys, "score", tmp_path / "alone.csv", "-o", tmp_path / "more.csv", "--judge", one)
    assert status == 0, err
    status, out, err = run(capsys, "analyse", tmp_path / "alone.csv", "--score", "pluie.cloze@two-7b")
    assert status == 0 and "CLOZE" in out, err


def test_several_judges_can_be_used_in_python(pairs, judges):
    scores = pp.score(pairs, judge=list(judges), progress=False)
    assert list(scores) == ["pluie.cloze@one", "pluie.cloze@two-7b"]
    assert scores["pluie.cloze@one"][0] == pp.score(pairs, judge=judges[0], progress=False)["pluie.cloze"][0]
    assert "pluie.direct" not in scores
    with pytest.raises(KeyError, match="score of 2 judges"):
        _ = scores["pluie.cloze"]


def test_judges_get_the_templates_they_support(judges):
    one, two = judges
    chosen = choose_judges([f"{one}@float32", f"{two}=CLOZE"], ["CLOZE,reverse"])
    assert [(each.judge.precision, [template.name for template in each.templates]) for each in chosen] == [
        ("float32", ["CLOZE,reverse"]),
        ("auto", ["CLOZE"]),
    ]


@pytest.mark.parametrize(
    ("named", "templates", "words"),
    [
        (["{0}", "{0}"], [], "is named twice. Name it once"),
        (["{0}", "{1}"], ["DIRECT"], "None of the judges can use the template DIRECT"),
        (["{0}=DIRECT", "{1}"], [], "fills gaps in texts, and DIRECT is a conversation"),
        (["{0}=CLOZ", "{1}"], [], "There is no template CLOZ"),
        (["{0}", "no-such-judge"], [], "no-such-judge"),
    ],
)
def test_impossible_combinations_are_refused_in_one_sentence(judges, named, templates, words):
    with pytest.raises(ParapluieError, match=words):
        choose_judges([each.format(*judges) for each in named], templates)

"""The manual's commands with printed figures run on the published files and print those figures."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from parapluie_gui import manual
from parapluie_gui.commands.main import main
from parapluie_gui.features.papers.printed import PAPERS, printed_paper

PAGE = next(page for page in manual.pages() if page.name == "papers")
SLOW = re.compile(r"# (needs|takes) .+")
#: Pages whose output depends on the computer: checks of the installation, and a file for a cluster.
ELSEWHERE = ("doctor", "cluster")
#: Pages whose blocks build on each other: they run in one folder, as for a reader.
IN_ORDER = ("tutorial", "case-study")


def blocks() -> list[str]:
    """Return the commands and the printed lines of each block; some blocks give a reason why they are slow."""
    result: list[str] = []
    for page in manual.pages():
        own = re.findall(r"```bash\n(.*?)```", page.text, flags=re.DOTALL)
        if page.name in IN_ORDER:
            result.append("".join(block for block in own if not SLOW.search(block)))
        elif page.name not in ELSEWHERE:
            result += own
    return [block for block in result if re.search(r"^# ", block, flags=re.MULTILINE)]


def commands(block: str) -> list[list[str]]:
    lines = [line for line in block.replace("\\\n", " ").splitlines() if not line.startswith("#")]
    return [shlex.split(line) for line in lines if line.strip()]


def printed(block: str) -> list[str]:
    return [" ".join(line[2:].split()) for line in block.splitlines() if line.startswith("# ") and not SLOW.match(line)]


def name(block: str) -> str:
    return " ".join(commands(block)[-1][1:3])


def test_the_pages_with_printed_figures_are_those_listed_here():
    lines = [line for block in blocks() for line in block.splitlines() if line.startswith("# ")]
    with_figures = {page.name for page in manual.pages() if any(f"\n{line}\n" in page.text for line in lines)}
    wanted = {"papers", "paraphrasus", "systems", "explain", "errors", "command-line", *IN_ORDER}
    assert with_figures - {"cluster"} == wanted


@pytest.fixture
def files(tmp_path: Path, published: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the published files under their original names."""
    result = [
        path for folder in ("mrpc", "parascore", "paraphrasus", "stsb") for path in (published / folder).iterdir()
    ]
    folder = tmp_path / "files"
    folder.mkdir()
    for path in result:
        (folder / path.name).symlink_to(path)
    (folder / "paws-test.tsv").symlink_to(published / "paws_wiki" / "test.tsv")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("block", [block for block in blocks() if not SLOW.search(block)], ids=name)
def test_a_command_prints_the_figures_below_it(capsys, files, block):
    out = ""
    for program, *arguments in commands(block):
        assert program == "parapluie"
        assert main(arguments) == 0
        out += capsys.readouterr().out
    lines = [plain(line) for line in out.splitlines()]
    for wanted in printed(block):
        assert any(plain(wanted) in line for line in lines), wanted


def plain(line: str) -> str:
    """Return a line without the characters that a terminal shows and a file or a pipe does not."""
    return re.sub(r"(?<=\d),(?=\d{3})", "", " ".join(line.split())).replace("−", "-").replace("–", "-")


@pytest.mark.parametrize("paper", PAPERS)
def test_printed_figures_of_the_page_match_the_tables(paper):
    """The column "printed" of the page has the values of `resources/papers`, rounded to any number of digits."""
    result = printed_paper(paper)
    compared = 0
    for line in PAGE.section(result.title).splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) < 5 or not (named := re.match(r"Table (\d+)", cells[1])):
            continue
        values = {cell.value for table in result.tables if table.number == named[1] for cell in table.cells}
        sizes = {size - part for size in values for part in values if named[1] == "1" and size.is_integer()}
        figures = re.findall(r"(?<![\w.])[−-]?\d[\d,]*(?:\.\d+)?(?![\w.]*%)", re.sub(r"tables? \d+", "", cells[4]))
        for figure in figures if values else ():
            plain_figure = figure.replace("−", "-").replace(",", "")
            digits = len(plain_figure.partition(".")[2])
            near = (abs(round(value, digits) - float(plain_figure)) < 1e-9 for value in values | sizes)
            assert any(near), f"{cells[1]}: {figure}"
            compared += 1
    assert compared >= 2, "the page has rows of tables with printed figures"


def test_some_figures_are_checked_and_the_rest_have_a_reason():
    quick = [block for block in blocks() if not SLOW.search(block)]
    assert len(quick) >= 8 and all(map(printed, quick))
    assert all(len(commands(block)) for block in blocks())


def test_every_number_linked_in_the_tables_has_its_command():
    named = set(
        re.findall(r"\b([A-D]\d)\b", "\n".join(line for line in PAGE.text.splitlines() if line.startswith("|")))
    )
    given = set(re.findall(r"^([A-D]\d)\b", PAGE.text, flags=re.MULTILINE)) | {"B3"}
    assert named <= given and given - {"B3"} <= named

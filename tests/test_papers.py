"""The manual's page on the papers: its commands run on the published files and print the figures under them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from parapluie_gui import manual
from parapluie_gui.commands.main import main

PAGE = next(page for page in manual.pages() if page.name == "papers")

#: The blocks of commands: what is typed, and the lines that are printed. Some say why they are not for a quick test.
BLOCKS = re.findall(r"```bash\n(.*?)```", PAGE.text, flags=re.DOTALL)
SLOW = re.compile(r"# (needs|takes) .+")


def commands(block: str) -> list[list[str]]:
    lines = [line for line in block.replace("\\\n", " ").splitlines() if not line.startswith("#")]
    return [shlex.split(line) for line in lines if line.strip()]


def printed(block: str) -> list[str]:
    return [" ".join(line[2:].split()) for line in block.splitlines() if line.startswith("# ") and not SLOW.match(line)]


def name(block: str) -> str:
    return " ".join(commands(block)[-1][1:3])


@pytest.fixture
def files(tmp_path: Path, shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the published files under their own names."""
    found = [
        path for folder in ("mrpc", "parascore", "paraphrasus", "stsb") for path in (shared_data / folder).iterdir()
    ]
    folder = tmp_path / "files"
    folder.mkdir()
    for path in found:
        (folder / path.name).symlink_to(path)
    (folder / "paws-test.tsv").symlink_to(shared_data / "paws_wiki" / "test.tsv")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("block", [block for block in BLOCKS if not SLOW.search(block)], ids=name)
def test_a_command_prints_the_figures_under_it(capsys, files, block):
    out = ""
    for program, *arguments in commands(block):
        assert program == "parapluie"
        assert main(arguments) == 0
        out += capsys.readouterr().out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    for wanted in printed(block):
        assert any(wanted in line for line in lines), wanted


def test_there_are_figures_to_hold_and_the_others_say_why_not():
    quick = [block for block in BLOCKS if not SLOW.search(block)]
    assert len(quick) >= 8 and all(map(printed, quick))
    assert all(len(commands(block)) for block in BLOCKS)


def test_every_link_of_a_number_in_the_tables_has_its_command():
    named = set(
        re.findall(r"\b([A-D]\d)\b", "\n".join(line for line in PAGE.text.splitlines() if line.startswith("|")))
    )
    given = set(re.findall(r"^([A-D]\d)\b", PAGE.text, flags=re.MULTILINE)) | {"B3"}
    assert named <= given and given - {"B3"} <= named

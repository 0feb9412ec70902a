"""Examine the installation: every part by itself, so that one that fails hides nothing of the others."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from parapluie_gui.doctor import files, machine, versions, window
from parapluie_gui.doctor.findings import Section
from parapluie_gui.errors import first_line

#: The parts in the order in which they are shown.
_PARTS: tuple[tuple[str, Callable[[Section], None]], ...] = (
    ("Versions", versions.examine),
    ("Computer", machine.examine),
    ("Window", window.examine),
    ("Folders", files.examine_folders),
    ("Models", files.examine_models),
)


def examine() -> list[Section]:
    """Return what was found; nothing is changed, and nothing large is loaded into this process."""
    # Two parts wait for processes of their own, one for the disk.
    with ThreadPoolExecutor(len(_PARTS)) as pool:
        return list(pool.map(_examine_part, *zip(*_PARTS, strict=True)))


def _examine_part(title: str, examine_it: Callable[[Section], None]) -> Section:
    section = Section(title)
    try:
        examine_it(section)
    except Exception as error:  # whatever is broken here is what is looked for
        section.complain(
            f"{title}: this could not be examined ({type(error).__name__}: {first_line(error)}).",
            "Install the program anew, and report this if it stays.",
        )
    return section

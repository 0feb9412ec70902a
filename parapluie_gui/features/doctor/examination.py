"""Examine the installation: every part by itself, so that one that fails hides nothing of the others."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from parapluie_gui import places
from parapluie_gui.errors import ParapluieError, SessionError, first_line, listed
from parapluie_gui.features.doctor import machine
from parapluie_gui.features.doctor.findings import DoctorSection
from parapluie_gui.models import catalogue, hub_cache
from parapluie_gui.models.manifest import check_files
from parapluie_gui.pluie.templates import load_templates
from parapluie_gui.storage.store import ScoreStore

#: Bytes that are written as a trial, and what should be free.
_TRIAL, _LITTLE = 2**16, 500 * 2**20


def examine_folders(section: DoctorSection) -> None:
    """Note each folder with its rights and free space, and what in the data folder cannot be used."""
    data = places.data_folder()
    try:
        places.user_data()
    except OSError as error:
        section.add("data", data)
        in_place = isinstance(error, FileExistsError | NotADirectoryError)
        reason = "a file is in its place" if in_place else error.strerror
        section.complain(
            f"The data folder {data} cannot be made ({reason}).",
            "Name another folder in the variable PARAPLUIE_HOME, or set its rights right.",
        )
    else:
        _examine_folder(section, "data", data)
        _examine_data(section, data)
    _examine_folder(section, "Hugging Face cache", hub_cache.hub_cache())
    try:
        _examine_folder(section, "temporary files", Path(tempfile.gettempdir()))
    except OSError:
        section.complain("No folder takes temporary files.", "Make room on the disk, or name a folder in TMPDIR.")


def _examine_folder(section: DoctorSection, name: str, folder: Path) -> None:
    if not folder.is_dir():
        section.add(name, f"{folder}, not there yet")
        return
    rights = [word for word, right in (("read", os.R_OK | os.X_OK), ("write", os.W_OK)) if os.access(folder, right)]
    free = shutil.disk_usage(folder).free
    section.add(name, f"{folder}, {listed(rights) or 'no rights'}, {free / 1e9:.1f} GB free")
    if reason := _why_not_writable(folder):
        section.complain(f"{folder} cannot be written ({reason}).", "Make room there, or allow writing.")
    elif free < _LITTLE:
        section.complain(f"Only {free / 1e6:.0f} MB are free in {folder}.", "Make room there.")


def _why_not_writable(folder: Path) -> str:
    """Return why nothing can be written into a folder, "" if something can."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_TRIAL))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _examine_data(section: DoctorSection, data: Path) -> None:
    aside = sorted(path.name for path in data.rglob("*.damaged-*") if places.models() not in path.parents)
    if aside:
        section.add("put aside as damaged", ", ".join(aside))
    own, broken = load_templates(places.user_templates())
    section.add("templates of your own", sum(template.origin != "built-in" for template in own))
    for template in broken:
        section.complain(template.error, f"Correct it, or take it out of {places.user_templates()}.")
    cache = places.score_cache()
    if cache.exists():
        section.add("known scores", f"{cache}, {cache.stat().st_size / 1e6:,.1f} MB")
        try:
            ScoreStore(cache, reading=True).close()
        except SessionError as error:
            section.complain(str(error), f"Rename {cache}; the scores are then computed again.")


def examine_models(section: DoctorSection) -> None:
    """Note which models are installed and whether they are complete; a missing one is no problem."""
    for item in (catalogue.POCKET, *catalogue.CATALOGUE):
        if not _is_here(item):
            get = "the installation has none" if item is catalogue.POCKET else f"parapluie models get {item.name}"
            section.add(item.name, f"not here ({get})")
            continue
        try:
            check_files(catalogue.find_model(item.name).folder, item.files_sha256)
        except (ParapluieError, OSError) as error:
            section.add(item.name, "damaged")
            anew = f"Remove {places.models() / item.name} and run `parapluie models get {item.name}`."
            section.complain(str(error), "Reinstall the program." if item is catalogue.POCKET else anew)
        else:
            section.add(item.name, "whole")
    for name in hub_cache.downloaded_hub_models():
        cut = _cut_weights(name)
        section.add(name, "damaged" if cut else "whole, as far as the sizes of its files tell")
        if cut:
            folder = hub_cache.folder_of(name)
            section.complain(
                f"{cut} of {name} is not whole.", f"Remove {folder} and run `parapluie models get {name}`."
            )


def _is_here(item: catalogue.CatalogueEntry) -> bool:
    try:
        return catalogue.is_ready(item)
    except OSError:  # there is no data folder, which is said of the folders
        return False


def _cut_weights(name: str) -> str:
    """Return the name of a file of weights that is shorter or longer than its header says, "" if there is none."""
    files = hub_cache.folder_of(name).glob("snapshots/*/*.safetensors")
    return next((path.name for path in files if not _is_whole(path)), "")


def _is_whole(path: Path) -> bool:
    from safetensors import SafetensorError, safe_open

    try:
        # It compares the header with the size of the file, and reads no weights.
        with safe_open(path, framework="numpy"):
            return True
    except (SafetensorError, OSError):
        return False


#: The parts in the order in which they are shown.
_PARTS: tuple[tuple[str, Callable[[DoctorSection], None]], ...] = (
    ("Versions", machine.examine_versions),
    ("Computer", machine.examine_computer),
    ("Window", machine.examine_window),
    ("Folders", examine_folders),
    ("Models", examine_models),
)


def examine() -> list[DoctorSection]:
    """Return what was found; nothing is changed, and nothing large is loaded into this process."""
    # Two parts wait for processes of their own, one for the disk.
    with ThreadPoolExecutor(len(_PARTS)) as pool:
        return list(pool.map(_examine_part, *zip(*_PARTS, strict=True)))


def _examine_part(title: str, examine_it: Callable[[DoctorSection], None]) -> DoctorSection:
    section = DoctorSection(title)
    try:
        examine_it(section)
    except Exception as error:  # whatever is broken here is what is looked for
        section.complain(
            f"{title}: this could not be examined ({type(error).__name__}: {first_line(error)}).",
            "Install the program anew, and report this if it stays.",
        )
    return section

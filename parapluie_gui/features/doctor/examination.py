"""Examination of the installation, part by part, so that a failing part does not hide the others."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from parapluie_gui import places
from parapluie_gui.errors import ParapluieError, SessionError, first_line, join_words
from parapluie_gui.features.doctor import machine
from parapluie_gui.features.doctor.findings import DoctorSection
from parapluie_gui.models import catalogue, hub_cache
from parapluie_gui.models.manifest import check_files
from parapluie_gui.pluie.templates import load_templates
from parapluie_gui.storage.store import ScoreStore

#: Size of a trial file, and the free space below which there is a problem, in bytes.
_TRIAL_SIZE, _LEAST_FREE = 2**16, 500 * 2**20


def examine_folders(section: DoctorSection) -> None:
    """Examine the permissions and the free space of each folder, and the contents of the data folder."""
    data = places.data_folder()
    try:
        places.user_data()
    except OSError as error:
        section.add("data", data)
        in_place = isinstance(error, FileExistsError | NotADirectoryError)
        reason = "a file has that name" if in_place else error.strerror
        section.complain(
            f"The data folder {data} cannot be created ({reason}).",
            "Set the variable PARAPLUIE_HOME to a different folder, or correct the folder's permissions.",
        )
    else:
        _examine_folder(section, "data", data)
        _examine_data(section, data)
    _examine_folder(section, "Hugging Face cache", hub_cache.hub_cache())
    try:
        _examine_folder(section, "temporary files", Path(tempfile.gettempdir()))
    except OSError:
        section.complain(
            "There is no writable folder for temporary files.", "Free disk space, or set TMPDIR to a writable folder."
        )


def _examine_folder(section: DoctorSection, name: str, folder: Path) -> None:
    if not folder.is_dir():
        section.add(name, f"{folder}, does not exist yet")
        return
    rights = [word for word, right in (("read", os.R_OK | os.X_OK), ("write", os.W_OK)) if os.access(folder, right)]
    free = shutil.disk_usage(folder).free
    section.add(name, f"{folder}, {join_words(rights) or 'no permissions'}, {free / 1e9:.1f} GB free")
    if reason := _why_not_writable(folder):
        section.complain(f"{folder} cannot be written ({reason}).", "Free disk space there, or allow writing.")
    elif free < _LEAST_FREE:
        section.complain(f"Only {free / 1e6:.0f} MB are free in {folder}.", "Free disk space there.")


def _why_not_writable(folder: Path) -> str:
    """Return the reason why a folder is not writable, "" if it is writable."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_TRIAL_SIZE))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _examine_data(section: DoctorSection, data: Path) -> None:
    aside = sorted(path.name for path in data.rglob("*.damaged-*") if places.models() not in path.parents)
    if aside:
        section.add("set aside as damaged", ", ".join(aside))
    own, broken = load_templates(places.user_templates())
    section.add("your templates", sum(template.origin != "built-in" for template in own))
    for template in broken:
        section.complain(template.error, f"Correct it, or remove it from {places.user_templates()}.")
    cache = places.score_cache()
    if cache.exists():
        section.add("stored scores", f"{cache}, {cache.stat().st_size / 1e6:,.1f} MB")
        try:
            ScoreStore(cache, reading=True).close()
        except SessionError as error:
            section.complain(str(error), f"Rename {cache}. The scores are then computed again.")


def examine_models(section: DoctorSection) -> None:
    """Examine which models are installed and whether they are complete. A missing model is not a problem."""
    for item in (catalogue.POCKET, *catalogue.CATALOGUE):
        if not _is_installed(item):
            get = "missing from the installation" if item is catalogue.POCKET else f"parapluie models get {item.name}"
            section.add(item.name, f"not installed ({get})")
            continue
        try:
            check_files(catalogue.find_model(item.name).folder, item.files_sha256)
        except (ParapluieError, OSError) as error:
            section.add(item.name, "damaged")
            fetch = f"Remove {places.models() / item.name} and run `parapluie models get {item.name}`."
            section.complain(str(error), "Reinstall the program." if item is catalogue.POCKET else fetch)
        else:
            section.add(item.name, "complete")
    for name in hub_cache.downloaded_hub_models():
        incomplete = _find_incomplete_weights(name)
        section.add(name, "damaged" if incomplete else "complete, according to its file sizes")
        if incomplete:
            folder = hub_cache.model_folder(name)
            section.complain(
                f"{incomplete} of {name} is incomplete.", f"Remove {folder} and run `parapluie models get {name}`."
            )


def _is_installed(item: catalogue.CatalogueEntry) -> bool:
    try:
        return catalogue.is_ready(item)
    except OSError:  # no data folder, which is reported with the folders
        return False


def _find_incomplete_weights(name: str) -> str:
    """Return the name of a weights file whose size does not match its header, "" if there is none."""
    files = hub_cache.model_folder(name).glob("snapshots/*/*.safetensors")
    return next((path.name for path in files if not _is_complete(path)), "")


def _is_complete(path: Path) -> bool:
    from safetensors import SafetensorError, safe_open

    try:
        # Opening compares the header with the file size without reading the weights.
        with safe_open(path, framework="numpy"):
            return True
    except (SafetensorError, OSError):
        return False


#: The parts, in the order shown.
_PARTS: tuple[tuple[str, Callable[[DoctorSection], None]], ...] = (
    ("Versions", machine.examine_versions),
    ("Computer", machine.examine_computer),
    ("Window", machine.examine_window),
    ("Folders", examine_folders),
    ("Models", examine_models),
)


def examine() -> list[DoctorSection]:
    """Examine all parts. Changes nothing, and loads no large library into this process."""
    # Threads, because two parts wait for child processes and one waits for the disk.
    with ThreadPoolExecutor(len(_PARTS)) as pool:
        return list(pool.map(_examine_part, *zip(*_PARTS, strict=True)))


def _examine_part(title: str, examine_it: Callable[[DoctorSection], None]) -> DoctorSection:
    section = DoctorSection(title)
    try:
        examine_it(section)
    except Exception as error:  # any error here is a result of the examination
        section.complain(
            f"{title} could not be examined ({type(error).__name__}: {first_line(error)}).",
            "Reinstall the program, and report the problem if it remains.",
        )
    return section

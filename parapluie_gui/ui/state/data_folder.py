"""The user's data folder where there is one, or a scratch folder in its place: the window starts in any case."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from parapluie_gui import places
from parapluie_gui.errors import one_line

#: Where temporary files can be when the disk is full: in Linux's memory.
_IN_MEMORY = Path("/dev/shm")


@contextmanager
def open_data_folder() -> Iterator[str]:
    """Make sure that there is a data folder, and yield a sentence if it is a scratch one, else "".

    PARAPLUIE_HOME then leads this process and those that it starts to the scratch folder. A folder that is there and
    cannot be written stays in use, for its models and templates; sessions find another place by themselves.
    """
    _find_room()
    try:
        places.user_data()
    except (FileExistsError, NotADirectoryError):
        reason = QCoreApplication.translate("DataFolder", "a file is in its place")
    except OSError as error:
        reason = error.strerror or str(error)
    else:
        yield ""
        return
    text = QCoreApplication.translate(
        "DataFolder",
        "What you do in this window is lost when it is closed: {0} cannot be made ({1}). Save the session elsewhere "
        "(Ctrl+S), or name another data folder in PARAPLUIE_HOME and start again.",
    )
    sentence = text.format(one_line(places.data_folder()), reason)
    with tempfile.TemporaryDirectory(prefix="parapluie-", ignore_cleanup_errors=True) as scratch:
        os.environ["PARAPLUIE_HOME"] = scratch
        yield sentence


def _find_room() -> None:
    """Put temporary files into the memory where the folders for them are full, too."""
    try:
        tempfile.gettempdir()
    except OSError:
        if _IN_MEMORY.is_dir():
            tempfile.tempdir = str(_IN_MEMORY)

"""What PySide6 does at each import."""

from __future__ import annotations

import sys
from typing import Any

import PySide6.QtCore  # noqa: F401  (it loads what is looked up below)


def look_for_none() -> None:
    """Let PySide6 read no sources.

    After each import it would read the whole source of the module, and keep it, to see whether it speaks of PySide6 and
    may have asked for `from __feature__ import …`. Nothing here asks: a tenth of a second and 26 MB of 900 sources.
    """
    features: Any = sys.modules.get("shibokensupport.feature")
    if hasattr(features, "_mod_uses_pyside"):
        features._mod_uses_pyside = lambda module: False

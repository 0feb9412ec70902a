"""PySide6's check of each imported module for its optional features, disabled here."""

from __future__ import annotations

import sys
from typing import Any

import PySide6.QtCore  # noqa: F401  (it loads what is looked up below)


def skip_feature_lookup() -> None:
    """Stop PySide6 from reading the source of each imported module.

    It would look for `from __feature__ import …`, which nothing here uses, and keep the source in memory: that costs a
    tenth of a second and 26 MB for 900 modules.
    """
    features: Any = sys.modules.get("shibokensupport.feature")
    if hasattr(features, "_mod_uses_pyside"):
        features._mod_uses_pyside = lambda module: False

"""The window; all that knows Qt."""

import sys
from typing import Any

import PySide6.QtCore  # noqa: F401  (it loads what is looked up below)

# After each import PySide6 reads the whole source of the module, and keeps it, to see whether it speaks of PySide6 and
# may have asked for `from __feature__ import …`. Nothing here asks: a tenth of a second and 26 MB of 900 sources.
_features: Any = sys.modules.get("shibokensupport.feature")
if hasattr(_features, "_mod_uses_pyside"):
    _features._mod_uses_pyside = lambda module: False

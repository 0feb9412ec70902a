"""ParaPLUIE Inspector: see how metrics judge paraphrases. Importing this package stays light (no Qt, no torch)."""

from __future__ import annotations

__version__ = "0.1.0"

"""`python -m parapluie_gui` is `parapluie`."""

from __future__ import annotations

import sys

from parapluie_gui.commands.main import main

if __name__ == "__main__":
    sys.exit(main())

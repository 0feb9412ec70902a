"""The entry point of the portable application."""

import sys

from parapluie_gui.__main__ import main

sys.exit(main())

"""Where the portable application begins."""

import sys

from parapluie_gui.__main__ import main

sys.exit(main())

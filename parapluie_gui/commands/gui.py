"""The command `parapluie gui`: check that a window can be opened on this computer, and open it."""

from __future__ import annotations

import os
import sys

from parapluie_gui.api.judges import choose_judges
from parapluie_gui.commands.options import GuiOptions
from parapluie_gui.commands.saying import say
from parapluie_gui.computer import USUALLY_MISSING, qt_platform
from parapluie_gui.errors import ParapluieError
from parapluie_gui.feature import collect_parts
from parapluie_gui.models.catalogue import find_model
from parapluie_gui.models.sources import find_declaration
from parapluie_gui.ui.window.end_signals import EndSignals
from parapluie_gui.work.scoring_plan import JudgeTemplates


def run(options: GuiOptions) -> int:
    """Open the window; return the exit status.

    Raises:
        ParapluieError: There is no display, a library of Qt is missing, or there is neither a corpus nor
            a score to compute.
    """
    score = options.score or (options.demo and options.when != "loaded") or options.when == "scored"
    named = [bool(options.corpus), options.demo, *map(bool, options.chosen_corpora)]
    if sum(named) > 1:
        others = "".join(f", or --{part.name}" for part in collect_parts("corpora"))
        raise ParapluieError(f"the window opens one corpus. Name a CORPUS, or --demo{others}.")
    if score and not any(named):
        raise ParapluieError("there is nothing to score. Name a CORPUS, or --demo for the demo corpus.")
    several = len(options.judge) > 1 or any("=" in part for part in options.judge)
    judges = choose_judges(options.judge, options.template, notice=say) if several else ()
    if not several and options.judge and find_declaration(options.judge[0]) is None:
        find_model(options.judge[0])
    display = qt_platform(os.environ, sys.platform)
    if options.screenshot is None and not display:
        raise ParapluieError(
            "there is no display on which to open a window; `--screenshot FILE.png` renders the window to a file."
        )
    if not display:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    with EndSignals() as ending:
        return _open_window(options, score, judges, ending)


def _open_window(options: GuiOptions, score: bool, judges: tuple[JudgeTemplates, ...], ending: EndSignals) -> int:
    try:
        _load_x11_plugin()
        from parapluie_gui.ui.widgets import features

        features.skip_feature_lookup()
        from parapluie_gui.ui import app
    except (ImportError, OSError) as error:
        # Qt's wheels expect a few libraries that servers and containers lack.
        raise ParapluieError(
            f"the window's libraries cannot be loaded ({error}); `parapluie doctor` lists the missing ones. On Debian "
            "or "
            f"Ubuntu, `apt-get install {USUALLY_MISSING}` installs the usual ones."
        ) from error
    launch = app.LaunchOptions(
        corpus=options.corpus,
        demo=options.demo,
        shipped=next(iter(options.chosen_corpora), ""),
        score=score,
        judge=options.judge[0] if options.judge and not judges else None,
        templates=() if judges else options.template,
        judges=judges,
        screenshot=options.screenshot,
        size=options.size,
        theme=options.theme,
        when=options.when or ("scored" if score else "loaded"),
    )
    return app.run(launch, ending)


def _load_x11_plugin() -> None:
    """Load Qt's plugin for X11 if it will be used, because Qt aborts if one of the plugin's libraries is missing.

    Raises:
        OSError: A library is missing.
    """
    if sys.platform == "linux" and not os.environ.get("QT_QPA_PLATFORM") and not os.environ.get("WAYLAND_DISPLAY"):
        import ctypes
        import importlib.util
        from pathlib import Path

        package = importlib.util.find_spec("PySide6")
        for folder in (package and package.submodule_search_locations) or ():
            # Without this file, Qt was not installed from its wheel, and its plugins come with the system's libraries.
            if (plugin := Path(folder, "Qt", "plugins", "platforms", "libqxcb.so")).exists():
                ctypes.CDLL(str(plugin))

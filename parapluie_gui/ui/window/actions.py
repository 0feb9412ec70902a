"""Every action of the window, declared once: menus and shortcuts are made from this table."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from parapluie_gui.ui.widgets.text import QT_TRANSLATE_NOOP

CONTEXT = "Actions"


@dataclass(frozen=True)
class Action:
    """Something the user can do.

    Attributes:
        slot: The method that does it, as seen from the window ("scatter.fit"); also the action's name.
        menu: The menu it stands in, "" for none.
        text: As in the menu.
        keys: Shortcuts, the first one shown.
        tip: One sentence for the status bar.
        checkable: Whether it is on or off.
    """

    slot: str
    menu: str
    text: str
    keys: tuple[str, ...] = ()
    tip: str = ""
    checkable: bool = False


def translated(text: str) -> str:
    """Return a text of this table in the user's language."""
    return QCoreApplication.translate(CONTEXT, text)


FILE = QT_TRANSLATE_NOOP("Actions", "&File")
SCORE = QT_TRANSLATE_NOOP("Actions", "&Score")
PAIRS = QT_TRANSLATE_NOOP("Actions", "&Pairs")
VIEW = QT_TRANSLATE_NOOP("Actions", "&View")
HELP = QT_TRANSLATE_NOOP("Actions", "&Help")

MENUS = (FILE, SCORE, PAIRS, VIEW, HELP)

#: A text of "-" is a line between groups; "recent", "kept_sets" and "docks" are filled by the window.
ACTIONS = (
    Action(
        "files.open",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "&Open corpus…"),
        ("Ctrl+O",),
        QT_TRANSLATE_NOOP("Actions", "Open a file of sentence pairs, a session, or two parallel text files"),
    ),
    Action(
        "files.add",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "&Add corpus to this one…"),
        ("Ctrl+Shift+O",),
        QT_TRANSLATE_NOOP("Actions", "Add another file to this corpus; results are reported per file and overall"),
    ),
    Action(
        "files.paste",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "&Paste pairs"),
        ("Ctrl+Shift+V",),
        QT_TRANSLATE_NOOP("Actions", "Open the pairs on the clipboard: rows of a spreadsheet, CSV, JSON"),
    ),
    Action(
        "state.corpora.open_demo",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "Open &demo corpus"),
        (),
        QT_TRANSLATE_NOOP("Actions", "Open the demo pairs that come with the program"),
    ),
    Action("recent", FILE, QT_TRANSLATE_NOOP("Actions", "&Recent files")),
    Action(
        "files.remove_corpus",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "Close cor&pus"),
        ("Ctrl+W",),
        QT_TRANSLATE_NOOP("Actions", "Remove the corpus from the session (the file is not deleted)"),
    ),
    Action("file-1", FILE, "-"),
    Action(
        "files.new_session",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "&New session"),
        ("Ctrl+N",),
        QT_TRANSLATE_NOOP("Actions", "Start an empty session"),
    ),
    Action(
        "files.save_session",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "&Save session as…"),
        ("Ctrl+S",),
        QT_TRANSLATE_NOOP("Actions", "Save the session to a file. From then on everything is kept there as you work"),
    ),
    Action("file-2", FILE, "-"),
    Action(
        "exporter.ask_for_all",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "Export &table…"),
        ("Ctrl+E",),
        QT_TRANSLATE_NOOP("Actions", "Write all pairs and their scores as CSV, TSV, Excel, Parquet or JSON Lines"),
    ),
    Action(
        "exporter.ask_for_set",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "Export se&lection…"),
        ("Ctrl+Shift+E",),
        QT_TRANSLATE_NOOP("Actions", "Write the selected pairs to a file"),
    ),
    Action(
        "exporter.ask_for_figure",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "Export &figure…"),
        ("Ctrl+G",),
        QT_TRANSLATE_NOOP("Actions", "Write the scatter as PNG, SVG or PDF"),
    ),
    Action(
        "reporter.ask",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "Repo&rt…"),
        ("Ctrl+R",),
        QT_TRANSLATE_NOOP("Actions", "Write tables, figures and the worst errors of the analysis as one HTML file"),
    ),
    Action(
        "reporter.copy_script",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "Cop&y as Python"),
        ("Ctrl+Shift+C",),
        QT_TRANSLATE_NOOP("Actions", "Copy the script that recomputes what the Analysis tab shows"),
    ),
    Action("file-3", FILE, "-"),
    Action("close", FILE, QT_TRANSLATE_NOOP("Actions", "&Quit"), ("Ctrl+Q",)),
    Action(
        "run",
        SCORE,
        QT_TRANSLATE_NOOP("Actions", "&Run"),
        ("F5",),
        QT_TRANSLATE_NOOP("Actions", "Score the corpus with the selected metrics; existing scores are reused"),
    ),
    Action(
        "setup.metrics.open",
        SCORE,
        QT_TRANSLATE_NOOP("Actions", "Choose &metrics…"),
        ("Ctrl+M",),
        QT_TRANSLATE_NOOP("Actions", "All metrics by family: what each measures, needs, and whether it is ready"),
    ),
    Action(
        "scoring.pause_or_resume",
        SCORE,
        QT_TRANSLATE_NOOP("Actions", "&Pause or resume"),
        ("F6",),
        QT_TRANSLATE_NOOP("Actions", "Pause or resume scoring"),
    ),
    Action(
        "scoring.stop",
        SCORE,
        QT_TRANSLATE_NOOP("Actions", "&Stop"),
        ("Shift+F5",),
        QT_TRANSLATE_NOOP("Actions", "Stop scoring. Finished scores are kept"),
    ),
    Action("score-1", SCORE, "-"),
    Action(
        "score_typed",
        SCORE,
        QT_TRANSLATE_NOOP("Actions", "Score &typed pair"),
        ("Ctrl+Return", "Ctrl+Enter"),
        QT_TRANSLATE_NOOP("Actions", "Score the pair typed in the Bench"),
    ),
    Action(
        "workspace.selection.step_forwards",
        PAIRS,
        QT_TRANSLATE_NOOP("Actions", "&Next pair"),
        ("J",),
        QT_TRANSLATE_NOOP("Actions", "Next pair of the selection"),
    ),
    Action(
        "workspace.selection.step_backwards",
        PAIRS,
        QT_TRANSLATE_NOOP("Actions", "&Previous pair"),
        ("K",),
        QT_TRANSLATE_NOOP("Actions", "Previous pair of the selection"),
    ),
    Action(
        "search",
        PAIRS,
        QT_TRANSLATE_NOOP("Actions", "&Search or filter"),
        ("/", "Ctrl+F"),
        QT_TRANSLATE_NOOP("Actions", "Type a word, or a condition such as pluie.direct > 0 and label == 0"),
    ),
    Action(
        "show_all",
        PAIRS,
        QT_TRANSLATE_NOOP("Actions", "Show &all pairs"),
        ("Esc",),
        QT_TRANSLATE_NOOP("Actions", "Clear the filter, lasso or preset. In presentation mode: leave it"),
    ),
    Action(
        "files.keep_set",
        PAIRS,
        QT_TRANSLATE_NOOP("Actions", "&Save selection as…"),
        ("Ctrl+K",),
        QT_TRANSLATE_NOOP("Actions", "Save the selection under a name in the session"),
    ),
    Action("kept_sets", PAIRS, QT_TRANSLATE_NOOP("Actions", "Saved se&lections")),
    Action(
        "edit_copy",
        PAIRS,
        QT_TRANSLATE_NOOP("Actions", "&Edit a copy in the Bench"),
        ("Ctrl+B",),
        QT_TRANSLATE_NOOP("Actions", "Change a word of the pair and see how the scores move"),
    ),
    Action(
        "tabs.show_scatter",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Scatter"),
        ("Ctrl+1",),
        QT_TRANSLATE_NOOP("Actions", "Show the scatter"),
    ),
    Action(
        "tabs.show_bench",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Bench"),
        ("Ctrl+2",),
        QT_TRANSLATE_NOOP("Actions", "Show the Bench to type a pair"),
    ),
    Action(
        "tabs.show_analysis",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Analysis"),
        ("Ctrl+3",),
        QT_TRANSLATE_NOOP("Actions", "Show the papers' tables and curves for the scores"),
    ),
    Action(
        "scatter.fit",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Fit all points"),
        ("Home",),
        QT_TRANSLATE_NOOP("Actions", "Show all points of the scatter"),
    ),
    Action("docks", VIEW, QT_TRANSLATE_NOOP("Actions", "&Panels")),
    Action("view-1", VIEW, "-"),
    Action(
        "toggle_dark",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Dark colours"),
        ("Ctrl+D",),
        QT_TRANSLATE_NOOP("Actions", "Change between light and dark"),
        checkable=True,
    ),
    Action(
        "present",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Presentation"),
        ("F11",),
        QT_TRANSLATE_NOOP("Actions", "Large type for a projector, scores hidden until R is pressed"),
        checkable=True,
    ),
    Action(
        "presentation.toggle_score",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Reveal or hide the score"),
        ("R",),
        QT_TRANSLATE_NOOP("Actions", "Hide the score so that an audience can guess first, then reveal it"),
    ),
    Action(
        "manual.open_here",
        HELP,
        QT_TRANSLATE_NOOP("Actions", "&Manual"),
        ("F1",),
        QT_TRANSLATE_NOOP("Actions", "Show the manual at the page of what has the focus"),
    ),
    Action(
        "manual.open_keys",
        HELP,
        QT_TRANSLATE_NOOP("Actions", "&Keys and actions"),
        ("?",),
        QT_TRANSLATE_NOOP("Actions", "Show the manual's page of keys"),
    ),
    Action("show_about", HELP, QT_TRANSLATE_NOOP("Actions", "&About")),
)

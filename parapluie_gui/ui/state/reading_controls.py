"""The names of the dialog's controls for the options of reading, which the window shows instead of the options."""

from __future__ import annotations

import re

from PySide6.QtCore import QCoreApplication

from parapluie_gui.pairs.reading.decisions import rewrite_options

#: Separates consecutive options, which are joined.
_TOGETHER = re.compile("” “")


def control_names() -> dict[str, str]:
    """Return the name of the dialog's control for each option of reading, by the option's name in Python."""
    return {
        "source": tr("Source"),
        "hypothesis": tr("Hypothesis"),
        "label": tr("Label"),
        "positive": tr("Paraphrase is"),
        "missing": tr("No label is"),
        "human": tr("Human score"),
        "reference": tr("Reference"),
        "id": tr("Id"),
        "group": tr("Group"),
        "annotator": tr("Annotators"),
        "layout": tr("Layout"),
        "encoding": tr("Encoding"),
        "delimiter": tr("Separator"),
        "quoting": tr("Quotes"),
        "sheet": tr("Sheet"),
        "header": tr("Header line"),
        "shape": tr("Rows"),
        "person": tr("Person"),
        "answer": tr("Answer"),
        "role": tr("Question"),
        "plan": tr("Saved plan"),
        "save_plan": tr("Save plan as"),
    }


def quoting_names() -> dict[str, str]:
    """Return the dialog's words for the two kinds of quoting."""
    return {"minimal": tr("enclose cells"), "none": tr("belong to the text")}


def options_to_controls(sentence: str) -> str:
    """Write the options of reading in a sentence as controls of the dialog: `--label none` as “Label: none”."""
    names = control_names() | {"no_formulas": tr("CSV for Excel")}

    def write(option: str, value: str) -> str:
        if option not in names:  # an option in a command, or of a different program
            return f"--{option.replace('_', '-')} {value}".strip()
        shown = quoting_names().get(value, value) if option == "quoting" else value.strip('"')
        return f"“{names[option]}: {shown}”" if value else f"“{names[option]}”"

    return _TOGETHER.sub(f"” {tr('and')} “", rewrite_options(sentence, write))


def tr(text: str) -> str:
    """Return a text in the user's language."""
    return QCoreApplication.translate("Reading", text)

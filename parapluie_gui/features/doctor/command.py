"""`parapluie doctor`: what is installed, what the computer has, and what keeps the program from working."""

# Each call describes one argument of the command.

from __future__ import annotations

from dataclasses import dataclass

from parapluie_gui.commands.arguments import switch
from parapluie_gui.features.doctor.examination import examine
from parapluie_gui.features.doctor.findings import as_json, as_text, problems_of


@dataclass(frozen=True, kw_only=True)
class Doctor:
    """Check this installation: versions, devices, memory, Qt, folders, models, and what to do about problems."""

    json: bool = switch("print everything as JSON")


#: Exit status when something was found.
PROBLEMS = 1


def run(options: Doctor) -> int:
    """Print what was found. Returns the exit status: 0 when all is well, otherwise 1."""
    sections = examine()
    print(as_json(sections) if options.json else as_text(sections))
    return PROBLEMS if problems_of(sections) else 0

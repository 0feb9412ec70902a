"""`parapluie doctor`: checks the installation and the computer, and explains how to solve problems."""

from __future__ import annotations

from dataclasses import dataclass

from parapluie_gui.commands.arguments import switch
from parapluie_gui.features.doctor.examination import examine
from parapluie_gui.features.doctor.findings import as_json, as_text, problems_of


@dataclass(frozen=True, kw_only=True)
class DoctorOptions:
    """Check this installation: versions, devices, memory, Qt, folders and models; explain how to solve problems."""

    json: bool = switch("print everything as JSON")


#: Exit status if there is a problem.
PROBLEMS = 1


def run(options: DoctorOptions) -> int:
    """Print the result of the check. Returns the exit status: 0 without problems, otherwise 1."""
    sections = examine()
    print(as_json(sections) if options.json else as_text(sections))
    return PROBLEMS if problems_of(sections) else 0

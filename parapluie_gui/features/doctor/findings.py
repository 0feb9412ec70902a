"""Results of an examination of the installation: facts in sections, and problems with their solutions.

Libraries that take seconds to load, or that abort the process if a part is missing, are examined in a child process
(`run_program`).
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from parapluie_gui.errors import one_line


@dataclass(frozen=True)
class InstallationProblem:
    """A problem of the installation.

    Attributes:
        what: The problem, as a sentence.
        todo: The solution, as a sentence or a command.
    """

    what: str
    todo: str


@dataclass
class DoctorSection:
    """A section of the examination: named facts, and problems."""

    title: str
    facts: list[tuple[str, str]] = field(default_factory=list)
    problems: list[InstallationProblem] = field(default_factory=list)

    def add(self, name: str, fact: object) -> None:
        self.facts.append((one_line(name), one_line(str(fact))))

    def complain(self, what: str, todo: str) -> None:
        """Add a problem and its solution; both are sentences with a full stop."""
        self.problems.append(InstallationProblem(one_line(what), one_line(todo)))


def problems_of(sections: Sequence[DoctorSection]) -> list[InstallationProblem]:
    return [problem for section in sections for problem in section.problems]


def as_text(sections: Sequence[DoctorSection]) -> str:
    """Return the sections as readable text, the problems at the end."""
    lines = []
    width = max((len(name) for section in sections for name, _ in section.facts), default=0)
    for section in sections:
        lines.append(section.title)
        lines += [f"  {name:<{width}}  {fact}" for name, fact in section.facts]
        lines.append("")
    problems = problems_of(sections)
    if not problems:
        return "\n".join([*lines, "No problems found."])
    lines.append("1 problem found:" if len(problems) == 1 else f"{len(problems)} problems found:")
    for number, problem in enumerate(problems, start=1):
        lines += [f"  {number}. {problem.what}", f"     {problem.todo}"]
    return "\n".join(lines)


def as_json(sections: Sequence[DoctorSection]) -> str:
    """Return the sections as JSON: the facts by section and name, and the problems."""
    facts = {section.title: dict(section.facts) for section in sections}
    problems = [{"what": problem.what, "todo": problem.todo} for problem in problems_of(sections)]
    return json.dumps({"facts": facts, "problems": problems}, ensure_ascii=False, indent=2)


def run_program(
    command: Sequence[str], timeout: float, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str] | None:
    """Run a program; return None if it cannot be run or does not end in time (it is then killed).

    Args:
        command: The program and its arguments.
        timeout: Maximum run time in seconds.
        environment: Variables added to those of this process.
    """
    try:
        return subprocess.run(
            command,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


def last_error_line(result: subprocess.CompletedProcess[str]) -> str:
    """Return the last line that a failed program wrote to stderr, or its exit status."""
    return (result.stderr.strip().splitlines() or [f"status {result.returncode}"])[-1].rstrip(".")

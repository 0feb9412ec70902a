"""What an examination of the installation finds: facts in sections, and problems with what to do about them.

What takes seconds to load, or ends the whole process where a part is missing, is asked as a program (`ask`).
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from parapluie_gui.errors import one_line


@dataclass(frozen=True)
class Problem:
    """Something that does not work, or will not: two sentences."""

    what: str
    todo: str


@dataclass
class DoctorSection:
    """Facts of one kind, by name, and the problems among them."""

    title: str
    facts: list[tuple[str, str]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def add(self, name: str, fact: object) -> None:
        self.facts.append((one_line(name), one_line(str(fact))))

    def complain(self, what: str, todo: str) -> None:
        """Note a problem; both are sentences with a full stop."""
        self.problems.append(Problem(one_line(what), one_line(todo)))


def problems_of(sections: Sequence[DoctorSection]) -> list[Problem]:
    return [problem for section in sections for problem in section.problems]


def as_text(sections: Sequence[DoctorSection]) -> str:
    """Return everything as lines for a person, the problems at the end."""
    lines = []
    width = max((len(name) for section in sections for name, _ in section.facts), default=0)
    for section in sections:
        lines.append(section.title)
        lines += [f"  {name:<{width}}  {fact}" for name, fact in section.facts]
        lines.append("")
    problems = problems_of(sections)
    if not problems:
        return "\n".join([*lines, "No problem was found."])
    lines.append("1 problem was found:" if len(problems) == 1 else f"{len(problems)} problems were found:")
    for number, problem in enumerate(problems, start=1):
        lines += [f"  {number}. {problem.what}", f"     {problem.todo}"]
    return "\n".join(lines)


def as_json(sections: Sequence[DoctorSection]) -> str:
    """Return everything as JSON: the facts by section and name, and the problems."""
    facts = {section.title: dict(section.facts) for section in sections}
    problems = [{"what": problem.what, "todo": problem.todo} for problem in problems_of(sections)]
    return json.dumps({"facts": facts, "problems": problems}, ensure_ascii=False, indent=2)


def ask(
    command: Sequence[str], patience: float, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str] | None:
    """Run a program to its end; None where it cannot be run, or is not done in time and is ended.

    Args:
        command: The program and its arguments.
        patience: Seconds that it may take.
        environment: Variables that it has besides those of this process.
    """
    try:
        return subprocess.run(
            command,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=patience,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


def last_words(done: subprocess.CompletedProcess[str]) -> str:
    """Return what a program that failed said last, or its status."""
    return (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1].rstrip(".")

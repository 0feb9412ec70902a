"""Tools that check every file while the tests run: ruff, mypy and the import contracts."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

import pytest

ROOT = Path(__file__).parents[2]

#: Checks two systems in turn, each with its own cache, since a mypy cache holds one system: half a minute of CPU time
#: the first time, seconds later.
_PLATFORMS = """
import sys
from mypy import api
failed = 0
for system in ("win32", "darwin"):
    options = ["--config-file", "tests/helpers/platforms.ini", "--platform", system]
    output, errors, status = api.run([*options, "--cache-dir", f".mypy_cache/{system}"])
    if status:
        print(f"for {system}:", output, errors, sep="\\n")
    failed |= status
sys.exit(failed)
"""

#: Arguments of Python for each tool; status 0 means no complaint.
TOOLS = {
    "ruff check": ("-m", "ruff", "check", "--no-cache", "."),
    "ruff format": ("-m", "ruff", "format", "--no-cache", "--check", "."),
    "mypy": ("-m", "mypy", "parapluie_gui", "tests/api/user_script.py"),
    "mypy for Windows and macOS": ("-c", _PLATFORMS),
    "import contracts": (
        "-c",
        "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))",
    ),
}

#: Seconds that the slowest tool may take after the last test: as long as mypy needs on a busy computer.
PATIENCE = 1800.0


def wants_tools(config: pytest.Config) -> bool:
    """Return whether all tests run, or those of the architecture; any other selection runs without the tools."""
    option = config.option
    if option.keyword or option.markexpr or option.deselect or option.collectonly or hasattr(config, "workerinput"):
        return False
    complete_runs = {ROOT, ROOT / "tests", ROOT / "tests" / "test_architecture.py"}
    return any((config.invocation_params.dir / argument).resolve() in complete_runs for argument in config.args)


class ToolRunner:
    """A pytest plugin that starts the tools with the session; their complaints fail it and are in the summary."""

    def __init__(self, tools: Mapping[str, Sequence[str]] = TOOLS, patience: float = PATIENCE) -> None:
        self.complaints: dict[str, str] = {}
        self._tools, self._patience = tools, patience
        self._running: dict[str, tuple[subprocess.Popen[bytes], IO[bytes]]] = {}

    def start(self) -> None:
        for name, arguments in self._tools.items():
            words = tempfile.TemporaryFile()  # noqa: SIM115 (read after the tool has ended)
            command = [sys.executable, *arguments]
            self._running[name] = subprocess.Popen(command, cwd=ROOT, stdout=words, stderr=subprocess.STDOUT), words

    def finish(self) -> None:
        """Wait for the tools and collect their complaints."""
        end = time.monotonic() + self._patience
        for name, (process, words) in self._running.items():
            try:
                status = process.wait(max(end - time.monotonic(), 0.0))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                status = f"nothing within {self._patience:g} seconds"
            if status:
                words.seek(0)
                self.complaints[name] = f"{words.read().decode(errors='replace')}\n{name}: {status}"
            words.close()

    def pytest_sessionstart(self) -> None:
        self.start()

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if exitstatus in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR):
            self._patience = 0.0
        self.finish()
        if self.complaints and exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for name, words in self.complaints.items():
            terminalreporter.section(name, red=True, bold=True)
            terminalreporter.line(words)
        fine = [name for name in self._tools if name not in self.complaints]
        terminalreporter.line(f"no complaint of {', '.join(fine) or 'no tool'}", green=not self.complaints)

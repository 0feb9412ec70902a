"""Checks that the program works without some of its features, in a copy of the tree without their folders.

    python tests/helpers/without.py concordance          three commands: --help, a scored demo, a picture of the window
    python tests/helpers/without.py concordance --tests  these, and the tests that remain
    python tests/helpers/without.py ALL                  the bare inspector
    python tests/helpers/without.py EACH                 the three commands, without each feature in turn
    python tests/helpers/without.py TODAY --tests        one feature a day, in turn

Features that depend on a removed one (pyproject.toml names these) are removed too. The test command runs the three
commands without each feature, and without today's it collects the remaining tests; `--tests` runs them, which takes
as long as all tests do. A test that needs a feature is in its folder of `tests/features`, or marked `needs("NAME")`.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from functools import cache
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FEATURES = ROOT / "parapluie_gui" / "features"

#: Patterns of files not copied: caches, environments, the history. Compiled modules are, which saves seconds.
_LEFT = (".git", ".venv*", ".*_cache", ".hypothesis", ".home", "*.egg-info", "build", "dist")

#: Commands that must work without any feature.
COMMANDS = (
    ("--help",),
    ("score", "demo", "-o", "scored.csv", "--metric", "bleu", "--judge", "pocket", "--quiet"),
    ("gui", "--demo", "--screenshot", "window.png"),
)


def names() -> list[str]:
    """Return the names of the program's features."""
    return sorted(path.parent.name for path in FEATURES.glob("*/feature.py"))


def todays() -> str:
    """Return today's feature."""
    features = names()
    return features[date.today().toordinal() % len(features)]


def dependents(feature: str) -> set[str]:
    """Return a feature and all features that import it, directly or indirectly."""
    gone = {feature}
    while more := {name for name, needed in _needs().items() if needed & gone} - gone:
        gone |= more
    return gone


@cache
def _needs() -> dict[str, set[str]]:
    """Return the features that each feature imports."""
    return {name: _imported(FEATURES / name) for name in names()}


def _imported(folder: Path) -> set[str]:
    """Return the features that the files of a folder import."""
    files = (file.read_text(encoding="utf-8") for file in folder.rglob("*.py"))
    return {feature for text in files for node in ast.walk(ast.parse(text)) if (feature := feature_of(node))}


def feature_of(node: ast.AST) -> str:
    """Return the feature that a statement imports from, "" for none."""
    module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
    return module.split(".")[2] if module.startswith("parapluie_gui.features.") else ""


def copy_without(features: Collection[str], target: Path) -> None:
    """Copy the tree without the code, tests, resources and manual pages of some features.

    Links to these pages in documents outside the manual become plain text, as they do in the manual itself, and the
    import contracts no longer name them. The tests that take features away are left out: they are about the whole tree.
    """
    shutil.copytree(ROOT, target, ignore=shutil.ignore_patterns(*_LEFT), dirs_exist_ok=True)
    for name in features:
        for page in import_module(f"parapluie_gui.features.{name}.feature").FEATURE.manual:
            (target / "resources" / "manual" / f"{page}.md").unlink()
        for folder in ("parapluie_gui/features", "tests/features", "resources"):
            shutil.rmtree(target / folder / name, ignore_errors=True)
    (target / "tests" / "test_without.py").unlink()
    _drop_contracts(target / "pyproject.toml", features)
    for document in (*target.glob("*.md"), *target.glob("tests/benchmarks/*.md")):
        _unlink_absent_pages(document)


@contextmanager
def put_back(copy: Path, features: Collection[str]) -> Iterator[None]:
    """Link the code, resources and manual pages of some features into a copy without any, until the context ends."""
    pages = {name: import_module(f"parapluie_gui.features.{name}.feature").FEATURE.manual for name in features}
    paths = [f"resources/manual/{page}.md" for name in features for page in pages[name]]
    paths += [f"{folder}/{name}" for name in features for folder in ("parapluie_gui/features", "resources")]
    links = [copy / path for path in paths if (ROOT / path).exists()]
    for link in links:
        link.symlink_to(ROOT / link.relative_to(copy))
    yield
    for link in links:
        link.unlink()


def _drop_contracts(file: Path, features: Collection[str]) -> None:
    """Remove the imports of or by some features from the contracts; a missing import is an error."""
    named = re.compile(rf'^ *".*\bparapluie_gui\.features\.({"|".join(features)})\.')
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join(line for line in lines if not named.search(line)), encoding="utf-8")


def _unlink_absent_pages(document: Path) -> None:
    def keep_existing(link: re.Match[str]) -> str:
        return link[0] if (document.parent / link[2]).is_file() else link[1]

    text = document.read_text(encoding="utf-8")
    text = re.sub(r"\[([^\]]+)\]\(([^)#:]*resources/manual/[^)#]+)(?:#[^)]*)?\)", keep_existing, text)
    document.write_text(text, encoding="utf-8")


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of Python in a copy, without a display, with the copy's package and data folder."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]),
        "PARAPLUIE_HOME": str(folder / ".home"),
        "QT_QPA_PLATFORM": "offscreen",
    }


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a copy."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=environment(folder), capture_output=True, text=True)


#: Runs the commands in `sys.argv`, as JSON, one after the other, up to the first that fails.
_RUN_COMMANDS = """
import json, sys
from parapluie_gui.commands.main import main
for command in json.loads(sys.argv[1]):
    try:
        status = main(command)
    except SystemExit as end:  # --help
        status = end.code
    if status:
        sys.exit(f"parapluie {' '.join(command)} ended with {status}")
"""


def try_commands(folder: Path, commands: Sequence[Sequence[str]] = COMMANDS) -> list[str]:
    """Run the commands in a copy, in one process; return a complaint if one fails."""
    done = run(folder, "-c", _RUN_COMMANDS, json.dumps(commands))
    return [done.stderr.strip()[-2000:] or f"ended with {done.returncode}"] if done.returncode else []


def try_tests(folder: Path) -> list[str]:
    """Update the manual's tables of options and run the tests of a copy; return their output if they fail."""
    run(folder, "tests/helpers/option_tables.py").check_returncode()
    done = run(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")
    return [] if done.returncode == 0 else [done.stdout[-6000:]]


def main(arguments: Sequence[str]) -> int:
    """Remove the named features, run the commands that must work, and return 1 if one fails."""
    sys.path.insert(0, str(ROOT))
    wanted = [argument for argument in arguments if not argument.startswith("-")]
    if not wanted or not {*wanted} <= {*names(), "ALL", "EACH", "TODAY"}:
        print(__doc__, f"Features: {', '.join(names())}", sep="\n", file=sys.stderr)
        return 2
    if "ALL" in wanted:
        takings = [set(names())]
    elif "EACH" in wanted:
        takings = [dependents(name) for name in names()]
    elif "TODAY" in wanted:
        takings = [dependents(todays())]
    else:
        takings = [set().union(*map(dependents, wanted))]
    failed = 0
    for taken in takings:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "parapluie"
            copy_without(taken, folder)
            complaints = try_commands(folder)
            if not complaints and "--tests" in arguments:
                complaints = try_tests(folder)
        verdict = "failed" if complaints else "works"
        print(f"without {', '.join(sorted(taken))}: {verdict}", *complaints, sep="\n", flush=True)
        failed |= bool(complaints)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The modules that a metric file imports from its folder, read before they run, for consent and signature."""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType

from parapluie_gui.errors import MetricError
from parapluie_gui.files import check_is_file

#: Maximum size of a metric file or of a module in its folder, in bytes.
LONGEST_FILE = 4 * 2**20
#: Maximum number of modules that a metric file imports from its folder.
MOST_MODULES = 200


@dataclass(frozen=True)
class _ModuleSource:
    path: Path
    code: bytes
    is_package: bool


class NeighbourModules:
    """The modules in a metric file's folder that its imports name, directly or through other modules.

    Their contents are read once. They are imported from these contents, after the standard library and all installed
    packages: a `colorsys.py` next to the metric file is never imported. Modules that no import statement names cannot
    be imported.

    Raises:
        MetricError: A module cannot be read or is not Python, or there are more than `MOST_MODULES`.
    """

    def __init__(self, folder: Path, tree: ast.Module) -> None:
        self._folder = folder
        self._sources: dict[str, _ModuleSource] = {}
        self._imported: dict[str, ModuleType] = {}
        self._add(tree, package="")

    @property
    def paths(self) -> list[str]:
        """The paths of the modules relative to the folder, sorted, with "/" between folders."""
        return sorted(
            source.path.relative_to(self._folder).as_posix()
            for source in self._sources.values()
            if source.path.suffix == ".py"
        )

    def digest(self, code: bytes) -> str:
        """Return the SHA-256 of the metric file's contents and of all its modules; without modules, of the contents."""
        digest = hashlib.sha256(code)
        for name, source in sorted(self._sources.items()):
            digest.update(f"\0{name}\0{hashlib.sha256(source.code).hexdigest()}".encode())
        return digest.hexdigest()

    @contextmanager
    def importable(self) -> Iterator[None]:
        """Make the modules importable within the block; modules of the same name in other folders are kept apart."""
        finder = _ModuleFinder(self._sources)
        for name, loaded in self._imported.items():
            sys.modules.setdefault(name, loaded)
        sys.meta_path.append(finder)
        try:
            yield
        finally:
            sys.meta_path.remove(finder)
            for name in self._sources:
                if isinstance(getattr(sys.modules.get(name), "__loader__", None), _SourceLoader):
                    self._imported[name] = sys.modules.pop(name)

    def _add(self, tree: ast.Module, package: str) -> None:
        for name in _imported_names(tree, package):
            if name.partition(".")[0] in sys.stdlib_module_names:
                continue
            parts = name.split(".")
            for length in range(1, len(parts) + 1):
                self._add_module(".".join(parts[:length]))

    def _add_module(self, name: str) -> None:
        base = self._folder.joinpath(*name.split("."))
        if name in self._sources:
            return
        for path in (base / "__init__.py", base.with_name(f"{base.name}.py")):
            if path.is_file():
                break
        else:
            return
        if len(self._sources) >= MOST_MODULES:
            raise MetricError(f"The metric imports more than {MOST_MODULES} modules of {self._folder}. Use a package.")
        code = read_code(path)
        for length in range(1, name.count(".") + 1):  # namespace packages: folders without __init__.py
            parent = ".".join(name.split(".")[:length])
            self._sources.setdefault(
                parent, _ModuleSource(self._folder.joinpath(*parent.split(".")), b"", is_package=True)
            )
        is_package = path.name == "__init__.py"
        self._sources[name] = _ModuleSource(path, code, is_package)
        self._add(parse_code(code, path), name if is_package else name.rpartition(".")[0])


def read_code(path: Path) -> bytes:
    """Return the contents of a Python file.

    Raises:
        MetricError: The file cannot be read, or is larger than `LONGEST_FILE`.
    """
    try:
        check_is_file(path)
        with path.open("rb") as file:
            code = file.read(LONGEST_FILE + 1)
    except OSError as error:
        raise MetricError(f"{path} cannot be read ({error.strerror or error}). Check its name and folder.") from error
    if len(code) > LONGEST_FILE:
        raise MetricError(f"{path} is larger than {LONGEST_FILE >> 20} MB. Choose a smaller file.")
    return code


def parse_code(code: bytes, path: Path) -> ast.Module:
    """Parse a Python file.

    Raises:
        MetricError: The file is not Python; the message names the line.
    """
    try:
        return ast.parse(code, str(path))
    except (RecursionError, MemoryError) as error:
        raise MetricError(f"{path.name} is too deeply nested to be read. Correct the file.") from error
    except (SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        raise MetricError(f"{path.name}{line}: {getattr(error, 'msg', error)}. Correct the file.") from error


def _imported_names(tree: ast.Module, package: str) -> Iterator[str]:
    """Yield the full names that the import statements of a module name; some of them are attributes, not modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".") if package else []
            parents = parts[: len(parts) - node.level + 1] if node.level else []
            base = ".".join([*parents, *([node.module] if node.module else [])])
            yield from ([base] if base else [])
            yield from (f"{base}.{alias.name}" if base else alias.name for alias in node.names)


class _ModuleFinder(MetaPathFinder):
    def __init__(self, sources: dict[str, _ModuleSource]) -> None:
        self._sources = sources

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        source = self._sources.get(fullname)
        if source is None:
            return None
        spec = ModuleSpec(fullname, _SourceLoader(source), origin=str(source.path), is_package=source.is_package)
        spec.has_location = bool(source.code)
        return spec


class _SourceLoader(Loader):
    def __init__(self, source: _ModuleSource) -> None:
        self._source = source

    def exec_module(self, module: ModuleType) -> None:
        code: CodeType = compile(self._source.code, str(self._source.path), "exec")
        exec(code, module.__dict__)

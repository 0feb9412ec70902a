"""Optional packages: whether they are installed, and the message for a missing one."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import threading
from functools import cache

from parapluie_gui.children import is_portable
from parapluie_gui.errors import MissingPackageError

#: The name of this program's distribution.
PROGRAM = "parapluie_gui"

#: The packages that local models need, which are installed together.
_MODELS = ("torch", "transformers", "accelerate", "gguf", "huggingface_hub")
#: The packages to install with pip if one of the keys is missing.
TOGETHER = {**dict.fromkeys(_MODELS, _MODELS), "pandas": ("pandas",)}
_TITLES = {"torch": "PyTorch"}


_importing = threading.Lock()


def import_alone(name: str) -> None:
    """Import a package while no other thread does, before parts of it are imported.

    The modules of nltk import one another: two threads that begin with different ones block each other.
    """
    with _importing:
        importlib.import_module(name)


@cache
def is_installed(name: str) -> bool:
    """Return whether a package is installed, without importing it."""
    return importlib.util.find_spec(name) is not None


def is_light() -> bool:
    """Return whether this is the light installation, which deliberately lacks the packages for local models."""
    return not is_installed("torch") and not is_installed("transformers")


def require(*names: str, what: str = "This") -> None:
    """Check that the packages that `what` needs are installed.

    Raises:
        MissingPackageError: One of them is not installed.
    """
    for name in names:
        if not is_installed(name):
            raise MissingPackageError(missing_package_message(name, what))


def find_missing_package(error: BaseException | None) -> MissingPackageError | None:
    """Return the message for an error that a missing optional package caused, or None."""
    while error is not None:
        name = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
        if name in TOGETHER and not is_installed(name):
            return MissingPackageError(missing_package_message(name))
        error = error.__cause__ or error.__context__
    return None


def missing_package_message(name: str, what: str = "This") -> str:
    """Return the message that `what` needs a package, and how to install it."""
    title = _TITLES.get(name, name)
    if is_portable():
        server = "" if name not in _MODELS else "Connect to a server that runs models (parapluie models connect), or i"
        return (
            f"{what} needs {title}, which the portable application does not have. {server or 'I'}nstall the program "
            "with pip."
        )
    requirements = " ".join(f"'{pip_requirement(package)}'" for package in TOGETHER[name] if not is_installed(package))
    return f"{what} needs {title}, which is not installed. Install it: pip install {requirements}"


def pip_requirement(name: str) -> str:
    """Return the pip requirement for a compatible version of a package ("torch<2.14,>=2.6")."""
    from packaging.requirements import Requirement

    try:
        needed = map(Requirement, importlib.metadata.requires(PROGRAM) or [])
    except importlib.metadata.PackageNotFoundError:
        return name
    return next((f"{package.name}{package.specifier}" for package in needed if package.name == name), name)

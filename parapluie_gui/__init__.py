"""ParaPLUIE Inspector: see how metrics judge paraphrases.

    import parapluie_gui as pp

    score = pp.score("The cat sleeps.", "The cat is asleep.")
    print(score, score.signature)

The names in `__all__` are public. Importing the package is light (no Qt, torch or numpy); each name loads its
dependencies when it is first used. The manual's page "notebook" shows them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parapluie_gui.version import __version__

if TYPE_CHECKING:
    from parapluie_gui.api.analysing import analyse
    from parapluie_gui.api.corpora import read
    from parapluie_gui.api.notices import ParapluieWarning
    from parapluie_gui.api.scores import Score, Scores
    from parapluie_gui.api.scoring import Judge, score
    from parapluie_gui.api.sessions import open_session
    from parapluie_gui.errors import ParapluieError
    from parapluie_gui.metrics.catalogue import metric

__all__ = [
    "Judge",
    "ParapluieError",
    "ParapluieWarning",
    "Score",
    "Scores",
    "__version__",
    "analyse",
    "metric",
    "open_session",
    "read",
    "score",
]

#: The module of each public name, loaded at its first use; no folder of the package may have such a name.
_MODULES = {
    "Judge": "api.scoring",
    "ParapluieError": "errors",
    "ParapluieWarning": "api.notices",
    "Score": "api.scores",
    "Scores": "api.scores",
    "analyse": "api.analysing",
    "metric": "metrics.catalogue",
    "open_session": "api.sessions",
    "read": "api.corpora",
    "score": "api.scoring",
}


def __getattr__(name: str) -> Any:
    if name.startswith("_") or _is_module(name):  # also asked for each `from parapluie_gui import module`
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    if name in _MODULES:
        value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    else:
        from parapluie_gui.feature import collect_parts

        part = next((part for part in collect_parts("functions") if part.name == name), None)
        if part is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = part.load()
    globals()[name] = value
    return value


def _is_module(name: str) -> bool:
    """Return whether a module of the package has this name, without importing anything."""
    from pathlib import Path

    return any(Path(folder, name + end).exists() for folder in __path__ for end in ("", ".py"))


def __dir__() -> list[str]:
    from parapluie_gui.feature import collect_parts

    return sorted({*globals(), *__all__, *(part.name for part in collect_parts("functions"))})

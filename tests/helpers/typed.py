"""The options that a command gets from a typed line."""

from __future__ import annotations

from typing import Any

import pytest

from parapluie_gui.commands.main import main


def options_of(monkeypatch: pytest.MonkeyPatch, line: str, function: str) -> Any:
    """Return the options that a command's function, named in full, gets from a typed line."""
    calls: list[Any] = []
    monkeypatch.setattr(function, lambda options: calls.append(options) or 0)
    assert main(line.split()) == 0
    (options,) = calls
    return options

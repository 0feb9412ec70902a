"""The options that reach a command when somebody types a line."""

from __future__ import annotations

from typing import Any

import pytest

from parapluie_gui.commands.main import main


def options_of(monkeypatch: pytest.MonkeyPatch, line: str, function: str) -> Any:
    """Return what the function of a command, named in full, is given for a typed line."""
    given: list[Any] = []
    monkeypatch.setattr(function, lambda options: given.append(options) or 0)
    assert main(line.split()) == 0
    (options,) = given
    return options

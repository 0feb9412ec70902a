"""Checks of the installation."""

from __future__ import annotations

from parapluie_gui.feature import Command, Feature

FEATURE = Feature(
    name="doctor",
    package=__package__,
    about="checks of the installation",
    commands=(
        Command(
            name="doctor",
            place="command:run",
            options="parapluie_gui.commands.options:Doctor",
            about="check this installation, and say what to do about problems",
            group="Help",
            examples=("doctor", "doctor --json"),
        ),
    ),
    manual=("doctor",),
)

"""Checks of the installation."""

from __future__ import annotations

from parapluie_gui.feature import Action, Command, Feature

FEATURE = Feature(
    name="doctor",
    package=__package__,
    about="checks of the installation",
    commands=(
        Command(
            name="doctor",
            place="command:run",
            options="command:Doctor",
            about="check this installation, and say what to do about problems",
            group="Help",
            examples=("doctor", "doctor --json"),
        ),
    ),
    window="window:InstallationCheck",
    actions=(
        Action(
            slot="doctor.open",
            menu=("&Help", "&Troubleshooting"),
            text="&Check this installation…",
            tip="Versions, devices, memory, Qt, folders and models, and what to do about problems",
            icon="stethoscope",
            after="finder.open",
        ),
    ),
    manual=("doctor",),
)

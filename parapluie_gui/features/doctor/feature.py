"""The feature "doctor": checks of the installation."""

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
            options="command:DoctorOptions",
            about="check this installation and explain how to solve problems",
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
            tip="Check versions, devices, memory, Qt, folders and models, and how to solve problems",
            icon="stethoscope",
            after="finder.open",
        ),
    ),
    manual=("doctor",),
)

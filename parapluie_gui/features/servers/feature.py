"""The feature of judges on servers, and of llama.cpp in a separate process."""

from __future__ import annotations

from parapluie_gui.feature import Command, Feature, FeaturePart, ModelSource

FEATURE = Feature(
    name="servers",
    package=__package__,
    about="judges on servers, and llama.cpp in a separate process",
    commands=(
        Command(
            name="connect",
            of="models",
            place="command:run",
            options="command:ConnectOptions",
            about="connect to a server that runs a judge",
            after="recommend",
        ),
    ),
    judges=(FeaturePart("causal", "judge:ServedJudge"), FeaturePart("causal", "local:LlamaCppJudge")),
    model_sources=(
        ModelSource(
            "servers",
            "source:ServerSource",
            prefixes=("http://", "https://", "localhost:", "127.0.0.1:"),
            choose="Connect to a server…",
            dialog="dialog:ServerDialog",
            hint="This judge runs on a server. Connect to it with “Another model…” before you press Run.",
        ),
    ),
)

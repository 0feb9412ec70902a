"""Judges on servers, and llama.cpp in a process of its own."""

from __future__ import annotations

from parapluie_gui.feature import Feature, Part

FEATURE = Feature(
    name="servers",
    package=__package__,
    about="judges on servers, and llama.cpp in a process of its own",
    judges=(Part("causal", "judge:ServedJudge"), Part("causal", "local:LlamaCppJudge")),
)

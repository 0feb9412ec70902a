"""The kinds of language models that can judge: causal ones write text, masked ones fill gaps."""

from __future__ import annotations

CAUSAL, MASKED = "causal", "masked"

"""The kinds of language models that can judge: those that write text, and those that fill gaps."""

from __future__ import annotations

CAUSAL, MASKED = "causal", "masked"

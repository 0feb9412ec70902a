"""How `parapluie score` scores in parts: the command is handed over as soon as an option of parts is named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from parapluie_gui.features.parts.options import Sharding


@dataclass(frozen=True, kw_only=True)
class ScoringInParts(Sharding):
    """The options of a corpus in parts, with what they do."""

    def take_over(self, options: Any) -> int | None:
        """Score in parts if that was asked for; options that only a corpus in parts has are refused otherwise."""
        from parapluie_gui.features.parts import score_command

        if self.shard is None and self.engine is None:
            score_command.refuse_options_of_parts(self)
            return None
        return score_command.run(options, self)

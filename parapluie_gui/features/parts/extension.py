"""The options with which `parapluie score` scores in parts instead of in one process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from parapluie_gui.features.parts.options import ShardingOptions


@dataclass(frozen=True, kw_only=True)
class ScoringInParts(ShardingOptions):
    """The options of a corpus in parts, which take over the command."""

    def take_over(self, options: Any) -> int | None:
        """Score in parts and return the exit status if an option asks for it, else None.

        Raises:
            ParapluieError: An option that applies only to a corpus in parts is used alone.
        """
        from parapluie_gui.features.parts import score_command

        if self.shard is None and self.engine is None:
            score_command.refuse_options_of_parts(self)
            return None
        return score_command.run(options, self)

"""PARAPHRASUS beyond its table 2: what all methods get wrong together, and errors by language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from parapluie_gui.analysis.protocols.paraphrasus import Method, PartError, Task, tally
from parapluie_gui.analysis.statistics.shared_errors import SharedErrors, shared_errors, wrong_by
from parapluie_gui.arrays import Floats, Mask


def shared(found: Iterable[Task], methods: Sequence[Method]) -> dict[str, SharedErrors]:
    """Return, for each of a corpus's parts, what all methods get wrong and what at least one does (table 5).

    Each run of a method has a say of its own. Several files add up.
    """
    return {task.part.key: shared_errors(_verdicts(task, methods), task.expected) for task in found}


def shared_mask(task: Task, methods: Sequence[Method], *, every: bool) -> Mask:
    """Return the pairs of a part, over the whole corpus, that all methods get wrong, or at least one does."""
    _, by_all, by_any = wrong_by(_verdicts(task, methods), task.expected)
    mask = np.zeros(len(methods[0].verdicts), dtype=bool)
    mask[task.rows[by_all if every else by_any]] = True
    return mask


def by_language(
    found: Iterable[Task], method: Method, languages: Sequence[str | None]
) -> Mapping[str, dict[str, PartError]]:
    """Return a method's errors in each part, for each language of a corpus; pairs without one are left out."""
    codes = np.array(["" if each is None else each for each in languages], dtype=object)
    tasks = list(found)
    result: dict[str, dict[str, PartError]] = {}
    for language in dict.fromkeys(codes):
        if not language:
            continue
        limited = [_limited(task, np.asarray(codes[task.rows] == language)) for task in tasks]
        result[language] = tally([task for task in limited if len(task.rows)], method)
    return result


def _limited(task: Task, chosen: Mask) -> Task:
    return replace(task, rows=task.rows[chosen], expected=task.expected[chosen])


def _verdicts(task: Task, methods: Sequence[Method]) -> Floats:
    return np.column_stack([method.verdicts[task.rows] for method in methods])

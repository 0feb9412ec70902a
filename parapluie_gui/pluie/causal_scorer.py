"""ParaPLUIE itself: the score of sentence pairs under one template, in batches or one by one.

Lemesle et al. (COLING 2025): score = log p(yes | Tpl(S, H)) − log p(no | Tpl(S, H)). The paper computes it as a
difference of two losses, (T+1)·(loss(Tpl∘no) − loss(Tpl∘yes)); here both answers are read at the answer position of
one forward pass, where the normaliser cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from parapluie_gui.models.catalogue import ModelFiles
from parapluie_gui.models.device import free_memory, out_of_memory
from parapluie_gui.pluie.batches import WINDOW, BatchMemory, grouped
from parapluie_gui.pluie.causal import CausalJudge, SharedPrefix
from parapluie_gui.pluie.encoding import Encoder, Prompt
from parapluie_gui.pluie.evidence import Evidence, evidences
from parapluie_gui.pluie.fast.attention import Past
from parapluie_gui.pluie.fast.packing import LEAST_SHARED
from parapluie_gui.pluie.prompt import Frame
from parapluie_gui.pluie.rendering import Renderer, common_prefix
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.signature import Signature

if TYPE_CHECKING:
    import torch

#: Most tokens (padding included, shared prefix not) of one forward pass. On a CPU larger batches gain nothing and
#: make the scatter fill in jerks; a GPU needs them to be busy.
BATCH_TOKENS = {"cpu": 1024, "mps": 4096, "cuda": 16384}

#: Most rows that write at a time where rows that have ended leave the batch: a step reads all weights once for all.
WRITERS = 32

#: Raised when the way a score is computed changes, so that stored scores of the old way are not taken for new ones.
REVISION = 1

Guard = Callable[[Callable[[], Any]], Any]


@dataclass(frozen=True)
class Scored:
    """A pair's score and where it comes from.

    Attributes:
        row: The pair's number in what was given to the scorer.
        score: log p(yes) − log p(no), natural logarithm, unbounded; NaN when the prompt is too long for the model.
        evidence: Probabilities, likeliest tokens, explanation.
    """

    row: int
    score: float
    evidence: Evidence


class CausalScorer:
    """Scores pairs under one template with one model.

    Args:
        backend: The loaded model.
        files: What it was loaded from, for the signature.
        template: The prompt.
        renderer: Of the model's chat format; shared between the templates of a job.
        exact: One pair at a time, nothing shared, for reproduction.
        batch_tokens: Most tokens of one forward pass; 0 = the device's default.
        warn: Told, in a sentence, what the user should know.
        guard: Runs the work on one batch; may do it again when it was interrupted on the way.

    Raises:
        TemplateError: The model's chat template refuses the conversation.
    """

    def __init__(
        self,
        backend: CausalJudge,
        files: ModelFiles,
        template: Template,
        *,
        renderer: Renderer | None = None,
        exact: bool = False,
        batch_tokens: int = 0,
        warn: Callable[[str], None] = lambda text: None,
        guard: Guard = lambda work: work(),
    ) -> None:
        self.backend = backend
        self.template = template
        self.exact = exact
        self.renderer = renderer or Renderer(backend.tokenizer)
        self.rendering = self.renderer.render(template)
        self.signature = pluie_signature(files, template, backend.precision, exact=exact)
        self._warn = warn
        self._guard = guard
        self._memory = BatchMemory(batch_tokens or BATCH_TOKENS[backend.device.type], backend.device, warn)
        self._question = Encoder(self.renderer, self.rendering.frame)
        self._opening = None if self.rendering.before is None else Encoder(self.renderer, self.rendering.before)
        self._prefix: SharedPrefix | None = None

    @property
    def frame(self) -> Frame:
        """The exact prompt, with marks where the sentences go."""
        return self.rendering.frame

    def score(self, sources: Sequence[str], hypotheses: Sequence[str], seed: int = 0) -> Iterator[list[Scored]]:
        """Yield the scores of all pairs, batch by batch in random order.

        Args:
            sources: n sentences.
            hypotheses: n sentences.
            seed: Of the order.

        Raises:
            ModelError: Not even one pair fits into memory.
        """
        # A window of random pairs at a time: sorted by length inside, so that a batch wastes little on padding, while
        # the first batches are already a fair sample of the corpus.
        random = np.random.default_rng(seed)
        order = self._order(sources, random)
        if not self.exact and self._prefix is None:
            self._prefix = self._guard(self._share)
        for start in range(0, len(order), WINDOW):
            rows = order[start : start + WINDOW].tolist()
            chosen = [sources[row] for row in rows], [hypotheses[row] for row in rows]
            prompts = (self._opening or self._question).encode(rows, *chosen)
            batches = self._batches(prompts)
            for number in random.permutation(len(batches)):
                yield self._guard(partial(self._judged, batches[number], sources, hypotheses))

    def _order(self, sources: Sequence[str], random: np.random.Generator) -> np.ndarray:
        """Return all rows at random; where beginnings are shared, pairs of the same source one after the other."""
        order = random.permutation(len(sources))
        if self.exact or not self.backend.packs:
            return order
        first: dict[str, int] = {}
        groups = [first.setdefault(sources[row], place) for place, row in enumerate(order.tolist())]
        return order[np.argsort(groups, kind="stable")]

    def _share(self) -> SharedPrefix | None:
        try:
            return self.backend.share(self._question.shared)
        except (MemoryError, RuntimeError) as error:
            if not out_of_memory(error):
                raise
        # A pair without the shared prefix needs as much, so scoring will tell the user.
        free_memory()
        return None

    def _judged(self, batch: list[Prompt], sources: Sequence[str], hypotheses: Sequence[str]) -> list[Scored]:
        if self._opening is None:
            return self._answered(batch)
        fitting, scored = self._fitting(batch, self.rendering.max_new_tokens)
        return scored + (self._answered(*self._explained(fitting, sources, hypotheses)) if fitting else [])

    def _batches(self, prompts: list[Prompt]) -> list[list[Prompt]]:
        """Group prompts within the budget, so that little is computed twice or for nothing."""
        if self.exact:
            return [[prompt] for prompt in prompts]
        known = 0 if self._prefix is None else len(self._prefix.ids)
        if self.backend.packs and self._prefix is not None:
            if self._opening is not None:
                at_once = max(WRITERS * self._memory.budget // BATCH_TOKENS[self.backend.device.type], 1)
                return [prompts[start : start + at_once] for start in range(0, len(prompts), at_once)]
            return self._in_a_row(prompts, known)
        if self._opening is not None:
            known = 0
        lengths = [max(len(prompt.ids) - known, 1) for prompt in prompts]
        return [[prompts[number] for number in batch] for batch in grouped(lengths, self._memory.budget)]

    def _in_a_row(self, prompts: list[Prompt], known: int) -> list[list[Prompt]]:
        """Cut the prompts, as they follow each other, into batches; what one shares with the last costs nothing."""
        batches: list[list[Prompt]] = []
        left = 0
        for prompt in prompts:
            cost = max(len(prompt.ids) - known, 1)
            if batches:
                alike = common_prefix(batches[-1][-1].ids, prompt.ids) - known
                cost -= alike if LEAST_SHARED <= alike < cost else 0
            if cost > left:
                batches.append([])
                cost, left = max(len(prompt.ids) - known, 1), self._memory.budget
            batches[-1].append(prompt)
            left -= cost
        return batches

    def _explained(
        self, batch: list[Prompt], sources: Sequence[str], hypotheses: Sequence[str]
    ) -> tuple[list[Prompt], dict[int, Past]]:
        """Let the judge write its explanations.

        Returns:
            The prompts that ask for the answer after them, and what is kept of the writing by row.
        """
        limit = self.rendering.max_new_tokens
        along, alone = self._parted(batch)
        cut = 0 if self._prefix is None else len(self._prefix.ids)
        written = self._memory.halving(
            along, lambda part: self.backend.write([prompt.ids[cut:] for prompt in part], limit, self._prefix)
        )
        written += self._memory.halving(alone, lambda part: self.backend.write([prompt.ids for prompt in part], limit))
        rows = [prompt.row for prompt in (*along, *alone)]
        texts = [self.renderer.own_words(text) for text, _ in written]
        kept = {row: past for row, (_, past) in zip(rows, written, strict=True) if past is not None}
        said = [sources[row] for row in rows], [hypotheses[row] for row in rows], texts
        return self._question.encode(rows, *said), kept

    def _parted(self, batch: list[Prompt]) -> tuple[list[Prompt], list[Prompt]]:
        """Part the prompts that begin with the shared prefix from the others."""
        prefix = () if self._prefix is None or self.exact else self._prefix.ids
        # A first letter that melts with the quotation mark before it makes a prompt leave the prefix early.
        along = [prompt for prompt in batch if prefix and tuple(prompt.ids[: len(prefix)]) == prefix]
        alone = [prompt for prompt in batch if not prefix or tuple(prompt.ids[: len(prefix)]) != prefix]
        return along, alone

    def _answered(self, batch: list[Prompt], kept: Mapping[int, Past] | None = None) -> list[Scored]:
        """Return the scores of a batch."""
        fitting, scored = self._fitting(batch, max(len(self.rendering.yes), len(self.rendering.no)))
        along, alone = self._parted(fitting)
        scored += self._memory.halving(along, lambda part: self._forward(part, self._prefix, kept or {}))
        return scored + self._memory.halving(alone, lambda part: self._forward(part, None, {}))

    def _fitting(self, batch: list[Prompt], more: int) -> tuple[list[Prompt], list[Scored]]:
        """Part off the prompts that, with more tokens to come, the model is too short for: NaN and a warning."""
        most = self.backend.most_tokens
        fitting = [prompt for prompt in batch if len(prompt.ids) + more <= most]
        if len(fitting) == len(batch):
            return fitting, []
        self._warn(f"{self.template.name}: pairs longer than the model's {most:,} tokens get no score.")
        unknown = float("nan")
        too_long = [prompt for prompt in batch if len(prompt.ids) + more > most]
        return fitting, [
            Scored(
                prompt.row, unknown, Evidence(unknown, unknown, tokens=len(prompt.ids), neutralised=prompt.neutralised)
            )
            for prompt in too_long
        ]

    def _forward(self, batch: list[Prompt], prefix: SharedPrefix | None, kept: Mapping[int, Past]) -> list[Scored]:
        cut = 0 if prefix is None else len(prefix.ids)
        rows = [prompt.ids[cut : len(prompt.ids) - self.rendering.drop] for prompt in batch]
        pasts = [kept.get(prompt.row) for prompt in batch]
        yes, no = self.rendering.yes, self.rendering.no
        if self.rendering.one_token:
            logits = self._logits(rows, 1, prefix, pasts)[:, 0]
            logs = logits.log_softmax(-1)
            log_yes, log_no = logs[:, yes[0]], logs[:, no[0]]
            # Of the logits themselves: the normaliser cancels, and nothing is lost to rounding it.
            scores = logits[:, yes[0]] - logits[:, no[0]]
        else:
            log_yes, logs = self._sequence(rows, yes, prefix, pasts)
            log_no, _ = self._sequence(rows, no, prefix, pasts)
            scores = log_yes - log_no
        rest = [
            {"tokens": len(one.ids), "explanation": one.explanation, "neutralised": one.neutralised} for one in batch
        ]
        found = evidences(log_yes, log_no, logs, self.backend.tokenizer.decode, rest)
        return [Scored(one.row, score, each) for one, score, each in zip(batch, scores.tolist(), found, strict=True)]

    def _sequence(
        self,
        rows: list[list[int]],
        answer: tuple[int, ...],
        prefix: SharedPrefix | None,
        pasts: Sequence[Past | None],
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the log-probability of an answer of several tokens, and the distribution of its first token."""
        import torch

        logits = self._logits([row + list(answer[:-1]) for row in rows], len(answer), prefix, pasts)
        logs = logits.log_softmax(-1)
        wanted = torch.tensor(answer, device=logs.device).expand(len(rows), -1)
        return logs.gather(2, wanted[:, :, None])[:, :, 0].sum(1), logs[:, 0]

    def _logits(
        self, rows: list[list[int]], positions: int, prefix: SharedPrefix | None, pasts: Sequence[Past | None]
    ) -> torch.Tensor:
        if any(past is not None for past in pasts):
            return self.backend.answer_logits(rows, positions, prefix, pasts)
        return self.backend.answer_logits(rows, positions, prefix)


def pluie_signature(files: ModelFiles, template: Template, precision: str, *, exact: bool) -> Signature:
    """Return what a ParaPLUIE score depends on; the device is left out, as its rounding is below the precision's."""
    return Signature.of(
        template.column,
        {
            "name": template.column,
            "model": files.name,
            "revision": files.revision,
            "template": f"{template.name}@{template.digest}",
            "answers": f"{template.yes}/{template.no}",
            "precision": precision,
            "mode": "exact" if exact else "shared",
            "scorer": REVISION,
        },
    )

"""Scores of pairs under one conversation by a causal judge, in batches or one pair at a time.

Both answers are read at the answer position of one forward pass, where the normaliser cancels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING, Unpack

import numpy as np

from parapluie_gui.arrays import Rows
from parapluie_gui.models.device import free_memory, is_out_of_memory
from parapluie_gui.pluie.batch_scorer import BatchScorer
from parapluie_gui.pluie.encoding import EncodedPrompt, PromptEncoder
from parapluie_gui.pluie.evidence import AnswerEvidence, AnswerTokens, JudgeAnswers, answer_tokens
from parapluie_gui.pluie.fast.attention import PastKeysValues
from parapluie_gui.pluie.fast.packing import LEAST_SHARED
from parapluie_gui.pluie.judge import PairScore, ScorerOptions
from parapluie_gui.pluie.prompt import PromptFrame
from parapluie_gui.pluie.pytorch_judge import sum_logs
from parapluie_gui.pluie.rendering import common_prefix
from parapluie_gui.pluie.templates import Template

if TYPE_CHECKING:
    import torch

    from parapluie_gui.pluie.causal_model import CausalModel, SharedPrefix


class CausalScorer(BatchScorer[EncodedPrompt]):
    """A scorer of pairs under one conversation with one causal judge; see `ScorerOptions` for the options.

    Raises:
        TemplateError: The model's chat template refuses the conversation.
    """

    def __init__(self, judge: CausalModel, template: Template, **options: Unpack[ScorerOptions]) -> None:
        super().__init__(judge, template, **options)
        self.judge = judge
        self.rendering = judge.renderer.render(template)
        for notice in self.rendering.notices:
            self._warn(notice)
        draw = template.make_drawer()
        before = self.rendering.before
        self._question = PromptEncoder(judge.renderer, self.rendering.frame, draw)
        self._opening = None if before is None else PromptEncoder(judge.renderer, before, draw)
        self._prefix: SharedPrefix | None = None
        self._writers = judge.writing_memory(self._warn, options.get("batch_tokens", 0))

    @property
    def frame(self) -> PromptFrame:
        """The exact prompt, with placeholders for the sentences."""
        return self.rendering.frame

    @property
    def answer_tokens(self) -> AnswerTokens:
        """The tokens of yes and of no."""
        return answer_tokens(self.rendering.spellings, self.judge.tokenizer.decode)

    def score(self, sources: Sequence[str], hypotheses: Sequence[str], seed: int = 0) -> Iterator[list[PairScore]]:
        """Yield the scores of all pairs; see `TemplateScorer.score`."""
        if not self.exact and self._prefix is None:
            self._prefix = self._guard(self._share)
        yield from super().score(sources, hypotheses, seed)

    def _encode_pairs(self, rows: list[int], sources: Sequence[str], hypotheses: Sequence[str]) -> list[EncodedPrompt]:
        sentences = [sources[row] for row in rows], [hypotheses[row] for row in rows]
        return (self._opening or self._question).encode(rows, *sentences)

    def _choose_order(self, sources: Sequence[str], random: np.random.Generator) -> Rows:
        """Return all rows in random order; if beginnings are shared, keep pairs with the same source together."""
        order = super()._choose_order(sources, random)
        if self.exact or not self.judge.packs_beginnings:
            return order
        first: dict[str, int] = {}
        groups = [first.setdefault(sources[row], place) for place, row in enumerate(order.tolist())]
        return order[np.argsort(groups, kind="stable")]

    def _share(self) -> SharedPrefix | None:
        try:
            return self.judge.share(self._question.shared)
        except (MemoryError, RuntimeError) as error:
            if not is_out_of_memory(error):
                raise
        # A pair without the shared prefix needs just as much memory, so scoring will report the error.
        free_memory()
        return None

    def _score_batch(
        self, batch: list[EncodedPrompt], sources: Sequence[str], hypotheses: Sequence[str]
    ) -> list[PairScore]:
        if self._opening is None:
            return self._score_prompts(batch)
        fitting, scored = self._split_too_long(batch, self.rendering.max_new_tokens)
        return scored + (
            self._score_prompts(*self._write_explanations(fitting, sources, hypotheses)) if fitting else []
        )

    def _group_batches(self, prompts: list[EncodedPrompt]) -> list[list[EncodedPrompt]]:
        shared = 0 if self._prefix is None else len(self._prefix.ids)
        if self.judge.packs and self._prefix is not None:
            if self._opening is not None:
                at_once = self._writers.budget
                return [prompts[start : start + at_once] for start in range(0, len(prompts), at_once)]
            if self.judge.packs_beginnings:
                return self._batch_in_order(prompts, shared)
        if self._opening is not None:
            shared = 0
        return self._group_by_length(prompts, [self._count_padded_tokens([prompt], shared) for prompt in prompts])

    def _batch_in_order(self, prompts: list[EncodedPrompt], shared: int) -> list[list[EncodedPrompt]]:
        """Cut the prompts, in order, into batches; tokens that a prompt shares with the previous one cost nothing."""
        batches: list[list[EncodedPrompt]] = []
        left = 0
        for prompt in prompts:
            cost = _count_new_tokens(prompt, batches[-1][-1] if batches else None, shared)
            if cost > left:
                batches.append([])
                cost, left = _count_new_tokens(prompt, None, shared), self._memory.budget
            batches[-1].append(prompt)
            left -= cost
        return batches

    def _count_tokens(
        self, batch: list[EncodedPrompt], shared: int = 0, pasts: Mapping[int, PastKeysValues] | None = None
    ) -> int:
        """Return how much of the budget a pass over prompts that all begin with `shared` tokens takes.

        `pasts` are the stored keys and values of rows, which cost nothing.
        """
        if not (shared and self.judge.packs):
            return self._count_padded_tokens(batch, shared)
        if pasts:
            cached = [len(pasts[prompt.row].ids) if prompt.row in pasts else 0 for prompt in batch]
            return sum(max(len(prompt.ids) - shared - done, 1) for prompt, done in zip(batch, cached, strict=True))
        before = [None, *batch[:-1]] if self.judge.packs_beginnings else repeat(None)
        return sum(map(_count_new_tokens, batch, before, repeat(shared)))

    def _count_padded_tokens(self, batch: list[EncodedPrompt], shared: int) -> int:
        longest = max(len(prompt.ids) for prompt in batch)
        return len(batch) * (max(longest - shared, 1) + self.judge.count_copied_tokens(shared))

    def _write_explanations(
        self, batch: list[EncodedPrompt], sources: Sequence[str], hypotheses: Sequence[str]
    ) -> tuple[list[EncodedPrompt], dict[int, PastKeysValues]]:
        """Write the judge's explanations.

        Returns:
            The prompts that ask for the answer after the explanations, and the stored keys and values by row.
        """
        limit = self.rendering.max_new_tokens
        with_prefix, *apart = self._split_by_prefix(batch, limit)
        cut = 0 if self._prefix is None else len(self._prefix.ids)
        written = self._writers.run_within_budget(
            with_prefix, lambda part: self.judge.write([prompt.ids[cut:] for prompt in part], limit, self._prefix), len
        )
        for alone in apart:
            written += self._writers.run_within_budget(
                alone, lambda part: self.judge.write([prompt.ids for prompt in part], limit), len
            )
        rows = [prompt.row for prompt in chain(with_prefix, *apart)]
        texts = [self.judge.renderer.extract_own_turn(text) for text, _ in written]
        pasts = {row: past for row, (_, past) in zip(rows, written, strict=True) if past is not None}
        sentences = [sources[row] for row in rows], [hypotheses[row] for row in rows], texts
        return self._question.encode(rows, *sentences), pasts

    def _split_by_prefix(self, batch: list[EncodedPrompt], more: int) -> list[list[EncodedPrompt]]:
        """Return the prompts that begin with the shared prefix (maybe empty), and groups to compute without it.

        A prompt forms a separate group if `more` tokens would make it so long that its positions change.
        """
        prefix = () if self._prefix is None or self.exact else self._prefix.ids
        long = [prompt for prompt in batch if len(prompt.ids) + more > self.judge.length_limits.alike]
        alike = [prompt for prompt in batch if len(prompt.ids) + more <= self.judge.length_limits.alike]
        # If a first letter merges with the quotation mark before it, the prompt differs from the prefix early.
        with_prefix = [prompt for prompt in alike if prefix and tuple(prompt.ids[: len(prefix)]) == prefix]
        apart = [prompt for prompt in alike if not prefix or tuple(prompt.ids[: len(prefix)]) != prefix]
        return [with_prefix, apart, *([prompt] for prompt in long)]

    def _score_prompts(
        self, batch: list[EncodedPrompt], pasts: Mapping[int, PastKeysValues] | None = None
    ) -> list[PairScore]:
        more = self.rendering.most_tokens
        fitting, scored = self._split_too_long(batch, more)
        # The last token of an answer is read from the logits, not given to the model.
        with_prefix, *apart = self._split_by_prefix(fitting, more - 1)
        shared = 0 if self._prefix is None else len(self._prefix.ids)
        scored += self._memory.run_within_budget(
            with_prefix,
            lambda part: self._forward(part, self._prefix, pasts or {}),
            lambda part: self._count_tokens(part, shared, pasts),
        )
        for alone in apart:
            scored += self._memory.run_within_budget(
                alone, lambda part: self._forward(part, None, {}), self._count_tokens
            )
        return scored

    def _split_too_long(self, batch: list[EncodedPrompt], more: int) -> tuple[list[EncodedPrompt], list[PairScore]]:
        """Return the prompts that fit with `more` tokens, and NaN scores, with a warning, for those that do not."""
        most = self.judge.length_limits.most
        fitting = [prompt for prompt in batch if len(prompt.ids) + more <= most]
        if len(fitting) == len(batch):
            return fitting, []
        self._warn(f"{self.template.name}: pairs longer than the model's {most:,} tokens get no score.")
        unknown = float("nan")
        too_long = [prompt for prompt in batch if len(prompt.ids) + more > most]
        return fitting, [
            PairScore(
                prompt.row,
                unknown,
                AnswerEvidence(unknown, unknown, tokens=len(prompt.ids), neutralised=prompt.neutralised),
                asked=False,
            )
            for prompt in too_long
        ]

    def _forward(
        self, batch: list[EncodedPrompt], prefix: SharedPrefix | None, pasts_by_row: Mapping[int, PastKeysValues]
    ) -> list[PairScore]:
        cut = 0 if prefix is None else len(prefix.ids)
        rows = [prompt.ids[cut : len(prompt.ids) - self.rendering.drop] for prompt in batch]
        pasts = [pasts_by_row.get(prompt.row) for prompt in batch]
        spellings = self.rendering.spellings
        if self.rendering.one_token:
            logits = self._logits(rows, 1, prefix, pasts)[:, 0]
            logs = logits.log_softmax(-1)
            yes, no = ([spelling.ids[0] for spelling in side] for side in spellings)
            log_yes, log_no = logs[:, yes], logs[:, no]
            # From the logits: the normaliser cancels, so its rounding error stays out.
            scores = sum_logs(logits[:, yes]) - sum_logs(logits[:, no])
        else:
            log_yes, log_no, logs = self._score_spellings(rows, prefix, pasts)
            scores = sum_logs(log_yes) - sum_logs(log_no)
        answers = JudgeAnswers.from_logs(log_yes, log_no, logs)
        fields = [prompt.evidence_fields for prompt in batch]
        evidence = answers.make_evidence(spellings, self.judge.tokenizer.decode, fields)
        return [
            PairScore(prompt.row, score, one)
            for prompt, score, one in zip(batch, scores.tolist(), evidence, strict=True)
        ]

    def _score_spellings(
        self, rows: list[list[int]], prefix: SharedPrefix | None, pasts: Sequence[PastKeysValues | None]
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return the log-probabilities of all spellings of yes and of no, and the distribution of the first token.

        All spellings of one token need one pass, and each longer spelling a separate pass.
        """
        import torch

        yes, no = self.rendering.spellings
        log_probabilities: dict[tuple[int, ...], torch.Tensor] = {}
        single = [spelling.ids for spelling in (*yes, *no) if len(spelling.ids) == 1]
        logs: torch.Tensor | None = None
        if single:
            logs = self._logits(rows, 1, prefix, pasts)[:, 0].log_softmax(-1)
            log_probabilities = {ids: logs[:, ids[0]] for ids in single}
        for spelling in (*yes, *no):
            if spelling.ids not in log_probabilities:
                log_probabilities[spelling.ids], first = self._score_spelling(rows, spelling.ids, prefix, pasts)
                logs = first if logs is None else logs
        assert logs is not None
        log_yes, log_no = (
            torch.stack([log_probabilities[spelling.ids] for spelling in side], dim=1) for side in (yes, no)
        )
        return log_yes, log_no, logs

    def _score_spelling(
        self,
        rows: list[list[int]],
        answer: tuple[int, ...],
        prefix: SharedPrefix | None,
        pasts: Sequence[PastKeysValues | None],
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the log-probability of an answer of several tokens, and the distribution of the first token."""
        import torch

        logits = self._logits([row + list(answer[:-1]) for row in rows], len(answer), prefix, pasts)
        logs = logits.log_softmax(-1)
        wanted = torch.tensor(answer, device=logs.device).expand(len(rows), -1)
        return logs.gather(2, wanted[:, :, None])[:, :, 0].sum(1), logs[:, 0]

    def _logits(
        self, rows: list[list[int]], positions: int, prefix: SharedPrefix | None, pasts: Sequence[PastKeysValues | None]
    ) -> torch.Tensor:
        if any(past is not None for past in pasts):
            return self.judge.answer_logits(rows, positions, prefix, pasts)
        return self.judge.answer_logits(rows, positions, prefix)


def _count_new_tokens(prompt: EncodedPrompt, last: EncodedPrompt | None, shared: int) -> int:
    """Return how many tokens a prompt adds to a packing after the prompt `last`, without the tokens they share."""
    own = max(len(prompt.ids) - shared, 1)
    alike = 0 if last is None else common_prefix(last.ids, prompt.ids) - shared
    return own - alike if LEAST_SHARED <= alike < own else own

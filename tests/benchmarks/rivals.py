"""The alternative ways to the same scores, for the benchmark: two losses, lm-evaluation-harness, generation one at a
time.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Sequence

import numpy as np
import torch
import transformers

from parapluie_gui.models.catalogue import ModelFiles
from parapluie_gui.models.loading import quiet
from parapluie_gui.pluie.templates import Template

#: Maximum number of prompts in one of lm-evaluation-harness's batches.
HARNESS_BATCH = 16


class Plain:
    """The model as transformers loads it, without our code."""

    def __init__(self, files: ModelFiles, precision: str, device: torch.device) -> None:
        with quiet():
            self.tokenizer = transformers.AutoTokenizer.from_pretrained(files.folder)
            model = transformers.AutoModelForCausalLM.from_pretrained(files.folder, dtype=getattr(torch, precision))
        self.model = model.to(device).eval()

    def prompt(self, template: Template, source: str, hypothesis: str, turns: int | None = None) -> str:
        """Return the conversation, or its first turns, up to the assistant's turn."""
        sentences = {"{source}": source, "{hypothesis}": hypothesis}
        said = [
            {"role": turn.role, "content": re.sub(r"{source}|{hypothesis}", lambda at: sentences[at[0]], turn.text)}
            for turn in template.turns[:turns]
        ]
        text = self.tokenizer.apply_chat_template(said, tokenize=False, add_generation_prompt=True)
        assert isinstance(text, str)
        return text

    def ids(self, text: str) -> list[int]:
        """Return the token ids of a text that contains its special tokens."""
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])


class TwoLoss:
    """The paper's way: the loss of the complete conversation with each answer, (T+1)·(loss(no) − loss(yes))."""

    def __init__(self, plain: Plain) -> None:
        self._plain = plain

    def scores(self, template: Template, sources: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        """Return the scores of n pairs."""
        return np.array([self._score(template, *pair) for pair in zip(sources, hypotheses, strict=True)])

    def _score(self, template: Template, source: str, hypothesis: str) -> float:
        losses = []
        for answer in (template.no, template.yes):
            # Only up to the answer: the text that a chat format adds after it would affect the loss.
            ids = torch.tensor([self._plain.ids(self._plain.prompt(template, source, hypothesis) + answer)])
            ids = ids.to(self._plain.model.device)
            with torch.inference_mode():
                losses.append(self._plain.model(input_ids=ids, labels=ids).loss.double().item())
        return (ids.shape[1] - 1) * (losses[0] - losses[1])


class Harness:
    """lm-evaluation-harness's log-likelihoods of both answers, with its own batching, sorting and cache of contexts."""

    def __init__(self, plain: Plain) -> None:
        from lm_eval.models.huggingface import HFLM

        self._plain = plain
        with quiet():
            self._model = HFLM(
                pretrained=plain.model,
                tokenizer=plain.tokenizer,
                backend="causal",
                batch_size=HARNESS_BATCH,
                device=str(plain.model.device),
            )

    @staticmethod
    def installed() -> bool:
        """Return whether the package is installed."""
        return importlib.util.find_spec("lm_eval") is not None

    def scores(self, template: Template, sources: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        """Return the scores of n pairs."""
        requests = []
        for pair in zip(sources, hypotheses, strict=True):
            prompt = self._plain.prompt(template, *pair)
            context = self._plain.ids(prompt)
            requests += [
                ((prompt, answer), context, self._plain.ids(prompt + answer)[len(context) :])
                for answer in (template.yes, template.no)
            ]
        result = [log for log, _ in self._model._loglikelihood_tokens(requests, disable_tqdm=True)]
        return np.array(result[::2]) - np.array(result[1::2])


class OneAtATime:
    """INDIRECT with `generate` for one pair after another, and a further pass for the answer."""

    def __init__(self, plain: Plain, ends: Sequence[int]) -> None:
        self._plain = plain
        self._ends = list(ends)

    def scores(self, template: Template, sources: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        """Return the scores of n pairs."""
        return np.array([self._score(template, *pair) for pair in zip(sources, hypotheses, strict=True)])

    def _score(self, template: Template, source: str, hypothesis: str) -> float:
        plain = self._plain
        writes = next(number for number, turn in enumerate(template.turns) if turn.generate)
        opening = plain.ids(plain.prompt(template, source, hypothesis, writes))
        device = plain.model.device
        with torch.inference_mode():
            written = plain.model.generate(
                torch.tensor([opening], device=device),
                do_sample=False,
                max_new_tokens=template.turns[writes].max_new_tokens,
                eos_token_id=self._ends,
                pad_token_id=self._ends[0],
            )
            words = plain.tokenizer.decode(written[0, len(opening) :], skip_special_tokens=True).strip()
            said = [{"role": turn.role, "content": turn.text} for turn in template.turns]
            for turn in said:
                turn["content"] = turn["content"].replace("{source}", source).replace("{hypothesis}", hypothesis)
            said[writes]["content"] = words
            text = plain.tokenizer.apply_chat_template(said, tokenize=False, add_generation_prompt=True)
            logits = plain.model(torch.tensor([plain.ids(text)], device=device), logits_to_keep=1).logits[0, -1]
        yes, no = (plain.ids(text + answer)[-1] for answer in (template.yes, template.no))
        return float(logits[yes] - logits[no])

"""Metrics that run a sequence classifier: paraphrase classifiers, and entailment models in both directions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from parapluie_gui.arrays import Floats, Scores
from parapluie_gui.errors import MetricError, join_words
from parapluie_gui.metrics.base import MetricContext, MetricInfo, References, Texts
from parapluie_gui.metrics.neural.loading import pad_ids
from parapluie_gui.metrics.neural.model_files import NetworkChoice, read_config
from parapluie_gui.metrics.neural.model_metric import PairNetwork
from parapluie_gui.options import NoOptions, text

if TYPE_CHECKING:
    import torch

#: Maximum number of tokens of a pair, as in PARAPHRASUS.
MOST_TOKENS = 256

#: Names of labels that mean "not a paraphrase", which are tried first, and names that mean "paraphrase".
_NOT = re.compile(r"^(not|non|no|un|in|dis|different|false|negative|0$|contradict)")
_YES = re.compile(r"paraphras|equivalent|duplicate|same|similar|^(yes|true|positive|match|1$)")


class _PairClassifier(PairNetwork):
    auto = "AutoModelForSequenceClassification"
    what = "a sequence classifier"
    most_tokens = MOST_TOKENS

    def prepare(self, context: MetricContext) -> None:
        super().prepare(context)
        for sentence in self._notices(self._labels()):
            context.notice(sentence)

    def fields(self) -> dict[str, object]:
        return self.model_fields(**self._own_fields(self._labels()), tokens=MOST_TOKENS)

    def logits(self, first: Texts, second: Texts) -> Floats:
        """Return the logits of each pair in the order given, float64 of shape (n, labels)."""
        loaded = self.network
        encoded = loaded.tokenize(first, second, limit=MOST_TOKENS)
        ids, types = encoded["input_ids"], encoded.get("token_type_ids")

        def compute(rows: list[int]) -> torch.Tensor:
            tokens, seen = pad_ids([ids[row] for row in rows], loaded.tokenizer.pad_token_id or 0, loaded.device)
            inputs = {"input_ids": tokens, "attention_mask": seen.long()}
            if types is not None:
                inputs["token_type_ids"] = pad_ids([types[row] for row in rows], 0, loaded.device)[0]
            logits: torch.Tensor = loaded.model(**inputs).logits.float()
            return logits

        return self.compute_in_batches([len(row) for row in ids], compute)

    def _labels(self) -> dict[int, str]:
        files = self.choice.files()
        return read_labels(files.name, read_config(files))

    def _own_fields(self, labels: Mapping[int, str]) -> dict[str, object]:
        raise NotImplementedError

    def _notices(self, labels: Mapping[int, str]) -> list[str]:
        return []


@dataclass(frozen=True)
class ClassifierOptions:
    """Options of the classifier."""

    positive: str = text("Positive", "number or name of the label that means paraphrase (default: detected by name)")


class Classifier(_PairClassifier):
    """Logit of "paraphrase" minus logit of the other label; 256 tokens for both sentences (PARAPHRASUS, 2024).

    The label that means paraphrase is recognised by its name in the model's id2label. If the names are uninformative
    (LABEL_0, LABEL_1), label 1 is used, with a notice.

    Args:
        positive: Number or name of the label that means paraphrase; by default guessed from the names.
    """

    info = MetricInfo(
        id="classifier",
        title="Classifier",
        family="classifier",
        low=float("-inf"),
        high=float("inf"),
        threshold=0.0,
        needs="a sequence classifier with two labels, such as an XLM-R trained on PAWS-X",
        summary=(
            "Logit of “paraphrase” minus logit of “not a paraphrase”, from a classifier that reads the pair; its "
            "threshold is 0."
        ),
        cost="model",
        argument="folder or hub id of a classifier",
        argument_needed=True,
        takes_model=True,
        options=ClassifierOptions,
    )

    def __init__(self, argument: str = "", positive: str = ClassifierOptions.positive) -> None:
        super().__init__(NetworkChoice(argument, (), "a sequence classifier with two labels"))
        self._positive = positive

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        positive, _ = self._positive_label(self._labels())
        logits = self.logits(sources, hypotheses)
        return logits[:, positive] - logits[:, 1 - positive]

    def _positive_label(self, labels: Mapping[int, str]) -> tuple[int, bool]:
        """Return the number of the label that means paraphrase, and whether its name shows that."""
        if len(labels) != 2:
            names = ", ".join(labels.values())
            hint = "Use nli for an entailment model" if find_entailment(labels) is not None else "Choose another model"
            raise MetricError(f"The classifier must have two labels, but this one has {len(labels)} ({names}). {hint}.")
        if self._positive:
            for number, name in labels.items():
                if self._positive.lower() in (str(number), name.lower()):
                    return number, True
            raise MetricError(
                f'There is no label "{self._positive}"; the labels are {join_words(list(labels.values()))}.'
            )
        words = {number: re.sub(r"[\W_]+", " ", name).strip().lower() for number, name in labels.items()}
        nots = [number for number, word in words.items() if _NOT.search(word)]
        if len(nots) == 1:
            return 1 - nots[0], True
        sure = [number for number, word in words.items() if _YES.search(word) and number not in nots]
        return (sure[0], True) if len(sure) == 1 else (1, False)

    def _own_fields(self, labels: Mapping[int, str]) -> dict[str, object]:
        label, _ = self._positive_label(labels)
        return {"label": labels[label], "score": "logit difference"}

    def _notices(self, labels: Mapping[int, str]) -> list[str]:
        label, sure = self._positive_label(labels)
        if sure:
            return []
        return [
            f"The classifier does not say which of its labels ({', '.join(labels.values())}) means paraphrase; "
            f"{labels[label]} is used. Write positive=0 if it should be the other label."
        ]


class Nli(_PairClassifier):
    """Bidirectional entailment: the lower of log p(entailment) − log p(not) for S before H and for H before S.

    Above 0, its threshold, entailment is more likely than not in both directions. The entailment label is recognised by
    its name in the model's id2label.
    """

    info = replace(
        Classifier.info,
        id="nli",
        title="NLI, both directions",
        needs="an entailment model, such as FacebookAI/roberta-large-mnli",
        summary="Log odds that each sentence entails the other, the lower of the two directions; its threshold is 0.",
        argument="folder or hub id of an entailment model",
        argument_needed=False,
        options=NoOptions,
    )

    def __init__(self, argument: str = "") -> None:
        super().__init__(NetworkChoice(argument, ("FacebookAI/roberta-large-mnli",), "an entailment model"))

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        label = self._entailment_label(self._labels())
        forward, backward = self.logits(sources, hypotheses), self.logits(hypotheses, sources)
        return np.minimum(log_odds(forward, label), log_odds(backward, label))

    def _entailment_label(self, labels: Mapping[int, str]) -> int:
        label = find_entailment(labels)
        if label is None:
            raise MetricError(
                f"None of this model's labels ({', '.join(labels.values())}) is called entailment. Choose an "
                "entailment model."
            )
        return label

    def _own_fields(self, labels: Mapping[int, str]) -> dict[str, object]:
        return {"label": labels[self._entailment_label(labels)], "score": "log odds", "directions": "the lower of both"}


def log_odds(logits: Floats, label: int) -> Scores:
    """Return log p(label) − log p(not label) for each row of logits, float64 of shape (n,)."""
    others = np.delete(logits, label, axis=1)
    top = others.max(1)
    return np.asarray(logits[:, label] - (top + np.log(np.exp(others - top[:, None]).sum(1))))


def find_entailment(labels: Mapping[int, str]) -> int | None:
    """Return the number of the label that means entailment; None unless exactly one does."""
    numbers = [number for number, name in labels.items() if re.match(r"entail", name.strip().lower())]
    return numbers[0] if len(numbers) == 1 else None


def read_labels(model: str, settings: Mapping[str, object]) -> dict[int, str]:
    """Return a model's labels by number, from its config.json.

    Raises:
        MetricError: The model is not a classifier.
    """
    names = settings.get("id2label")
    kinds = settings.get("architectures")
    if isinstance(kinds, list) and kinds and not str(kinds[0]).endswith("ForSequenceClassification"):
        raise MetricError(f"{model} is not a sequence classifier ({kinds[0]}). Choose another model.")
    if not isinstance(names, Mapping):
        number = settings.get("num_labels", 2)
        names = {place: f"LABEL_{place}" for place in range(number if isinstance(number, int) else 2)}
    return {int(place): str(name) for place, name in sorted(names.items(), key=lambda item: int(item[0]))}

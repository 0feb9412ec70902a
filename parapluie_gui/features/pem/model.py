"""PEM models and their files: phrase table, language model and regression, as plain arrays without pickle."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from parapluie_gui.arrays import Numbers
from parapluie_gui.errors import MetricError
from parapluie_gui.features.pem.language import ORDER, LanguageModel
from parapluie_gui.features.pem.regression import SupportVectorRegression
from parapluie_gui.files import atomic_write
from parapluie_gui.own_files import parse_json

FORMAT = "parapluie-pem"

#: Version of the file; a file of any other version is refused.
VERSION = 2


@dataclass(frozen=True, eq=False)
class PhraseTable:
    """Phrases and their translations as arrays; see `phrases.BITS` for the keys.

    Attributes:
        stems: The stems that occur in phrases, numbered from 1.
        pivots: The words of the pivot language, numbered from 1.
        keys: uint64 array (p,), sorted.
        counts: uint32 array (p,) of N(p).
        total: Sum of N over all phrases, including those that were pruned.
        edges: uint8 array (p,), the number of translations of each phrase.
        probabilities: float32 array (e,) of Pr(f|e), phrase by phrase.
        lengths: uint8 array (e,) of the translations' lengths in words.
        words: uint32 array of the translations' words, concatenated.
    """

    stems: tuple[str, ...]
    pivots: tuple[str, ...]
    keys: Numbers
    counts: Numbers
    total: int
    edges: Numbers
    probabilities: Numbers
    lengths: Numbers
    words: Numbers


@dataclass(frozen=True, eq=False)
class PemModel:
    """A PEM model.

    Attributes:
        vocabulary: The stems of the language model, numbered from `language.FIRST`.
        facts: The record of its training: stemmer, aligner, numbers of pairs, seed ... Scoring reads only "stemmer".
    """

    table: PhraseTable
    vocabulary: tuple[str, ...]
    language_model: LanguageModel
    regression: SupportVectorRegression
    facts: Mapping[str, Any] = field(default_factory=dict)

    def save(self, file: Path) -> None:
        """Write the model to a file, which is replaced only when everything is written."""
        table, lm, svr = self.table, self.language_model, self.regression
        header = {
            "format": FORMAT,
            "version": VERSION,
            "facts": dict(self.facts),
            "total": table.total,
            "gamma": svr.gamma,
            "intercept": svr.intercept,
        }
        arrays = {
            "header": _bytes(json.dumps(header, ensure_ascii=False)),
            "stems": _bytes("\n".join(table.stems)),
            "pivots": _bytes("\n".join(table.pivots)),
            "vocabulary": _bytes("\n".join(self.vocabulary)),
            "phrase_keys": np.diff(table.keys, prepend=np.uint64(0)),  # differences are smaller and compress better
            "phrase_counts": table.counts,
            "phrase_edges": table.edges,
            "edge_probabilities": table.probabilities,
            "edge_lengths": table.lengths,
            "edge_words": _as_smallest(table.words),
            "support_mean": svr.mean,
            "support_scale": svr.scale,
            "support_vectors": svr.vectors,
            "support_weights": svr.weights,
        }
        for at in range(ORDER):
            arrays[f"lm_probability_{at + 1}"] = lm.log_probability[at]
            if at < ORDER - 1:
                arrays[f"lm_backoff_{at + 1}"] = lm.log_backoff[at]
                arrays[f"lm_keys_{at + 2}"] = np.diff(lm.keys[at], prepend=np.uint64(0))
        with atomic_write(file) as part, part.open("wb") as stream:
            np.savez_compressed(stream, allow_pickle=False, **arrays)

    @classmethod
    def load(cls, file: Path) -> PemModel:
        """Read a model.

        Raises:
            MetricError: The file is missing, of a different version, or damaged.
        """
        if not file.is_file():
            raise MetricError(f"There is no PEM model {file}. Train one with `parapluie pem train`.")
        try:
            with np.load(file, allow_pickle=False) as arrays:
                header = parse_json(_text(arrays["header"]))
                if header.get("format") != FORMAT:
                    raise ValueError("a different format")
                if header["version"] != VERSION:
                    remedy = "Install a newer version" if header["version"] > VERSION else "Train it again"
                    raise MetricError(
                        f"{file.name} is a PEM model of version {header['version']}, and this program reads version "
                        f"{VERSION}. {remedy}."
                    )
                return cls._from_arrays(header, arrays)
        except (ValueError, KeyError, TypeError, EOFError, OSError, zipfile.BadZipFile, zlib.error) as error:
            raise MetricError(f"{file.name} is not a PEM model, or it is damaged. Train or copy it again.") from error

    @classmethod
    def _from_arrays(cls, header: Mapping[str, Any], arrays: Mapping[str, Numbers]) -> PemModel:
        table = PhraseTable(
            _lines(arrays["stems"]),
            _lines(arrays["pivots"]),
            np.cumsum(arrays["phrase_keys"], dtype=np.uint64),
            arrays["phrase_counts"],
            int(header["total"]),
            arrays["phrase_edges"],
            arrays["edge_probabilities"],
            arrays["edge_lengths"],
            arrays["edge_words"].astype(np.uint32),
        )
        vocabulary = _lines(arrays["vocabulary"])
        language_model = LanguageModel(
            len(vocabulary) + 3,
            tuple(np.cumsum(arrays[f"lm_keys_{order}"], dtype=np.uint64) for order in range(2, ORDER + 1)),
            tuple(arrays[f"lm_probability_{order}"].astype(np.float32) for order in range(1, ORDER + 1)),
            tuple(arrays[f"lm_backoff_{order}"].astype(np.float32) for order in range(1, ORDER)),
        )
        regression = SupportVectorRegression(
            arrays["support_mean"],
            arrays["support_scale"],
            arrays["support_vectors"],
            arrays["support_weights"],
            float(header["gamma"]),
            float(header["intercept"]),
        )
        model = cls(table, vocabulary, language_model, regression, dict(header["facts"]))
        model._check_shapes()
        return model

    def _check_shapes(self) -> None:
        """Raise ValueError if the arrays do not fit together."""
        table, lm, svr = self.table, self.language_model, self.regression
        conditions = (
            len(table.keys) == len(table.counts) == len(table.edges),
            int(table.edges.sum(dtype=np.int64)) == len(table.probabilities) == len(table.lengths),
            int(table.lengths.sum(dtype=np.int64)) == len(table.words),
            not len(table.words) or 1 <= int(table.words.min()) <= int(table.words.max()) <= len(table.pivots),
            lm.words == len(lm.log_probability[0]) == len(lm.log_backoff[0]),
            all(len(lm.keys[at]) == len(lm.log_probability[at + 1]) for at in range(ORDER - 1)),
            all(len(lm.log_backoff[at]) == len(lm.log_probability[at]) for at in range(ORDER - 1)),
            svr.mean.shape == svr.scale.shape == svr.vectors.shape[1:] == (3,),
            svr.vectors.shape[:1] == svr.weights.shape,
        )
        if not all(conditions):
            raise ValueError("the arrays do not fit together")


def _bytes(text: str) -> Numbers:
    return np.frombuffer(text.encode("utf-8"), dtype=np.uint8)


def _text(array: Numbers) -> str:
    return array.tobytes().decode("utf-8")


def _lines(array: Numbers) -> tuple[str, ...]:
    text = _text(array)
    return tuple(text.split("\n")) if text else ()


def _as_smallest(numbers: Numbers) -> Numbers:
    return numbers.astype(np.uint16) if not len(numbers) or int(numbers.max()) < 2**16 else numbers

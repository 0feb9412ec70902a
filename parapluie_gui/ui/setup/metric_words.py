"""Texts about metrics: their requirements, cost and meaning."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from parapluie_gui.metrics.base import MetricInfo, MetricReadiness
from parapluie_gui.metrics.lexical import wordnet, wordnet_fetch
from parapluie_gui.models.catalogue import entry

_CONTEXT = "Metrics"


def _tr(text: str) -> str:
    return QCoreApplication.translate(_CONTEXT, text)


def translate_metric(text: str) -> str:
    """Return a text of a metric in the window's language."""
    return _tr(text) if text else ""


def key_title(key: str, title: str) -> str:
    """Return the entry of an option's key in a list: the key as in a spec, and its meaning."""
    return translate_metric(title) if key in ("", title) else f"{key} ({translate_metric(title)})"


def family(name: str) -> str:
    """Return the heading of a family."""
    return {
        "lexical": _tr("Words and letters (lexical)"),
        "embedding": _tr("Sentence embeddings (embedding)"),
        "generation": _tr("Generation models (generation)"),
        "classifier": _tr("Classifiers"),
        "pivot": _tr("Translation (pivot)"),
        "external": _tr("Columns of this corpus (external)"),
        "user": _tr("Your metrics (user)"),
    }.get(name, name)


def cost(name: str) -> str:
    """Return a cost class in words."""
    return {"instant": _tr("instant"), "fast": _tr("fast"), "model": _tr("runs a network")}.get(name, name)


def facts(info: MetricInfo) -> str:
    """Return range, direction, threshold and cost class in one line."""
    words = [info.range.replace("-", "−"), _tr("higher is better") if info.higher_is_closer else _tr("lower is better")]
    if info.threshold is not None:
        words.append(_tr("threshold {0}").format(f"{info.threshold:g}"))
    return "  ·  ".join([*words, cost(info.cost)])


def lacking(readiness: MetricReadiness) -> str:
    """Return why a metric is not ready, without the command to type, since the window has a button for it."""
    return readiness.missing.partition(" Run `parapluie models get")[0] if readiness.get else readiness.missing


def download(name: str) -> str:
    """Return the text of a download button, with its size; for a model of the hub, a dialog shows the size."""
    known = entry(name)
    if name == wordnet.NAME:
        return _tr("Download {0} ({1} MB)").format("WordNet 3.0", wordnet_fetch.DOWNLOAD_MB)
    if known is not None:
        return _tr("Download {0} ({1} MB)").format(known.title, known.download_mb)
    return _tr("Download {0}…").format(name)


def sentence_start(words: str) -> str:
    """Return words with a capital at their start."""
    return words[:1].upper() + words[1:]

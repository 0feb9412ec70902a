"""Judges in GGUF files, run by llama.cpp in a separate process: weights stay quantised, and PyTorch is not loaded.

The process is a llama.cpp server, so it is used like one on a remote computer. It listens on this computer only, on a
free port, and accepts only the key that is generated here.
"""

from __future__ import annotations

import importlib.util
import os
import secrets
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from typing import Self, Unpack

from parapluie_gui.errors import ModelError
from parapluie_gui.features.servers.own_engine import NO_FLASH_ATTENTION, OwnLlamaCppEngine, own_mode
from parapluie_gui.features.servers.own_process import LlamaProcess, OwnConnection
from parapluie_gui.features.servers.scorer import ServedScorer
from parapluie_gui.features.servers.tokenizer import ServerRenderer
from parapluie_gui.models.catalogue import ModelFiles
from parapluie_gui.models.manifest import check_gguf
from parapluie_gui.pluie.judge import Judge, ScorerOptions, describe_judge, pluie_signature
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.light import count_threads
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.signature import Signature

#: Maximum length of a prompt, in tokens; the cache takes memory for this many tokens whatever the prompt.
_CONTEXT = 4096
#: Number of tokens computed at a time.
_BATCH = 512


class LlamaCppJudge(Judge):
    """A judge in a GGUF file, computed by llama.cpp."""

    needs_pytorch = False

    def __init__(
        self,
        files: ModelFiles,
        engine: OwnLlamaCppEngine,
        check: Callable[[], None],
        slots: tempfile.TemporaryDirectory[str],
    ) -> None:
        self.files, self._slots = files, slots
        self._engine, self._check = engine, check
        self._renderer = ServerRenderer(engine)

    @classmethod
    def may_load(cls, files: ModelFiles, device: str = "auto", precision: str = "auto") -> bool:
        """Return True for a GGUF file if llama.cpp is installed and no floating-point type is chosen."""
        plain = files.gguf is not None and files.adapter is None and precision == "auto" and device in ("auto", "cpu")
        return plain and importlib.util.find_spec("xllamacpp") is not None

    @classmethod
    def load(
        cls,
        files: ModelFiles,
        device: str = "auto",
        precision: str = "auto",
        check: Callable[[], None] = lambda: None,
        say: Callable[[str], None] = lambda text: None,
    ) -> Self:
        """Start llama.cpp on the file; see `Judge.load`."""
        assert files.gguf is not None
        if importlib.util.find_spec("xllamacpp") is None:
            raise ModelError(
                f"llama.cpp, which runs {files.gguf}, is not installed: `pip install 'parapluie_gui[llamacpp]'`."
            )
        check_gguf(files.folder, files.gguf)
        slots = tempfile.TemporaryDirectory(prefix="parapluie-llama-")  # the folder is removed with the judge
        settings = {
            "n_ctx": _CONTEXT,
            "n_batch": _BATCH,
            "n_ubatch": _BATCH,
            "cpuparams.n_threads": count_threads(),
            "cpuparams_batch.n_threads": count_threads(),
            "cache_ram_mib": 0,  # only the previous prompt is worth caching
            "warmup": False,
            "ui": False,
            "fit_params": False,
            "flash_attn_type": NO_FLASH_ATTENTION,
            "slot_save_path": slots.name + os.sep,
            "verbosity": -1,
            **({"n_gpu_layers": 0} if device == "cpu" else {}),
        }
        key = secrets.token_urlsafe(24)
        process = LlamaProcess(files.folder / files.gguf, settings, key, check)
        return cls(files, OwnLlamaCppEngine(OwnConnection(process, key, say)), check, slots)

    @classmethod
    def signature(cls, files: ModelFiles, template: Template, settings: JudgeSettings) -> Signature:
        """Return the signature of its scores; see `Judge.signature`."""
        return _signature(files, template, exact=settings.exact)

    @classmethod
    def computation(cls, files: ModelFiles) -> str:
        """Return "llama.cpp, with the file's quantisation"; see `Judge.computation`."""
        return "llama.cpp, with the file's quantisation"

    def describe(self, *, exact: bool = False) -> str:
        """Return a line such as "tiny: 134.5 M parameters, Q4_1 as in the file, computed by llama.cpp"."""
        parameters = int(self._engine.facts.get("n_params") or 0)
        return describe_judge(self.files.name, parameters, f"{self._engine.file_type}, from the file", "llama.cpp")

    def scorer(self, template: Template, **options: Unpack[ScorerOptions]) -> ServedScorer:
        """Return a scorer of pairs under a template; see `Judge.scorer`."""
        exact = options.get("exact", False)
        signature = _signature(self.files, template, exact=exact)
        return ServedScorer(self._engine, self._renderer, template, signature, self._check, **options)


def _signature(files: ModelFiles, template: Template, *, exact: bool) -> Signature:
    """Return the signature of scores by the installed llama.cpp; versions round quantised products differently."""
    engine = f"xllamacpp {version('xllamacpp')}"
    return pluie_signature(files, template, own_mode(exact), exact=exact, engine=engine)

"""A sentence encoder that reads each distinct sentence once, for all metrics of a job."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from parapluie_gui.errors import ModelError
from parapluie_gui.metrics.base import MetricContext
from parapluie_gui.metrics.neural.loading import LoadedNetwork, batches, load, pad_ids
from parapluie_gui.metrics.neural.model_files import NetworkChoice
from parapluie_gui.metrics.neural.model_metric import ModelMetric
from parapluie_gui.models.catalogue import ModelFiles
from parapluie_gui.models.loading import layers

if TYPE_CHECKING:
    import torch

#: Size of the cache of embeddings, in bytes: MRPC's 11,602 sentences under MiniLM take 0.6 GB.
CACHE_BYTES = 1 << 30

#: Models that tokenise a word differently at the beginning of a text; for these, BERTScore puts a space before each
#: text.
SPACED = ("roberta", "gpt2", "bart", "longformer", "led")


@dataclass(frozen=True)
class EmbeddingRequest:
    """A metric's request for an embedding of sentences.

    Attributes:
        kind: "mean", "cls" or "max" of the last layer, "pooler" (the model's own), or "tokens" of a layer.
        layer: For tokens: the layer, counted from 1 (0 = the input embeddings).
        most_tokens: Maximum number of tokens of a sentence, special tokens included.
        spaced: Whether a space is added before the text.
    """

    kind: str
    layer: int
    most_tokens: int
    spaced: bool = False


@dataclass(frozen=True, eq=False)
class TokenEmbeddings:
    """The contextual embeddings of a sentence.

    Attributes:
        vectors: float32 (tokens, width), each of length 1.
        weights: float32 (tokens,): 1, or 0 for the special tokens at both ends.
    """

    vectors: torch.Tensor
    weights: torch.Tensor


class Encoder:
    """A loaded encoder with a cache of embeddings; one pass computes all that the metrics of the job request."""

    def __init__(self, loaded: LoadedNetwork, files: ModelFiles, cache_bytes: int = CACHE_BYTES) -> None:
        self.loaded = loaded
        self.files = files
        self.requests: set[EmbeddingRequest] = set()
        self.matches: dict[tuple[EmbeddingRequest, str, str], tuple[float, float, float]] = {}
        self._stack = layers(loaded.model)
        if len(self._stack) != self.depth or loaded.model.config.is_encoder_decoder:
            raise ModelError(f"{files.name} is not an encoder with plain layers, such as BERT. Choose another model.")
        self._cache: OrderedDict[tuple[EmbeddingRequest, str], Any] = OrderedDict()
        self._bytes = 0
        self._cache_bytes = cache_bytes
        self._special = {loaded.tokenizer.cls_token_id, loaded.tokenizer.sep_token_id} - {None}

    @classmethod
    def load_shared(cls, context: MetricContext, files: ModelFiles) -> Encoder:
        """Load an encoder from its files, or reuse it if it is already loaded."""
        key = ("encoder", str(files.folder), files.revision, context.device, context.precision)
        encoder: Encoder = context.models.take(
            key, lambda: cls(load(files, "AutoModel", "a sentence encoder", context, ("pooler",)), files)
        )
        encoder.requests = requests_of_job(context, files)
        return encoder

    @property
    def depth(self) -> int:
        """Number of layers."""
        return int(self.loaded.model.config.get_text_config().num_hidden_layers)

    def embed(self, texts: Sequence[str], request: EmbeddingRequest) -> list[Any]:
        """Return the requested embedding of each text: a float32 vector of the model's width, or its `TokenEmbeddings`.

        Texts are stripped, as in sentence-transformers and bert-score. All results must fit into memory at once.
        """
        keys = [(request, text) for text in texts]
        embeddings: dict[tuple[EmbeddingRequest, str], Any] = {}
        for key in keys:
            if key in self._cache:
                self._cache.move_to_end(key)
                embeddings[key] = self._cache[key]
        missing = list(dict.fromkeys(text for text in texts if (request, text) not in embeddings))
        for key, value in self._read(missing, request):
            if key[0] == request:
                embeddings[key] = value
            self._store(key, value)
        return [embeddings[key] for key in keys]

    def forget(self) -> None:
        """Clear the cache."""
        self._cache.clear()
        self._bytes = 0
        self.matches.clear()

    def count_tokens(self, texts: Sequence[str], request: EmbeddingRequest) -> list[int]:
        """Return the number of tokens of each text after truncation."""
        return [len(ids) for ids in self._ids(texts, request)]

    def _ids(self, texts: Sequence[str], request: EmbeddingRequest) -> list[list[int]]:
        if not texts:
            return []
        stripped = [text.strip() for text in texts]
        if request.spaced:
            stripped = [f" {text}" for text in stripped]
        encoded = self.loaded.tokenize(stripped, limit=request.most_tokens)
        return [list(ids) for ids in encoded["input_ids"]]

    def _read(
        self, texts: Sequence[str], request: EmbeddingRequest
    ) -> Iterator[tuple[tuple[EmbeddingRequest, str], Any]]:
        """Yield the requested embeddings of texts, and those for other requests that need the same tokens."""
        ids = self._ids(texts, request)
        for batch in batches([len(row) for row in ids], self.loaded.device):
            yield from self.loaded.memory.run_within_budget(
                batch,
                lambda part: list(self._pass([texts[row] for row in part], [ids[row] for row in part], request)),
                lambda part: len(part) * len(ids[part[-1]]),
            )

    def _pass(
        self, texts: list[str], ids: list[list[int]], request: EmbeddingRequest
    ) -> Iterator[tuple[tuple[EmbeddingRequest, str], Any]]:
        import torch

        # A different metric may truncate at a different length, which makes no difference to a shorter sentence.
        longest = len(ids[-1])
        requests = [request] + [
            other
            for other in self.requests
            if other != request
            and other.spaced == request.spaced
            and longest < min(request.most_tokens, other.most_tokens)
        ]
        with torch.inference_mode():
            tokens, seen = pad_ids(ids, self.loaded.tokenizer.pad_token_id or 0, self.loaded.device)
            mask = seen.long()
            hidden, pooled = self._hidden_states(tokens, mask, requests)
            for target in requests:
                if target.kind == "tokens":
                    values: Sequence[Any] = self._tokens(hidden[target.layer], ids)
                else:
                    values = _pool(target.kind, hidden[self.depth], pooled, mask)
                yield from zip(((target, text) for text in texts), values, strict=True)

    def _hidden_states(
        self, tokens: torch.Tensor, mask: torch.Tensor, requests: Sequence[EmbeddingRequest]
    ) -> tuple[dict[int, torch.Tensor], torch.Tensor | None]:
        """Return the hidden states of the requested layers, and the pooler's output if all layers were computed.

        The input of layer n + 1 is the output of layer n; the pass stops after the last requested layer.
        """
        states: dict[int, torch.Tensor] = {}
        places = {request.layer for request in requests}
        if max(places) > self.depth:
            raise ModelError(f"{self.files.name} has {self.depth} layers, so there is no layer {max(places)}.")

        def take(layer: int) -> Callable[..., None]:
            def hook(module: Any, inputs: tuple[Any, ...], named: dict[str, Any]) -> None:
                states[layer] = inputs[0] if inputs else named["hidden_states"]
                if layer == max(places):
                    raise _LastLayerReached

            return hook

        hooks = [
            self._stack[place].register_forward_pre_hook(take(place), with_kwargs=True)
            for place in places
            if place < self.depth
        ]
        try:
            out = self.loaded.model(input_ids=tokens, attention_mask=mask)
        except _LastLayerReached:
            return states, None
        finally:
            for hook in hooks:
                hook.remove()
        states[self.depth] = out.last_hidden_state
        return states, getattr(out, "pooler_output", None)

    def _tokens(self, hidden: torch.Tensor, ids: list[list[int]]) -> list[TokenEmbeddings]:
        import torch

        unit = torch.nn.functional.normalize(hidden.float(), dim=-1)
        weights = [torch.tensor([float(token not in self._special) for token in row]) for row in ids]
        return [
            TokenEmbeddings(unit[number, : len(row)].clone(), weights[number].to(unit.device))
            for number, row in enumerate(ids)
        ]

    def _store(self, key: tuple[EmbeddingRequest, str], value: Any) -> None:
        if key in self._cache:
            return
        self._cache[key] = value
        self._bytes += _size(value)
        while self._bytes > self._cache_bytes:
            _, dropped = self._cache.popitem(last=False)
            self._bytes -= _size(dropped)


def requests_of_job(context: MetricContext, files: ModelFiles) -> set[EmbeddingRequest]:
    """Return the set of this job's requests to an encoder; metrics add theirs before scoring begins."""
    return context.requests.setdefault((str(files.folder), files.revision), set())


class EncoderMetric(ModelMetric):
    """A metric of two sentence embeddings; NaN for a pair with an empty sentence."""

    chunk = 64

    def __init__(self, choice: NetworkChoice) -> None:
        super().__init__(choice)
        self._encoder: Encoder | None = None

    def request(self, files: ModelFiles) -> EmbeddingRequest:
        """Return the request to the encoder with the given files."""
        raise NotImplementedError

    def announce(self, context: MetricContext) -> None:
        files = self.choice.files()
        requests_of_job(context, files).add(self.request(files))

    def prepare(self, context: MetricContext) -> None:
        self._encoder = Encoder.load_shared(context, self.choice.files())
        self.adapt_chunk(self._encoder.loaded.device)

    def was_cut(self, text: str) -> bool:
        if self._encoder is None or not self._encoder.loaded.cut:
            return False
        return self._encoder.loaded.was_cut(text, self.request(self.choice.files()).most_tokens)

    @property
    def encoder(self) -> Encoder:
        """The encoder, loaded at first use."""
        if self._encoder is None:
            self.prepare(MetricContext())
        assert self._encoder is not None
        return self._encoder

    def why_missing(self, source: str, hypothesis: str, reference: str | None = None) -> str:
        return "" if source.strip() and hypothesis.strip() else "a sentence is empty"


class _LastLayerReached(Exception):
    """Raised to end a pass after the last requested layer."""


def _pool(kind: str, hidden: torch.Tensor, pooled: torch.Tensor | None, mask: torch.Tensor) -> list[torch.Tensor]:
    """Pool token vectors to one float32 vector per sentence of a batch."""
    hidden = hidden.float()
    if kind == "cls":
        vectors = hidden[:, 0]
    elif kind == "pooler":
        assert pooled is not None
        vectors = pooled.float()
    elif kind == "max":
        vectors = hidden.masked_fill(mask[:, :, None] == 0, float("-inf")).amax(1)
    else:
        vectors = (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
    return [vector.clone() for vector in vectors]


def _size(value: Any) -> int:
    tensor = value.vectors if isinstance(value, TokenEmbeddings) else value
    return int(tensor.numel() * tensor.element_size())

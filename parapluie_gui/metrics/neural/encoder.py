"""A sentence encoder: each distinct sentence is read once, and every metric of a job takes from it what it needs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from parapluie_gui.errors import ModelError
from parapluie_gui.metrics.base import MetricContext
from parapluie_gui.metrics.neural.loading import LoadedNetwork, batches, load, padded, readable
from parapluie_gui.metrics.neural.model_files import NetworkChoice
from parapluie_gui.metrics.neural.model_metric import ModelMetric
from parapluie_gui.models.catalogue import ModelFiles
from parapluie_gui.models.loading import layers

if TYPE_CHECKING:
    import torch

#: Bytes of embeddings kept, the least recently used first to go: MRPC's 11,602 sentences under MiniLM take 0.6 GB.
CACHE_BYTES = 1 << 30

#: Models whose tokens differ at the beginning of a text and within it: BERTScore begins each text with a space.
SPACED = ("roberta", "gpt2", "bart", "longformer", "led")


@dataclass(frozen=True)
class Want:
    """What a metric wants of a sentence.

    Attributes:
        kind: "mean", "cls" or "max" of the last layer, "pooler" (the model's own), or "tokens" of a layer.
        layer: For tokens: the layer, counted from 1 (0 = the embeddings).
        most_tokens: Where a sentence is cut, special tokens included.
        spaced: Whether a space is put before the text.
    """

    kind: str
    layer: int
    most_tokens: int
    spaced: bool = False


@dataclass(frozen=True, eq=False)
class Tokens:
    """The contextual embeddings of a sentence.

    Attributes:
        vectors: float32 (tokens, width), each of length 1.
        weights: float32 (tokens,): 1, or 0 for the special tokens at both ends.
    """

    vectors: torch.Tensor
    weights: torch.Tensor


class Encoder:
    """A loaded encoder with the embeddings it has made; a pass makes all that the metrics of this job want."""

    def __init__(self, loaded: LoadedNetwork, files: ModelFiles, cache_bytes: int = CACHE_BYTES) -> None:
        self.loaded = loaded
        self.files = files
        self.wanted: set[Want] = set()
        self.matches: dict[tuple[Want, str, str], tuple[float, float, float]] = {}
        self._stack = layers(loaded.model)
        if len(self._stack) != self.depth or loaded.model.config.is_encoder_decoder:
            raise ModelError(f"{files.name} is not an encoder of plain layers, such as BERT. Choose another model.")
        self._cache: OrderedDict[tuple[Want, str], Any] = OrderedDict()
        self._bytes = 0
        self._cache_bytes = cache_bytes
        self._special = {loaded.tokenizer.cls_token_id, loaded.tokenizer.sep_token_id} - {None}

    @classmethod
    def on(cls, context: MetricContext, files: ModelFiles) -> Encoder:
        """Return the encoder of these files, reusing the loaded one if it is the same."""
        key = ("encoder", str(files.folder), files.revision, context.device, context.precision)
        encoder: Encoder = context.models.take(
            key, lambda: cls(load(files, "AutoModel", "an encoder of sentences", context, ("pooler",)), files)
        )
        encoder.wanted = wanted(context, files)
        return encoder

    @property
    def depth(self) -> int:
        """Number of layers."""
        return int(self.loaded.model.config.get_text_config().num_hidden_layers)

    def embed(self, texts: Sequence[str], want: Want) -> list[Any]:
        """Return what is wanted of each text: a float32 vector of the model's width, or its `Tokens`.

        Texts are stripped, as sentence-transformers and bert-score do. All of them must fit into memory at once.
        """
        keys = [(want, text) for text in texts]
        made: dict[tuple[Want, str], Any] = {}
        for key in keys:
            if key in self._cache:
                self._cache.move_to_end(key)
                made[key] = self._cache[key]
        missing = list(dict.fromkeys(text for text in texts if (want, text) not in made))
        for key, value in self._read(missing, want):
            if key[0] == want:
                made[key] = value
            self._keep(key, value)
        return [made[key] for key in keys]

    def forget(self) -> None:
        """Let go of every embedding."""
        self._cache.clear()
        self._bytes = 0
        self.matches.clear()

    def count_tokens(self, texts: Sequence[str], want: Want) -> list[int]:
        """Return how many tokens each text has, after the cut."""
        return [len(ids) for ids in self._ids(texts, want)]

    def _ids(self, texts: Sequence[str], want: Want) -> list[list[int]]:
        if not texts:
            return []
        stripped = [text.strip() for text in readable(texts)]
        if want.spaced:
            stripped = [f" {text}" for text in stripped]
        most = min(want.most_tokens, self.loaded.most_tokens)
        found = self.loaded.tokenizer(
            stripped, truncation=True, max_length=most, padding=False, return_attention_mask=False
        )
        return [list(ids) for ids in found["input_ids"]]

    def _read(self, texts: Sequence[str], want: Want) -> Iterator[tuple[tuple[Want, str], Any]]:
        """Yield what every metric wants of the texts, as far as it follows from the same tokens."""
        ids = self._ids(texts, want)
        for batch in batches([len(row) for row in ids], self.loaded.device):
            yield from self.loaded.memory.within(
                batch,
                lambda part: list(self._pass([texts[row] for row in part], [ids[row] for row in part], want)),
                lambda part: len(part) * len(ids[part[-1]]),
            )

    def _pass(self, texts: list[str], ids: list[list[int]], want: Want) -> Iterator[tuple[tuple[Want, str], Any]]:
        import torch

        # Another metric's cut makes no difference to a sentence that is shorter.
        longest = len(ids[-1])
        wants = [want] + [
            other
            for other in self.wanted
            if other != want and other.spaced == want.spaced and longest < min(want.most_tokens, other.most_tokens)
        ]
        with torch.inference_mode():
            tokens, seen = padded(ids, self.loaded.tokenizer.pad_token_id or 0, self.loaded.device)
            mask = seen.long()
            hidden, pooled = self._hidden(tokens, mask, wants)
            for each in wants:
                if each.kind == "tokens":
                    values: Sequence[Any] = self._tokens(hidden[each.layer], ids)
                else:
                    values = _pool(each.kind, hidden[self.depth], pooled, mask)
                yield from zip(((each, text) for text in texts), values, strict=True)

    def _hidden(
        self, tokens: torch.Tensor, mask: torch.Tensor, wants: Sequence[Want]
    ) -> tuple[dict[int, torch.Tensor], torch.Tensor | None]:
        """Return the hidden states of the layers wanted, and the pooler's output where the pass went that far.

        What enters layer n + 1 is layer n's output; the layers after the last wanted one are not computed.
        """
        found: dict[int, torch.Tensor] = {}
        places = {want.layer for want in wants}
        if max(places) > self.depth:
            raise ModelError(f"{self.files.name} has {self.depth} layers; there is no layer {max(places)}.")

        def take(layer: int) -> Callable[..., None]:
            def hook(module: Any, inputs: tuple[Any, ...], named: dict[str, Any]) -> None:
                found[layer] = inputs[0] if inputs else named["hidden_states"]
                if layer == max(places):
                    raise _Enough

            return hook

        hooks = [
            self._stack[place].register_forward_pre_hook(take(place), with_kwargs=True)
            for place in places
            if place < self.depth
        ]
        try:
            out = self.loaded.model(input_ids=tokens, attention_mask=mask)
        except _Enough:
            return found, None
        finally:
            for hook in hooks:
                hook.remove()
        found[self.depth] = out.last_hidden_state
        return found, getattr(out, "pooler_output", None)

    def _tokens(self, hidden: torch.Tensor, ids: list[list[int]]) -> list[Tokens]:
        import torch

        unit = torch.nn.functional.normalize(hidden.float(), dim=-1)
        weights = [torch.tensor([float(token not in self._special) for token in row]) for row in ids]
        return [
            Tokens(unit[number, : len(row)].clone(), weights[number].to(unit.device)) for number, row in enumerate(ids)
        ]

    def _keep(self, key: tuple[Want, str], value: Any) -> None:
        if key in self._cache:
            return
        self._cache[key] = value
        self._bytes += _size(value)
        while self._bytes > self._cache_bytes:
            _, dropped = self._cache.popitem(last=False)
            self._bytes -= _size(dropped)


def wanted(context: MetricContext, files: ModelFiles) -> set[Want]:
    """Return what the metrics of this job want of an encoder; they add to it before the first sentence is read."""
    return context.requests.setdefault((str(files.folder), files.revision), set())


class EncoderMetric(ModelMetric):
    """A metric of what an encoder makes of each sentence; NaN where a sentence is empty."""

    chunk = 64

    def __init__(self, choice: NetworkChoice) -> None:
        super().__init__(choice)
        self._encoder: Encoder | None = None

    def want(self, files: ModelFiles) -> Want:
        """Return what it wants of the encoder of these files."""
        raise NotImplementedError

    def announce(self, context: MetricContext) -> None:
        files = self.choice.files()
        wanted(context, files).add(self.want(files))

    def prepare(self, context: MetricContext) -> None:
        self._encoder = Encoder.on(context, self.choice.files())
        self.feed(self._encoder.loaded.device)

    @property
    def encoder(self) -> Encoder:
        """The encoder, loaded."""
        if self._encoder is None:
            self.prepare(MetricContext())
        assert self._encoder is not None
        return self._encoder

    def why_missing(self, source: str, hypothesis: str, reference: str | None = None) -> str:
        return "" if source.strip() and hypothesis.strip() else "a sentence is empty"


class _Enough(Exception):
    """The last layer wanted is computed."""


def _pool(kind: str, hidden: torch.Tensor, pooled: torch.Tensor | None, mask: torch.Tensor) -> list[torch.Tensor]:
    """Return one float32 vector per sentence of a batch."""
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
    tensor = value.vectors if isinstance(value, Tokens) else value
    return int(tensor.numel() * tensor.element_size())

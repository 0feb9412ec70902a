"""The training itself: a masked language model learns to put "yes" or "no" into the gap of a cloze."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from parapluie_gui.arrays import Scores
from parapluie_gui.errors import ModelError
from parapluie_gui.features.training.batches import batches, families, portions
from parapluie_gui.features.training.examples import Mixture, Taught, is_beside_itself
from parapluie_gui.features.training.loosening import Chance, hide_shared, loosen
from parapluie_gui.files import atomic_write, write_text
from parapluie_gui.models.catalogue import ModelFiles
from parapluie_gui.models.kind import MASKED
from parapluie_gui.models.loading import load_files, quiet, why_not
from parapluie_gui.models.quantised import is_int8
from parapluie_gui.models.symmetric import TERMS, add_terms, alone, is_symmetric, may_be_symmetric
from parapluie_gui.pluie import symmetric
from parapluie_gui.pluie.cloze import ClozeEncoder
from parapluie_gui.pluie.masked import padded
from parapluie_gui.pluie.templates import Template

if TYPE_CHECKING:
    import torch

#: The few numbers beside a BERT's weights are learnt this many times as fast: they are of the size of 1, and are few.
_TERMS_PACE = 50.0
#: At the beginning, a head's logits are made smaller by the one, and both answers' greater by the other.
_QUIET, _LIKELY = 0.2, 15.0
#: The learning rate rises over this many steps, or over this share of a short run.
_WARM, _WARM_SHARE = 100, 0.06
_STATE, _WEIGHTS, _MOMENTS = "training.json", "weights.safetensors", "moments.safetensors"
#: After so many steps the mean of the weights reaches back as far as it is meant to; before, a tenth of the way.
_REACH = 10


@dataclass(frozen=True)
class Schedule:
    """How long and how fast the model learns.

    Attributes:
        epochs: Passes over the mixture; a fraction ends early.
        rate: Highest learning rate (AdamW), reached after a few steps and kept, falling to 0 in the end.
        batch: Pairs a step.
        fall: Share of the steps in which the rate falls.
        seed: Of the new head, of the order of batches, of dropout and of what is hidden.
        dropout: Share of the numbers in the learnt layers that a step does without.
        mask: Share of the word pieces in both sentences that a step hides in both.
        decay: By how much of the rate matrices shrink at each step (AdamW).
        mean: Share that the mean of the weights along the way keeps of itself at each step; 0 = the last weights count.
        whole: Whether the first layers are learnt too, which read each sentence alone.
        order: Weight of the loss that puts the pairs of one meaning in a family above those of two.
        anchor: Share that what a teacher, or else the base, says of a pair has in what is learnt of it, families and
            sentences beside themselves aside: what it knows is kept while they are learnt (learning without
            forgetting, Li & Hoiem 2016).
    """

    epochs: float = 3.0
    rate: float = 1e-4
    batch: int = 32
    fall: float = 0.25
    seed: int = 0
    dropout: float = 0.0
    mask: float = 0.0
    decay: float = 0.01
    mean: float = 0.0
    whole: bool = False
    order: float = 0.0
    anchor: float = 0.0


class Trainer:
    """Trains one model; a run that was stopped goes on where it last wrote a checkpoint, with the same numbers.

    Args:
        base: Folder of a masked model or of an encoder that transformers loads.
        work: Folder of the checkpoints.
        bfloat16: Whether the passes run in bfloat16 (weights stay float32).
        device: Where it learns; None = the CPU.
        teacher: Folder of the judge whose word the anchor keeps to; None = the base.

    Raises:
        ModelError: The base is no masked model, the teacher does not read as it does, or the checkpoint belongs to
            another run.
    """

    def __init__(
        self,
        base: Path,
        template: Template,
        mixture: Mixture,
        schedule: Schedule,
        work: Path,
        *,
        bfloat16: bool = False,
        device: torch.device | None = None,
        teacher: Path | None = None,
    ) -> None:
        import torch

        self._device = device or torch.device("cpu")
        self.schedule = schedule
        self.template = template
        self._mixture = mixture
        self._work = work
        torch.manual_seed(schedule.seed)
        self.model, self.tokenizer = _load(base)
        fresh = may_be_symmetric(self.model) and not is_symmetric(self.model)
        self.encoder = ClozeEncoder(self.tokenizer, template, symmetric=fresh or is_symmetric(self.model))
        if fresh:
            add_terms(self.model)
            _say_yes_or_no(self.model, self.encoder)
        # The words keep their places: a few thousand pairs would only move those that they happen to hold.
        self.model.get_input_embeddings().weight.requires_grad_(False)
        if is_symmetric(self.model) and not schedule.whole:
            # So does what the first layers make of a sentence alone.
            for layer in self.model.base_model.encoder.layer[: alone(self.model)]:
                layer.requires_grad_(False)
            self.model.base_model.embeddings.requires_grad_(False)
        self._teacher = self._taught_by(teacher, bfloat16) if schedule.anchor else None
        self._chance = Chance()
        if schedule.dropout:
            loosen(self.model, schedule.dropout, self._chance)
        self.model.to(self._device)
        self._learnt = [each for each in self.model.parameters() if each.requires_grad]
        self._optimizer = torch.optim.AdamW(
            _groups(self.model, schedule.decay), lr=schedule.rate, betas=(0.9, 0.98), eps=1e-6
        )
        self._pass = copy.deepcopy(self.model).bfloat16() if bfloat16 else self.model
        self._pass_learnt = [each for each in self._pass.parameters() if each.requires_grad]
        self._means = [each.detach().clone() for each in self._learnt] if schedule.mean else []
        # A GPU takes a batch in one part.
        self._threads = torch.get_num_threads() if self._device.type == "cpu" else 1
        self.per_epoch = len(self._made(0))
        self.steps = max(1, round(schedule.epochs * self.per_epoch))
        self.step = 0
        self._warm = max(1, min(_WARM, round(_WARM_SHARE * self.steps)))
        names = ("easy", "rules", "edits", "same", "seed", "balance", "controls")
        mixed = [getattr(mixture, name) for name in names]
        # How many epochs is left open: until the rate falls, a long run and a short one are the same.
        kept = {name: value for name, value in asdict(schedule).items() if name != "epochs"}
        taught = [] if teacher is None else [str(teacher)]
        self._identity = json.loads(json.dumps([kept, *mixed, self.per_epoch, self._warm, *taught]))

    def resume(self) -> bool:
        """Go on from the last checkpoint; returns whether there was one.

        The number of epochs may be another one, as long as the learning rate has not begun to fall for either number.

        Raises:
            ModelError: It is the checkpoint of a run with other settings.
        """
        import torch
        from safetensors.torch import load_file

        if not (self._work / _STATE).is_file():
            return False
        state = json.loads((self._work / _STATE).read_text(encoding="utf-8"))
        falls = min(self._falls(steps) for steps in (self.steps, state["steps"]))
        if state["run"] != self._identity or (state["steps"] != self.steps and state["step"] > falls):
            raise ModelError(f"{self._work} holds a run with other settings. Give the same ones, or another folder.")
        self.model.load_state_dict(load_file(self._work / f"{state['step']}-{_WEIGHTS}"), strict=False)
        self.model.tie_weights()
        moments = load_file(self._work / f"{state['step']}-{_MOMENTS}")
        for number, parameter in enumerate(self._learnt):
            self._optimizer.state[parameter] = {
                "step": torch.tensor(float(state["step"])),
                "exp_avg": moments[f"{number}.first"].to(self._device),
                "exp_avg_sq": moments[f"{number}.second"].to(self._device),
            }
        for number, mean in enumerate(self._means):
            mean.copy_(moments[f"{number}.mean"])
        self.step = int(state["step"])
        self._take_over()
        return True

    def train(self, every: int = 100, at_epoch: Callable[[int], None] = lambda number: None) -> Iterator[float]:
        """Learn, yielding the loss of each step; a checkpoint is written every `every` steps.

        `at_epoch` is called with the number of epochs that are done.
        """
        import torch

        # One thread to a part of the batch: products of this size are too short to be shared out, and a thread that
        # waits for another one at each of them costs more than it brings where other programs run.
        with (
            _one_thread_each(),
            ThreadPoolExecutor(self._threads, initializer=partial(torch.set_num_threads, 1)) as pool,
        ):
            while self.step < self.steps:
                epoch, done = divmod(self.step, self.per_epoch)
                for batch in self._batches(epoch)[done:]:
                    if self.step >= self.steps:
                        break
                    for group in self._optimizer.param_groups:
                        group["lr"] = self.schedule.rate * self._height() * group["pace"]
                    loss = self._learn(batch, pool)
                    self.step += 1
                    if self.step % every == 0 or self.step == self.steps:
                        self._checkpoint()
                    yield loss
                at_epoch(epoch + 1)

    def settle(self) -> None:
        """Take the mean of the weights along the way as the model's, where there is one: the end of a training."""
        import torch

        if self._means:
            with torch.no_grad():
                torch._foreach_copy_(self._learnt, self._means)
            self._take_over()

    def score(self, sources: Sequence[str], hypotheses: Sequence[str]) -> Scores:
        """Return log p(yes) − log p(no) of n pairs as the model stands, float64 (n,)."""
        import torch

        rows = self.encoder.encode(sources, hypotheses)
        order = sorted(range(len(rows)), key=lambda row: len(rows[row].ids))
        values = np.empty(len(rows))
        with torch.inference_mode():
            for start in range(0, len(order), 64):
                chosen = order[start : start + 64]
                logits = self._logits([rows[row] for row in chosen])
                values[chosen] = (logits[:, self.encoder.yes] - logits[:, self.encoder.no]).cpu().double().numpy()
        return values

    def _taught_by(self, folder: Path | None, bfloat16: bool) -> Any:
        """Return the model in a folder, or the base as it is now, to be asked only."""
        if folder is None:
            model = copy.deepcopy(self.model)
        else:
            model, tokenizer = _load(folder)
            alike = tokenizer.get_vocab() == self.tokenizer.get_vocab()
            if not alike or is_symmetric(model) != is_symmetric(self.model):
                raise ModelError(f"{folder} does not read as the base does. Name a judge trained from the same one.")
        model.to(self._device)
        return model.bfloat16() if bfloat16 else model

    def _batches(self, epoch: int) -> list[list[Taught]]:
        """Return the batches of an epoch, as many as the first one has: with families there may be one more or less."""
        found = self._made(epoch)
        return [found[place % len(found)] for place in range(self.per_epoch)]

    def _made(self, epoch: int) -> list[list[Taught]]:
        return batches(self._mixture.epoch(epoch), self.schedule.batch, [self.schedule.seed, epoch])

    def _height(self) -> float:
        """Return the learning rate of this step as a share of the highest."""
        left = (self.steps - self.step) / max(1, self.steps - self._falls(self.steps))
        return min((self.step + 1) / self._warm, left, 1.0)

    def _falls(self, steps: int) -> int:
        """Return the step from which the learning rate of a run of `steps` steps falls."""
        return steps - round(self.schedule.fall * steps)

    def _learn(self, batch: list[Taught], pool: ThreadPoolExecutor) -> float:
        """Take one step and return its loss."""
        import torch

        parts = portions(batch, self._threads)
        found = list(pool.map(lambda number: self._slope(parts[number], len(batch), number), range(len(parts))))
        for number, parameter in enumerate(self._learnt):
            slopes = [each.float() for slopes, _ in found if (each := slopes[number]) is not None]
            parameter.grad = torch.stack(slopes).sum(0) if slopes else None
        torch.nn.utils.clip_grad_norm_(self._learnt, 1.0)
        self._optimizer.step()
        self._take_over()
        if self._means:
            kept = min(self.schedule.mean, (1 + self.step) / (_REACH + self.step))
            with torch.no_grad():
                torch._foreach_lerp_(self._means, self._learnt, 1.0 - kept)
        return sum(loss for _, loss in found)

    def _take_over(self) -> None:
        """Give the model that computes the passes the weights that were learnt."""
        import torch

        if self._pass is not self.model:
            with torch.no_grad():
                torch._foreach_copy_(self._pass_learnt, self._learnt)

    def _slope(self, pairs: list[Taught], whole: int, number: int) -> tuple[Sequence[torch.Tensor | None], float]:
        """Return the slopes of the loss of one part of a batch, and the loss, as shares of the whole batch's.

        The loss is the cross-entropy of the answers over the vocabulary; a graded pair wants both words a little. Where
        families are ordered, each adds what its pairs of one meaning are not yet above those of two.
        """
        import torch

        rows = self.encoder.encode([pair.source for pair in pairs], [pair.hypothesis for pair in pairs])
        answers, weights = torch.tensor([(pair.answer, pair.weight) for pair in pairs], device=self._device).T
        if self._teacher is not None:
            with torch.no_grad():
                said = self._logits(rows, self._teacher)
                known = (said[:, self.encoder.yes] - said[:, self.encoder.no]).sigmoid()
            certain = [pair.family or is_beside_itself(pair.source, pair.hypothesis) for pair in pairs]
            shares = [0.0 if each else self.schedule.anchor for each in certain]
            answers = answers.lerp(known, torch.tensor(shares, device=self._device))
        with self._chance.drawn_from(self.schedule.seed, self.step, number) as rng:
            if self.schedule.mask:
                controls = self.tokenizer.all_special_ids
                rows = hide_shared(rows, self.schedule.mask, self.tokenizer.mask_token_id, controls, rng)
            logs = self._logits(rows).log_softmax(-1)
        right = answers * logs[:, self.encoder.yes] + (1 - answers) * logs[:, self.encoder.no]
        loss = -(weights * right).sum() / whole
        if self.schedule.order:
            scores = logs[:, self.encoder.yes] - logs[:, self.encoder.no]
            for places in families(pairs).values():
                of_family, same = scores[places], answers[places] > 0.5
                behind = of_family[~same][None] - of_family[same][:, None]
                if behind.numel():
                    disorder = torch.nn.functional.softplus(behind).mean()
                    loss = loss + self.schedule.order * weights[places].sum() * disorder / whole
        return torch.autograd.grad(loss, self._pass_learnt, allow_unused=True), float(loss.detach())

    def _logits(self, rows: Sequence[Any], model: Any = None) -> torch.Tensor:
        """Return the logits at the gaps, by the model that learns unless another is given."""
        import torch

        model = self._pass if model is None else model
        pad = int(self.tokenizer.pad_token_id or 0)
        if is_symmetric(self.model):
            return symmetric.gap_logits(model, rows, pad, ([self.encoder.yes], [self.encoder.no]))
        ids, types, seen, gaps = (each.to(self._device) for each in padded(rows, pad))
        arguments = {"token_type_ids": types} if getattr(self.model.config, "type_vocab_size", 0) >= 2 else {}
        hidden = model.base_model(input_ids=ids, attention_mask=seen, **arguments).last_hidden_state
        chosen = hidden[torch.arange(len(rows), device=self._device), gaps]
        head = model.get_submodule(_head_name(self.model))
        logits: torch.Tensor = head(chosen[:, None])[:, 0]
        return logits.float()

    def _checkpoint(self) -> None:
        from safetensors.torch import save_file, save_model

        self._work.mkdir(parents=True, exist_ok=True)
        with atomic_write(self._work / f"{self.step}-{_WEIGHTS}") as part:
            save_model(self.model, str(part))
        moments = {}
        for number, parameter in enumerate(self._learnt):
            moments[f"{number}.first"] = self._optimizer.state[parameter]["exp_avg"]
            moments[f"{number}.second"] = self._optimizer.state[parameter]["exp_avg_sq"]
            if self._means:
                moments[f"{number}.mean"] = self._means[number]
        with atomic_write(self._work / f"{self.step}-{_MOMENTS}") as part:
            save_file(moments, part)
        state = {
            "step": self.step,
            "steps": self.steps,
            "run": self._identity,
            "written": time.strftime("%Y-%m-%d %H:%M"),
        }
        # The small file is replaced last: it names the other two, so a kill at any moment leaves a whole checkpoint.
        write_text(self._work / _STATE, json.dumps(state, indent=2))
        for old in self._work.glob("*.safetensors"):
            if not old.name.startswith(f"{self.step}-"):
                old.unlink()


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Keep PyTorch from sharing out what one thread asks for."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _groups(model: Any, decay: float) -> list[dict[str, Any]]:
    """Return the weights that are learnt, with the pace of each group."""
    named = [(name, each) for name, each in model.named_parameters() if each.requires_grad]
    terms = [each for name, each in named if name.startswith(f"{TERMS}.")]
    rest = [each for name, each in named if not name.startswith(f"{TERMS}.")]
    groups: list[dict[str, Any]] = [
        {"params": [each for each in rest if each.ndim > 1], "weight_decay": decay, "pace": 1.0},
        {"params": [each for each in rest if each.ndim < 2], "weight_decay": 0.0, "pace": 1.0},
        {"params": terms, "weight_decay": 0.0, "pace": _TERMS_PACE},
    ]
    return [group for group in groups if group["params"]]


def _head_name(model: Any) -> str:
    """Return the name of the module that turns hidden states into words (`cls`, `lm_head`, `vocab ...`)."""
    body = model.base_model_prefix
    names = [name for name, _ in model.named_children() if name != body]
    if len(names) != 1:
        raise ModelError(f"{type(model).__name__} has no single output head. Choose a BERT or RoBERTa kind of model.")
    return str(names[0])


def _load(base: Path) -> tuple[Any, Any]:
    """Load a base; where it has no output head, a new one begins as near to "say the hidden word" as can be."""
    import torch
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    if is_int8(base):
        # A judge made here is trained further.
        files = ModelFiles(base.name, base, None, "")
        model, tokenizer = load_files(files, torch.device("cpu"), "float32", MASKED)
        return _made_ready(model), tokenizer
    try:
        with quiet():
            tokenizer = AutoTokenizer.from_pretrained(base, local_files_only=True)
            how: dict[str, Any] = {"local_files_only": True, "use_safetensors": True, "dtype": torch.float32}
            loaded: Any = AutoModelForMaskedLM.from_pretrained(base, output_loading_info=True, **how)
    except Exception as error:  # transformers, tokenizers and safetensors each raise their own
        raise ModelError(f"{base} cannot be loaded as a masked language model: {why_not(base, error)}") from error
    model, report = loaded
    missing = set(report["missing_keys"])
    for name, module in model.get_submodule(_head_name(model)).named_modules():
        weight = f"{_head_name(model)}.{name}.weight".replace("..", ".")
        if isinstance(module, torch.nn.Linear) and weight in missing and module.in_features == module.out_features:
            with torch.no_grad():
                module.weight.copy_(torch.eye(module.in_features) + 0.02 * torch.randn_like(module.weight))
                module.bias.zero_()
    model.tie_weights()
    return _made_ready(model), tokenizer


def _say_yes_or_no(model: Any, encoder: ClozeEncoder) -> None:
    """Make a BERT's head answer with one of the two words from the first step on, and leave to the cosine which.

    A head that has yet to learn that these are the answers, and first says one of them for no reason, spoils in a
    hundred steps much of what the encoder knew about sentences.
    """
    import torch

    head = model.cls.predictions
    with torch.no_grad():
        head.transform.LayerNorm.weight.mul_(_QUIET)
        head.bias[[encoder.yes, encoder.no]] += _LIKELY


def _made_ready(model: Any) -> Any:
    """Take the fused attention out of a model, which takes three times the plain one's time on the way back.

    Its own dropout goes too: `loosening` has one that can be repeated.
    """
    model.set_attn_implementation("eager")
    return model.eval()

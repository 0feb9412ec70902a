"""Training of a judge: a masked language model learns to fill the gap of a cloze with "yes" or "no"."""

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
from parapluie_gui.features.training.batches import make_batches, places_by_family, split_batch
from parapluie_gui.features.training.examples import TrainingMixture, TrainingPair, is_same_sentence
from parapluie_gui.features.training.loosening import StepGenerator, hide_shared, replace_dropout
from parapluie_gui.files import atomic_write, write_text
from parapluie_gui.models.catalogue import ModelFiles
from parapluie_gui.models.kind import MASKED
from parapluie_gui.models.loading import load_files, loading_failure, quiet
from parapluie_gui.models.quantised import is_int8
from parapluie_gui.models.symmetric import TERMS, add_terms, is_symmetric, may_be_symmetric, separate_layers
from parapluie_gui.models.tokenizer import load_tokenizer
from parapluie_gui.own_files import read_json
from parapluie_gui.pluie import symmetric
from parapluie_gui.pluie.cloze import ClozeEncoder
from parapluie_gui.pluie.masked import pad_rows
from parapluie_gui.pluie.templates import Template

if TYPE_CHECKING:
    import torch

#: Factor of the learning rate for the few extra terms of a symmetric BERT, whose values are around 1.
_TERMS_RATE = 50.0
#: Initial scale of a head's logits, and initial bias of both answer words.
_LOGIT_SCALE, _ANSWER_BIAS = 0.2, 15.0
#: The learning rate rises over this many steps or, in a short run, over this share of them.
_WARM, _WARM_SHARE = 100, 0.06
_STATE, _WEIGHTS, _MOMENTS = "training.json", "weights.safetensors", "moments.safetensors"
#: The mean of the weights keeps (1 + step) / (this + step) of itself until that exceeds `TrainingSchedule.mean`.
_MEAN_STEPS = 10


@dataclass(frozen=True)
class TrainingSchedule:
    """Duration, learning rate and regularisation of a training.

    Attributes:
        epochs: Passes over the mixture; a fraction ends early.
        rate: Highest learning rate (AdamW), reached after a few steps and falling to 0 at the end.
        batch: Pairs per step.
        fall: Share of the steps in which the rate falls.
        seed: Seed of the new head, the order of batches, dropout and masking.
        dropout: Share of the values in the trained layers that a step sets to 0.
        mask: Share of the word pieces common to both sentences that a step masks in both.
        decay: Weight decay of matrices (AdamW).
        mean: Share of itself that the running mean of the weights keeps at each step; 0 = no mean, the last weights
            are used.
        first_layers: Whether to train the first layers, which read each sentence alone, too.
        order: Weight of the loss that ranks paraphrases above negatives within a family.
        anchor: Share of the answer of the teacher (by default the base) in the target answer, except for families and
            identical sentences: it preserves knowledge while those are learnt (learning without forgetting, Li & Hoiem
            2016).
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
    first_layers: bool = False
    order: float = 0.0
    anchor: float = 0.0


class Trainer:
    """Trains one model; an interrupted run resumes from its last checkpoint with the same numbers.

    Args:
        base: Folder of a masked model or of an encoder that transformers can load.
        template: The cloze.
        mixture: The training pairs.
        schedule: Duration, learning rate and regularisation.
        work: Folder of the checkpoints.
        bfloat16: Whether to run the passes in bfloat16; weights stay float32.
        device: Device of the training; None for the CPU.
        teacher: Folder of the judge for `TrainingSchedule.anchor`; None for the base.

    Raises:
        ModelError: The base is not a masked model, or the teacher has a different vocabulary or architecture.
    """

    def __init__(
        self,
        base: Path,
        template: Template,
        mixture: TrainingMixture,
        schedule: TrainingSchedule,
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
        needs_terms = may_be_symmetric(self.model) and not is_symmetric(self.model)
        self.encoder = ClozeEncoder(self.tokenizer, template, symmetric=needs_terms or is_symmetric(self.model))
        if needs_terms:
            add_terms(self.model)
            _initialise_head(self.model, self.encoder)
        # Word embeddings are not trained: a few thousand pairs would change only the words in them.
        self.model.get_input_embeddings().weight.requires_grad_(False)
        if is_symmetric(self.model) and not schedule.first_layers:
            # The first layers, which read each sentence alone, are not trained either.
            for layer in self.model.base_model.encoder.layer[: separate_layers(self.model)]:
                layer.requires_grad_(False)
            self.model.base_model.embeddings.requires_grad_(False)
        self._teacher = self._load_teacher(teacher, bfloat16) if schedule.anchor else None
        self._generator = StepGenerator()
        if schedule.dropout:
            replace_dropout(self.model, schedule.dropout, self._generator)
        self.model.to(self._device)
        self._parameters = [parameter for parameter in self.model.parameters() if parameter.requires_grad]
        self._optimizer = torch.optim.AdamW(
            _parameter_groups(self.model, schedule.decay), lr=schedule.rate, betas=(0.9, 0.98), eps=1e-6
        )
        self._pass = copy.deepcopy(self.model).bfloat16() if bfloat16 else self.model
        self._pass_parameters = [parameter for parameter in self._pass.parameters() if parameter.requires_grad]
        self._means = [parameter.detach().clone() for parameter in self._parameters] if schedule.mean else []
        # A GPU takes a batch in one part.
        self._threads = torch.get_num_threads() if self._device.type == "cpu" else 1
        self.per_epoch = len(self._draw_batches(0))
        self.steps = max(1, round(schedule.epochs * self.per_epoch))
        self.step = 0
        self._warm_steps = max(1, min(_WARM, round(_WARM_SHARE * self.steps)))
        names = ("easy", "rules", "edits", "same", "seed", "balance", "controls")
        mixture_values = [getattr(mixture, name) for name in names]
        # The number of epochs is left out: until the rate falls, a long and a short run are the same.
        settings = {name: value for name, value in asdict(schedule).items() if name != "epochs"}
        teachers = [] if teacher is None else [str(teacher)]
        self._identity = json.loads(
            json.dumps([settings, *mixture_values, self.per_epoch, self._warm_steps, *teachers])
        )

    def resume(self) -> bool:
        """Resume from the last checkpoint; return False if there is none.

        The number of epochs may differ from that of the checkpoint if the learning rate had not begun to fall for
        either number.

        Raises:
            ModelError: The checkpoint is from a run with different settings.
        """
        import torch
        from safetensors.torch import load_file

        if not (self._work / _STATE).is_file():
            return False
        state = read_json(self._work / _STATE)
        fall_start = min(self._fall_start(steps) for steps in (self.steps, state["steps"]))
        if state["run"] != self._identity or (state["steps"] != self.steps and state["step"] > fall_start):
            raise ModelError(
                f"{self._work} contains a run with different settings. Use the same settings or a different folder."
            )
        self.model.load_state_dict(load_file(self._work / f"{state['step']}-{_WEIGHTS}"), strict=False)
        self.model.tie_weights()
        moments = load_file(self._work / f"{state['step']}-{_MOMENTS}")
        for number, parameter in enumerate(self._parameters):
            self._optimizer.state[parameter] = {
                "step": torch.tensor(float(state["step"])),
                "exp_avg": moments[f"{number}.first"].to(self._device),
                "exp_avg_sq": moments[f"{number}.second"].to(self._device),
            }
        for number, mean in enumerate(self._means):
            mean.copy_(moments[f"{number}.mean"])
        self.step = int(state["step"])
        self._copy_weights()
        return True

    def train(self, every: int = 100, at_epoch: Callable[[int], None] = lambda number: None) -> Iterator[float]:
        """Train and yield the loss of each step; write a checkpoint every `every` steps.

        `at_epoch` is called after each epoch with the number of completed epochs.
        """
        import torch

        # One thread for each part of the batch: matrix products of this size are too short to share among threads,
        # whose waiting for each other costs more than it gains on a busy computer.
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
                        group["lr"] = self.schedule.rate * self._rate_share() * group["pace"]
                    loss = self._take_step(batch, pool)
                    self.step += 1
                    if self.step % every == 0 or self.step == self.steps:
                        self._checkpoint()
                    yield loss
                at_epoch(epoch + 1)

    def use_mean_weights(self) -> None:
        """Replace the weights by their running mean, if `TrainingSchedule.mean` has one; call it after training."""
        import torch

        if self._means:
            with torch.no_grad():
                torch._foreach_copy_(self._parameters, self._means)
            self._copy_weights()

    def score(self, sources: Sequence[str], hypotheses: Sequence[str]) -> Scores:
        """Return log p(yes) − log p(no) of n pairs by the current model, float64 (n,)."""
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

    def _load_teacher(self, folder: Path | None, bfloat16: bool) -> Any:
        """Load the teacher from a folder, or copy the untrained base."""
        if folder is None:
            model = copy.deepcopy(self.model)
        else:
            model, tokenizer = _load(folder)
            same_vocabulary = tokenizer.get_vocab() == self.tokenizer.get_vocab()
            if not same_vocabulary or is_symmetric(model) != is_symmetric(self.model):
                raise ModelError(
                    f"{folder} does not tokenise sentences as the base does. Choose a judge trained from the same base."
                )
        model.to(self._device)
        return model.bfloat16() if bfloat16 else model

    def _batches(self, epoch: int) -> list[list[TrainingPair]]:
        """Return as many batches as the first epoch has; with families, an epoch may have one more or one fewer."""
        batches = self._draw_batches(epoch)
        return [batches[place % len(batches)] for place in range(self.per_epoch)]

    def _draw_batches(self, epoch: int) -> list[list[TrainingPair]]:
        return make_batches(self._mixture.epoch(epoch), self.schedule.batch, [self.schedule.seed, epoch])

    def _rate_share(self) -> float:
        """Return the learning rate of this step as a share of the highest."""
        left = (self.steps - self.step) / max(1, self.steps - self._fall_start(self.steps))
        return min((self.step + 1) / self._warm_steps, left, 1.0)

    def _fall_start(self, steps: int) -> int:
        """Return the step from which the learning rate falls in a run of `steps` steps."""
        return steps - round(self.schedule.fall * steps)

    def _take_step(self, batch: list[TrainingPair], pool: ThreadPoolExecutor) -> float:
        """Update the weights on one batch and return its loss."""
        import torch

        parts = split_batch(batch, self._threads)
        results = list(pool.map(lambda number: self._gradients(parts[number], len(batch), number), range(len(parts))))
        for number, parameter in enumerate(self._parameters):
            gradients = [of_part[number] for of_part, _ in results]
            present = [gradient.float() for gradient in gradients if gradient is not None]
            parameter.grad = torch.stack(present).sum(0) if present else None
        torch.nn.utils.clip_grad_norm_(self._parameters, 1.0)
        self._optimizer.step()
        self._copy_weights()
        if self._means:
            share = min(self.schedule.mean, (1 + self.step) / (_MEAN_STEPS + self.step))
            with torch.no_grad():
                torch._foreach_lerp_(self._means, self._parameters, 1.0 - share)
        return sum(loss for _, loss in results)

    def _copy_weights(self) -> None:
        """Copy the trained weights to the model that computes the passes."""
        import torch

        if self._pass is not self.model:
            with torch.no_grad():
                torch._foreach_copy_(self._pass_parameters, self._parameters)

    def _gradients(
        self, pairs: list[TrainingPair], batch_size: int, number: int
    ) -> tuple[Sequence[torch.Tensor | None], float]:
        """Return the gradients and the loss of one part of a batch, as shares of those of the batch.

        The loss is the cross-entropy of the answers over the vocabulary; the target of a graded pair is a mixture of
        both words. With `TrainingSchedule.order`, each family adds a loss for paraphrases that are not scored above its
        negatives.
        """
        import torch

        rows = self.encoder.encode([pair.source for pair in pairs], [pair.hypothesis for pair in pairs])
        answers, weights = torch.tensor([(pair.answer, pair.weight) for pair in pairs], device=self._device).T
        if self._teacher is not None:
            with torch.no_grad():
                teacher_logits = self._logits(rows, self._teacher)
                teacher_answers = (teacher_logits[:, self.encoder.yes] - teacher_logits[:, self.encoder.no]).sigmoid()
            is_certain = [pair.family or is_same_sentence(pair.source, pair.hypothesis) for pair in pairs]
            shares = [0.0 if certain else self.schedule.anchor for certain in is_certain]
            answers = answers.lerp(teacher_answers, torch.tensor(shares, device=self._device))
        with self._generator.drawn_from(self.schedule.seed, self.step, number) as rng:
            if self.schedule.mask:
                controls = self.tokenizer.all_special_ids
                rows = hide_shared(rows, self.schedule.mask, self.tokenizer.mask_token_id, controls, rng)
            logs = self._logits(rows).log_softmax(-1)
        likelihoods = answers * logs[:, self.encoder.yes] + (1 - answers) * logs[:, self.encoder.no]
        loss = -(weights * likelihoods).sum() / batch_size
        if self.schedule.order:
            scores = logs[:, self.encoder.yes] - logs[:, self.encoder.no]
            for places in places_by_family(pairs).values():
                family_scores, is_paraphrase = scores[places], answers[places] > 0.5
                gaps = family_scores[~is_paraphrase][None] - family_scores[is_paraphrase][:, None]
                if gaps.numel():
                    order_loss = torch.nn.functional.softplus(gaps).mean()
                    loss = loss + self.schedule.order * weights[places].sum() * order_loss / batch_size
        return torch.autograd.grad(loss, self._pass_parameters, allow_unused=True), float(loss.detach())

    def _logits(self, rows: Sequence[Any], model: Any = None) -> torch.Tensor:
        """Return the logits at the gaps, by default those of the trained model."""
        import torch

        model = self._pass if model is None else model
        pad = int(self.tokenizer.pad_token_id or 0)
        if is_symmetric(self.model):
            return symmetric.gap_logits(model, rows, pad, ([self.encoder.yes], [self.encoder.no]))
        ids, types, attention, gaps = (tensor.to(self._device) for tensor in pad_rows(rows, pad))
        arguments = {"token_type_ids": types} if getattr(self.model.config, "type_vocab_size", 0) >= 2 else {}
        hidden = model.base_model(input_ids=ids, attention_mask=attention, **arguments).last_hidden_state
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
        for number, parameter in enumerate(self._parameters):
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
        # The small file is replaced last: it names the other two, so a kill at any moment leaves a complete checkpoint.
        write_text(self._work / _STATE, json.dumps(state, indent=2))
        for old in self._work.glob("*.safetensors"):
            if not old.name.startswith(f"{self.step}-"):
                old.unlink()


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Limit PyTorch to one thread for each operation."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _parameter_groups(model: Any, decay: float) -> list[dict[str, Any]]:
    """Return the trained weights in groups, each with its weight decay and its factor of the learning rate."""
    named = [(name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad]
    terms = [parameter for name, parameter in named if name.startswith(f"{TERMS}.")]
    others = [parameter for name, parameter in named if not name.startswith(f"{TERMS}.")]
    groups: list[dict[str, Any]] = [
        {"params": [parameter for parameter in others if parameter.ndim > 1], "weight_decay": decay, "pace": 1.0},
        {"params": [parameter for parameter in others if parameter.ndim < 2], "weight_decay": 0.0, "pace": 1.0},
        {"params": terms, "weight_decay": 0.0, "pace": _TERMS_RATE},
    ]
    return [group for group in groups if group["params"]]


def _head_name(model: Any) -> str:
    """Return the name of the module that turns hidden states into words (`cls`, `lm_head`, `vocab ...`)."""
    body = model.base_model_prefix
    names = [name for name, _ in model.named_children() if name != body]
    if len(names) != 1:
        raise ModelError(f"{type(model).__name__} has no single output head. Choose a BERT or RoBERTa model.")
    return str(names[0])


def _load(base: Path) -> tuple[Any, Any]:
    """Load a base; a missing output head is initialised close to predicting the masked word."""
    import torch
    from transformers import AutoModelForMaskedLM

    if is_int8(base):
        # The base is a judge made by this program.
        files = ModelFiles(base.name, base, None, "")
        model, tokenizer = load_files(files, torch.device("cpu"), "float32", MASKED)
        return _prepare(model), tokenizer
    try:
        with quiet():
            tokenizer = load_tokenizer(base.name, base)
            options: dict[str, Any] = {"local_files_only": True, "use_safetensors": True, "dtype": torch.float32}
            loaded: Any = AutoModelForMaskedLM.from_pretrained(base, output_loading_info=True, **options)
    except Exception as error:  # transformers, tokenizers and safetensors raise errors of different classes
        raise ModelError(
            f"{base} cannot be loaded as a masked language model: {loading_failure(base, error)}"
        ) from error
    model, report = loaded
    missing = set(report["missing_keys"])
    for name, module in model.get_submodule(_head_name(model)).named_modules():
        weight = f"{_head_name(model)}.{name}.weight".replace("..", ".")
        if isinstance(module, torch.nn.Linear) and weight in missing and module.in_features == module.out_features:
            with torch.no_grad():
                module.weight.copy_(torch.eye(module.in_features) + 0.02 * torch.randn_like(module.weight))
                module.bias.zero_()
    model.tie_weights()
    return _prepare(model), tokenizer


def _initialise_head(model: Any, encoder: ClozeEncoder) -> None:
    """Initialise a BERT's head to answer with one of the two words, and let only the cosine decide which.

    A head that had to learn the answer words first, and preferred one of them by chance, would spoil much of what the
    encoder knows about sentences within a hundred steps.
    """
    import torch

    head = model.cls.predictions
    with torch.no_grad():
        head.transform.LayerNorm.weight.mul_(_LOGIT_SCALE)
        head.bias[[encoder.yes, encoder.no]] += _ANSWER_BIAS


def _prepare(model: Any) -> Any:
    """Switch a model to plain attention, whose backward pass takes a third of the time of the fused one.

    Its own dropout is switched off: `loosening` has one that can be repeated.
    """
    model.set_attn_implementation("eager")
    return model.eval()

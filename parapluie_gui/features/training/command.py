"""The command `parapluie train-judge`: trains a small judge on labelled corpora and writes its card."""

from __future__ import annotations

import shlex
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from tqdm import tqdm

from parapluie_gui import places
from parapluie_gui.analysis.names import shown_name
from parapluie_gui.arrays import Scores
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.certificate.card import certificate_card
from parapluie_gui.features.training.card import HeldOutResult, card, held_out_result
from parapluie_gui.features.training.criterion import (
    KeptResult,
    balanced_threshold,
    binary_truth,
    criterion,
    equal_error_threshold,
    kept_result,
)
from parapluie_gui.features.training.examples import TrainingCorpus, TrainingMixture, read_training_corpus
from parapluie_gui.features.training.memory import MemoryGap, ScoreTexts, format_gaps, memory_gaps
from parapluie_gui.features.training.mixture_file import KeptCorpus, read_mixture
from parapluie_gui.features.training.options import TrainJudge
from parapluie_gui.features.training.trainer import Trainer, TrainingSchedule
from parapluie_gui.files import write_text
from parapluie_gui.models.catalogue import ModelFiles, find_model
from parapluie_gui.models.device import choose_device, choose_precision
from parapluie_gui.models.manifest import check_files, write_manifest
from parapluie_gui.models.quantised import average_int8, is_int8, save_int8, shift_words
from parapluie_gui.packages import require
from parapluie_gui.pairs import Corpus, read
from parapluie_gui.pluie.masked import MaskedJudge
from parapluie_gui.pluie.masked_scorer import MaskedScorer
from parapluie_gui.pluie.templates import REVERSE, Template, find_templates, load_templates
from parapluie_gui.scores.identity import identify

#: Folder of an unfinished run, within the folder of the judge.
_CHECKPOINT = "checkpoint"
#: Number of steps between two lines of progress without a terminal.
_REPORT_STEPS = 50
#: Maximum number of pairs of each held-out corpus that are scored after an epoch; at the end all of them are.
_PEEK = 500
#: Number of pairs in the card's certificate; they take a few seconds.
_CERTIFIED = 1000


def run(options: TrainJudge) -> int:
    """Train, save and evaluate a judge, write its card, and return 0.

    Raises:
        ParapluieError: An option, model, template or corpus cannot be used.
    """
    require("torch", "transformers", what="Training a judge")
    _check_options(options)
    work = options.output / _CHECKPOINT
    files = _find_unchanged(options.base)
    template = _template(options.template)
    parts, kept_corpora = _corpora(options)
    held_out = [read(path) for path in options.held_out]
    calibrated = read(options.calibrate) if options.calibrate is not None else None
    if calibrated is not None:
        binary_truth(calibrated)

    mixture = _mixture(options, parts)
    trainer = _trainer(options, files.folder, template, mixture, work)
    if options.resume and trainer.resume():
        _say(f"continuing at step {trainer.step:,} of {trainer.steps:,}")
    started = time.monotonic()
    _train(trainer, held_out, partial(memory_gaps, parts, kept_corpora))
    trainer.use_mean_weights()
    seconds = time.monotonic() - started
    save_int8(trainer.model.cpu(), trainer.tokenizer, options.output)
    if options.average is not None:
        average_int8(options.output, options.average)
    if calibrated is not None:
        calibrate(options.output, template, calibrated)
    standings = _standings(options.output, template, kept_corpora, shift=calibrated is None)
    memory = memory_gaps(parts, kept_corpora, _scoring(_scorer(options.output, template)))
    if memory:
        _say(format_gaps(memory))
    figures = _evaluate(options.output, template, held_out)
    text = card(
        options.output.resolve().name,
        shlex.join(["parapluie", *sys.argv[1:]]),
        files.name,
        template.cloze,
        mixture,
        options.graded,
        figures,
        seconds,
        calibrated,
        options.average,
        standings,
        memory,
        _certificate(options.output, template),
    )
    write_text(options.output / "MODEL_CARD.md", text)
    # The checkpoint stays until here, since evaluating can take minutes and may be interrupted too.
    shutil.rmtree(work)
    write_manifest(options.output, base=files.name, base_revision=files.revision)
    _say(f"The judge is in {options.output}. Use it with `--judge {options.output}`. MODEL_CARD.md describes it.")
    return 0


def _mixture(options: TrainJudge, parts: tuple[TrainingCorpus, ...]) -> TrainingMixture:
    return TrainingMixture(
        parts,
        options.easy,
        options.rules,
        options.seed,
        options.edits,
        options.same,
        balance=options.balance,
        controls=options.controls,
    )


def _trainer(options: TrainJudge, base: Path, template: Template, mixture: TrainingMixture, work: Path) -> Trainer:
    import torch

    if options.threads:
        torch.set_num_threads(options.threads)
    device = choose_device(options.device)
    precision = choose_precision(options.precision, device)
    schedule = TrainingSchedule(
        options.epochs,
        options.rate,
        options.batch,
        seed=options.seed,
        dropout=options.dropout,
        mask=options.mask,
        decay=options.decay,
        mean=options.mean,
        first_layers=options.all_layers,
        order=options.order,
        anchor=options.anchor,
    )
    teacher = None if options.teacher is None else _find_unchanged(options.teacher).folder
    return Trainer(
        base, template, mixture, schedule, work, bfloat16=precision == "bfloat16", device=device, teacher=teacher
    )


def _find_unchanged(model: str) -> ModelFiles:
    """Return the files of a model; refuse them if they changed since they were downloaded or made."""
    files = find_model(model)
    check_files(files.folder, files.known)
    return files


def _template(name: str) -> Template:
    """Return the cloze to be filled; refuse reverse templates, since card and threshold describe the usual order."""
    template = find_templates([name], load_templates(places.user_templates())[0])[0]
    if not template.cloze:
        raise ParapluieError(f"{template.name} is not a cloze. Choose a template with a gap to fill, such as CLOZE.")
    if template.name.endswith(REVERSE):
        raise ParapluieError(
            f"A judge cannot be trained on {template.name}, because its model card describes the usual order. Train it "
            f"on {template.name.removesuffix(REVERSE)}; it can then score both directions."
        )
    return template


def _corpora(options: TrainJudge) -> tuple[tuple[TrainingCorpus, ...], tuple[KeptCorpus, ...]]:
    """Read the training corpora and, from mixture files, the kept-back pairs."""
    parts: list[TrainingCorpus] = []
    kept_corpora: list[KeptCorpus] = []
    for text in options.corpus:
        if text.endswith(".toml"):
            path = places.expand_user_path(text)
            mixture = read_mixture(path, options.data or path.parent, options.leave_out, options.graded)
            parts += mixture.parts
            kept_corpora += mixture.kept
        else:
            parts.append(read_training_corpus(text, options.graded))
    return tuple(parts), tuple(kept_corpora)


def _check_options(options: TrainJudge) -> None:
    if not 0 <= options.graded[0] < options.graded[1] <= 5:
        raise ParapluieError("--graded takes two numbers from 0 to 5, the smaller one first, such as 3 4.8.")
    if options.teacher is not None and not options.anchor:
        raise ParapluieError("--teacher has no effect without --anchor. Add --anchor, for example --anchor 0.7.")
    if options.average is not None and not is_int8(options.average):
        raise ParapluieError(
            f"{options.average} is not a judge trained by `parapluie train-judge`. Choose the folder of such a judge."
        )
    if options.output.exists() and not options.output.is_dir():
        raise ParapluieError(f"{options.output} is a file. Name a folder for the judge.")
    if (options.output / _CHECKPOINT / "training.json").is_file() and not options.resume:
        raise ParapluieError(
            f"{options.output} contains an unfinished run. Add --resume to continue it, or remove the folder."
        )


def _train(trainer: Trainer, held_out: Sequence[Corpus], memory: Callable[[ScoreTexts], list[MemoryGap]]) -> None:
    def report_epoch(number: int) -> None:
        if gaps := memory(trainer.score):
            _say(f"after epoch {number}: {format_gaps(gaps)}")
        for corpus in held_out:
            sample = corpus.take(np.random.default_rng(0).permutation(len(corpus))[:_PEEK])
            _say(f"after epoch {number}: {held_out_result(sample, trainer.score(sample.source, sample.hypothesis))}")

    first_step, started = trainer.step, time.monotonic()
    losses: list[float] = []
    with tqdm(total=trainer.steps, initial=first_step, unit="step", disable=not sys.stderr.isatty()) as bar:
        for loss in trainer.train(at_epoch=report_epoch):
            losses = [*losses[1 - _REPORT_STEPS :], loss]
            bar.set_postfix_str(f"loss {np.mean(losses):.3f}", refresh=False)
            bar.update()
            if bar.disable and (trainer.step % _REPORT_STEPS == 0 or trainer.step == trainer.steps):
                seconds_per_step = (time.monotonic() - started) / (trainer.step - first_step)
                minutes_left = seconds_per_step * (trainer.steps - trainer.step) / 60
                progress = f"step {trainer.step:,} of {trainer.steps:,}, loss {np.mean(losses):.3f}"
                _say(f"{progress}, {minutes_left:.0f} min left")


def calibrate(folder: Path, template: Template, corpus: Corpus) -> float:
    """Shift a saved judge's scores so that its two error rates are equal at threshold 0, and return the shift.

    The corpus has labelled or graded pairs that the judge was not trained on.

    Raises:
        ParapluieError: The corpus does not have both kinds of pairs, or the judge's head has no biases.
    """
    scorer = _scorer(folder, template)
    return _shift(folder, scorer, equal_error_threshold(_scores(scorer, corpus), binary_truth(corpus)), corpus.name)


def _shift(folder: Path, scorer: MaskedScorer, by: float, name: str) -> float:
    yes, no = scorer.answers
    shifts = dict.fromkeys(yes, -by / 2) | dict.fromkeys(no, by / 2)
    shift_words(folder, scorer.judge.vocabulary, shifts)
    _say(f"calibrated on {name}: every score now changes by {-by:+.3f}")
    return -by


def _standings(
    folder: Path, template: Template, kept_corpora: Sequence[KeptCorpus], *, shift: bool
) -> list[KeptResult]:
    """Evaluate a judge on the kept-back pairs and print the results; with `shift`, first make 0 its threshold there."""
    if not kept_corpora:
        return []
    scorer = _scorer(folder, template)
    scores = [_scores(scorer, corpus.corpus) for corpus in kept_corpora]
    if shift:
        shift_by = _shift(folder, scorer, balanced_threshold(kept_corpora, scores), "held-out pairs")
        scores = [judge_scores + shift_by for judge_scores in scores]
    results = [kept_result(corpus, judge_scores) for corpus, judge_scores in zip(kept_corpora, scores, strict=True)]
    for corpus in results:
        _say(str(corpus))
    _say(f"criterion: {criterion(results):.4f}")
    return results


def _evaluate(folder: Path, template: Template, held_out: Sequence[Corpus]) -> list[HeldOutResult]:
    """Evaluate the saved judge on held-out corpora, in the precision that users get."""
    scorer = _scorer(folder, template)
    results = []
    for corpus in held_out:
        results.append(held_out_result(corpus, _scores(scorer, corpus)))
        _say(str(results[-1]))
    return results


def _certificate(folder: Path, template: Template) -> str:
    """Return the saved judge's certificate as Markdown for its card, and print its summary."""
    title = shown_name(identify(template.column).with_judge(folder.resolve().name))
    text, sentence = certificate_card(template.column, title, _CERTIFIED, _scoring(_scorer(folder, template)))
    _say(sentence)
    return text


def _scorer(folder: Path, template: Template) -> MaskedScorer:
    files = find_model(str(folder))
    return MaskedJudge.load(files, "cpu").scorer(template)


def _scores(scorer: MaskedScorer, corpus: Corpus) -> Scores:
    return _scoring(scorer)(corpus.source, corpus.hypothesis)


def _scoring(scorer: MaskedScorer) -> ScoreTexts:
    def score(sources: Sequence[str], hypotheses: Sequence[str]) -> Scores:
        scores = np.empty(len(sources))
        for batch in scorer.score(sources, hypotheses):
            for result in batch:
                scores[result.row] = result.score
        return scores

    return score


def _say(text: str) -> None:
    tqdm.write(text, file=sys.stderr)
    sys.stderr.flush()

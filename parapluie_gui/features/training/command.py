"""`parapluie train-judge`: labelled corpora in, a small judge with its card out."""

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
from parapluie_gui.features.training.card import Figure, card, figure
from parapluie_gui.features.training.criterion import Standing, criterion, equal_error, standing, threshold, truth_of
from parapluie_gui.features.training.examples import Mixture, TrainingCorpus, part
from parapluie_gui.features.training.memory import MemoryGap, ScoreTexts, gaps, told
from parapluie_gui.features.training.mixture_file import Kept, read_mixture
from parapluie_gui.features.training.options import TrainJudge
from parapluie_gui.features.training.trainer import Schedule, Trainer
from parapluie_gui.files import write_text
from parapluie_gui.models.catalogue import ModelFiles, find_model
from parapluie_gui.models.device import choose_device, choose_precision
from parapluie_gui.models.manifest import check_files, write_manifest
from parapluie_gui.models.quantised import average_int8, is_int8, save_int8, shift_words
from parapluie_gui.packages import need
from parapluie_gui.pairs import Corpus, read
from parapluie_gui.pluie.masked import MaskedJudge
from parapluie_gui.pluie.masked_scorer import MaskedScorer
from parapluie_gui.pluie.templates import REVERSE, Template, find_templates, load_templates
from parapluie_gui.scores.identity import identify

#: Folder of an unfinished run, within that of the judge.
_CHECKPOINT = "checkpoint"
#: Steps between two lines of progress if there is no terminal.
_REPORT_STEPS = 50
#: Pairs of each held-out corpus that are scored after an epoch; all of them at the end.
_PEEK = 500
#: Pairs of the certificate in the card: a few seconds of a training.
_CERTIFIED = 1000


def run(options: TrainJudge) -> int:
    """Train, save, evaluate, write the card; returns 0.

    Raises:
        ParapluieError: Something given cannot be used.
    """
    need("torch", "transformers", what="Training a judge")
    _check(options)
    work = options.output / _CHECKPOINT
    files = _checked(options.base)
    template = _template(options.template)
    parts, kept = _corpora(options)
    held = [read(path) for path in options.held_out]
    calibrated = read(options.calibrate) if options.calibrate is not None else None
    if calibrated is not None:
        truth_of(calibrated)

    mixture = _mixture(options, parts)
    trainer = _trainer(options, files.folder, template, mixture, work)
    if options.resume and trainer.resume():
        _say(f"continuing at step {trainer.step:,} of {trainer.steps:,}")
    started = time.monotonic()
    _train(trainer, held, partial(gaps, parts, kept))
    trainer.settle()
    seconds = time.monotonic() - started
    save_int8(trainer.model.cpu(), trainer.tokenizer, options.output)
    if options.average is not None:
        average_int8(options.output, options.average)
    if calibrated is not None:
        calibrate(options.output, template, calibrated)
    standings = _standings(options.output, template, kept, shift=calibrated is None)
    memory = gaps(parts, kept, _scoring(_scorer(options.output, template)))
    if memory:
        _say(told(memory))
    figures = _evaluate(options.output, template, held)
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
    # Not before: on a busy computer what is measured takes minutes, and may be stopped like the steps.
    shutil.rmtree(work)
    write_manifest(options.output, base=files.name, base_revision=files.revision)
    _say(f"the judge is in {options.output}; `--judge {options.output}` uses it, MODEL_CARD.md describes it")
    return 0


def _mixture(options: TrainJudge, parts: tuple[TrainingCorpus, ...]) -> Mixture:
    return Mixture(
        parts,
        options.easy,
        options.rules,
        options.seed,
        options.edits,
        options.same,
        balance=options.balance,
        controls=options.controls,
    )


def _trainer(options: TrainJudge, base: Path, template: Template, mixture: Mixture, work: Path) -> Trainer:
    import torch

    if options.threads:
        torch.set_num_threads(options.threads)
    device = choose_device(options.device)
    precision = choose_precision(options.precision, device)
    schedule = Schedule(
        options.epochs,
        options.rate,
        options.batch,
        seed=options.seed,
        dropout=options.dropout,
        mask=options.mask,
        decay=options.decay,
        mean=options.mean,
        whole=options.all_layers,
        order=options.order,
        anchor=options.anchor,
    )
    teacher = None if options.teacher is None else _checked(options.teacher).folder
    return Trainer(
        base, template, mixture, schedule, work, bfloat16=precision == "bfloat16", device=device, teacher=teacher
    )


def _checked(model: str) -> ModelFiles:
    """Return a model's files, unchanged since they were fetched or made."""
    files = find_model(model)
    check_files(files.folder, files.known)
    return files


def _template(name: str) -> Template:
    """Return the cloze to be filled; its reverse is refused, since card and threshold are about the usual order."""
    template = find_templates([name], load_templates(places.user_templates())[0])[0]
    if not template.cloze:
        raise ParapluieError(f"{template.name} is not a cloze. Choose a template with a gap to fill, such as CLOZE.")
    if template.name.endswith(REVERSE):
        raise ParapluieError(
            f"A judge is not trained on {template.name}, since its card is about the usual order. "
            f"Train it on {template.name.removesuffix(REVERSE)}; scoring can then be asked for both directions."
        )
    return template


def _corpora(options: TrainJudge) -> tuple[tuple[TrainingCorpus, ...], tuple[Kept, ...]]:
    """Read what is trained on, and what a mixture file keeps back of it."""
    parts: list[TrainingCorpus] = []
    kept: list[Kept] = []
    for text in options.corpus:
        if text.endswith(".toml"):
            path = places.expand_user_path(text)
            found = read_mixture(path, options.data or path.parent, options.leave_out, options.graded)
            parts += found.parts
            kept += found.kept
        else:
            parts.append(part(text, options.graded))
    return tuple(parts), tuple(kept)


def _check(options: TrainJudge) -> None:
    if not 0 <= options.graded[0] < options.graded[1] <= 5:
        raise ParapluieError("--graded takes two numbers of 0 to 5, the smaller one first, such as 3 4.8.")
    if options.teacher is not None and not options.anchor:
        raise ParapluieError("--teacher says nothing without --anchor. Give --anchor 0.7, say.")
    if options.average is not None and not is_int8(options.average):
        raise ParapluieError(
            f"{options.average} is not a judge made by `parapluie train-judge`. Name the folder of one."
        )
    if options.output.exists() and not options.output.is_dir():
        raise ParapluieError(f"{options.output} is a file. Name a folder for the judge.")
    if (options.output / _CHECKPOINT / "training.json").is_file() and not options.resume:
        raise ParapluieError(
            f"{options.output} holds an unfinished run. Add --resume to continue it, or remove the folder."
        )


def _train(trainer: Trainer, held: Sequence[Corpus], memory: Callable[[ScoreTexts], list[MemoryGap]]) -> None:
    def at_epoch(number: int) -> None:
        if found := memory(trainer.score):
            _say(f"after epoch {number}: {told(found)}")
        for corpus in held:
            some = corpus.take(np.random.default_rng(0).permutation(len(corpus))[:_PEEK])
            _say(f"after epoch {number}: {figure(some, trainer.score(some.source, some.hypothesis))}")

    first, started = trainer.step, time.monotonic()
    losses: list[float] = []
    with tqdm(total=trainer.steps, initial=first, unit="step", disable=not sys.stderr.isatty()) as bar:
        for loss in trainer.train(at_epoch=at_epoch):
            losses = [*losses[1 - _REPORT_STEPS :], loss]
            bar.set_postfix_str(f"loss {np.mean(losses):.3f}", refresh=False)
            bar.update()
            if bar.disable and (trainer.step % _REPORT_STEPS == 0 or trainer.step == trainer.steps):
                each = (time.monotonic() - started) / (trainer.step - first)
                left = each * (trainer.steps - trainer.step) / 60
                _say(f"step {trainer.step:,} of {trainer.steps:,}, loss {np.mean(losses):.3f}, {left:.0f} min left")


def calibrate(folder: Path, template: Template, corpus: Corpus) -> float:
    """Shift a saved judge's answers so that its errors of either kind are equally frequent at 0; returns the shift.

    The corpus has labelled or graded pairs that the judge was not trained on.

    Raises:
        ParapluieError: The corpus does not have both kinds of pairs, or the judge's head has no biases.
    """
    scorer = _scorer(folder, template)
    return _shift(folder, scorer, equal_error(_scores(scorer, corpus), truth_of(corpus)), corpus.name)


def _shift(folder: Path, scorer: MaskedScorer, by: float, name: str) -> float:
    yes, no = scorer.answers
    shifts = dict.fromkeys(yes, -by / 2) | dict.fromkeys(no, by / 2)
    shift_words(folder, scorer.judge.vocabulary, shifts)
    _say(f"calibrated on {name}: every score is {-by:+.3f} now")
    return -by


def _standings(folder: Path, template: Template, kept: Sequence[Kept], *, shift: bool) -> list[Standing]:
    """Return how a judge does on what was kept back, and say so; with `shift`, make 0 its threshold there before."""
    if not kept:
        return []
    scorer = _scorer(folder, template)
    scores = [_scores(scorer, each.corpus) for each in kept]
    if shift:
        by = _shift(folder, scorer, threshold(kept, scores), "what was kept back")
        scores = [given + by for given in scores]
    found = [standing(each, given) for each, given in zip(kept, scores, strict=True)]
    for each in found:
        _say(str(each))
    _say(f"criterion: {criterion(found):.4f}")
    return found


def _evaluate(folder: Path, template: Template, held: Sequence[Corpus]) -> list[Figure]:
    """Score held-out corpora with the judge as it was saved, in the precision that users get."""
    scorer = _scorer(folder, template)
    figures = []
    for corpus in held:
        figures.append(figure(corpus, _scores(scorer, corpus)))
        _say(str(figures[-1]))
    return figures


def _certificate(folder: Path, template: Template) -> str:
    """Return the saved judge's certificate as Markdown for its card, and say what it fails most."""
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
            for one in batch:
                scores[one.row] = one.score
        return scores

    return score


def _say(text: str) -> None:
    tqdm.write(text, file=sys.stderr)
    sys.stderr.flush()

"""`parapluie paraphrase`: sentences in, a corpus of paraphrases written by a judge out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from parapluie_gui import places
from parapluie_gui.api.notices import count
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.options import Paraphrase
from parapluie_gui.commands.paraphrase_part import Part
from parapluie_gui.commands.saying import say
from parapluie_gui.commands.score import check_output
from parapluie_gui.errors import INTERRUPTED, CorpusError, ParapluieError
from parapluie_gui.files import NotAFileError, check_is_file
from parapluie_gui.models.catalogue import find_model, usual_judge
from parapluie_gui.models.kind import CAUSAL
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.writing import Candidate, Sampling, check_can_write, repeats, writing_signature
from parapluie_gui.pluie.writing_templates import (
    WritingTemplate,
    find_writing_template,
    load_writing_templates,
)
from parapluie_gui.pluie.written_corpus import WrittenSource, written_corpus
from parapluie_gui.report.table import write_table
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work.handle import Handle
from parapluie_gui.work.local import LocalScorer
from parapluie_gui.work.write_candidates import WriteCandidates, sources_at_once


def run(options: Paraphrase) -> int:
    """Write paraphrases of sentences and save them as a corpus; returns the exit status.

    Raises:
        ParapluieError: Something asked for is not there, or the judge cannot write.
    """
    check_output(options.output, (options.sources,))
    if not options.temperature and options.candidates > 1:
        raise ParapluieError(
            "At temperature 0 all candidates of a sentence are the same text. Add -k 1, or a higher --temperature."
        )
    template = _template(options.template)
    judge = JudgeSettings(options.judge or usual_judge({CAUSAL}), options.device, options.precision)
    files = find_model(judge.model)
    check_can_write(files)
    sampling = Sampling(options.temperature, options.top_p, options.seed)
    signature = writing_signature(files, template, sampling, judge)
    ids, sources = _read(options)
    with Part.open(options.output, signature, sources, options.candidates) as part:
        done = part.whole(sources_at_once(options.candidates))
        if done:
            say(f"{count(done, 'sentence is', 'sentences are')} in {part.path.name} already; the others follow.")
        if done < len(sources):
            numbers = tuple(range(1, options.candidates + 1))
            request = WriteCandidates(tuple(sources[done:]), judge, template, sampling, numbers)
            handle = Handle()
            handle.written.connect(lambda batch: part.add([row + done for row in batch.rows], batch.candidates))
            try:
                if errors := LocalScorer().run(request, handle):
                    raise errors[0]
            except KeyboardInterrupt:
                say(f"stopped; what was written is kept in {part.path}, and the same command goes on with it.")
                return INTERRUPTED
        _save(options, ids, sources, part.candidates, signature)
        part.remove()
    return 0


def _template(name: str) -> WritingTemplate:
    found, broken = load_writing_templates(places.user_templates())
    for template in broken:
        say(template.error)
    return find_writing_template(name, found)


def _read(options: Paraphrase) -> tuple[list[str], list[str]]:
    """Return ids and sentences, each sentence once.

    Raises:
        CorpusError: The file cannot be read as asked, or holds no sentence.
    """
    path = options.sources
    if path.suffix.lower() == ".txt":
        lines = [line.strip() for line in _text(path).splitlines()]
        numbered = [(str(number), line) for number, line in enumerate(lines, start=1) if line]
    else:
        corpus = read_corpus(path, options.reading)
        numbered = list(zip(corpus.id, corpus.source, strict=True))
    first: dict[str, str] = {}
    for id, source in numbered:
        first.setdefault(source, id)
    if not first:
        raise CorpusError("it holds no sentence", "write one sentence a line", path)
    if again := len(numbered) - len(first):
        which = count(again, "sentence that came before is", "sentences that came before are")
        say(f"{path.name}: {which} left out.")
    sources = list(first)[: options.limit]
    return [first[source] for source in sources], sources


def _text(path: Path) -> str:
    try:
        check_is_file(path)
        return path.read_text(encoding="utf-8-sig")
    except NotAFileError as error:
        raise CorpusError(f"it is {error.strerror}", "name a file", path) from error
    except FileNotFoundError as error:
        raise CorpusError("there is no such file", "check the path", path) from error
    except UnicodeDecodeError as error:
        raise CorpusError("it is not UTF-8 text", "save it as UTF-8", path) from error


def _save(
    options: Paraphrase, ids: list[str], sources: list[str], written: list[list[Candidate]], signature: Signature
) -> None:
    """Write the table, and say how many candidates are empty, repeat another or were cut.

    Raises:
        ParapluieError: There is nothing but empty texts, or the table cannot be written.
    """
    fields = dict(signature.fields)
    system = f"{fields['model']} {fields['template'].partition('@')[0]}"
    found = [WrittenSource(*each) for each in zip(ids, sources, written, strict=True)]
    corpus = written_corpus(options.output.stem, found, system, str(signature))
    if not len(corpus):
        raise ParapluieError(f"{fields['model']} wrote nothing after any sentence. Choose another template or model.")
    notes = Counter(note.rstrip("0123456789 ") for each in found for note in repeats(each.text, each.candidates))
    for warning in write_table(options.output, corpus, ScoreTable(len(corpus))).warnings:
        say(warning)
    said = {"empty": "empty and left out", "same as the source": "the same as the source"}
    said |= {"repeats candidate": "repeated", "cut": f"cut at {fields['tokens']} tokens"}
    parts = [f"{number} {said[note]}" for note, number in sorted(notes.items()) if note]
    print(
        f"{count(len(sources), 'sentence', 'sentences')}, {count(len(corpus), 'candidate', 'candidates')}"
        f"{'; ' if parts else ''}{', '.join(parts)} → {options.output}"
    )
